"""Files of every kind and name, full disks, kills and interruptions: whole, or not at all."""

import contextlib
import copy
import errno
import json
import os
import pickle
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from processes import linux

import maxgap
from maxgap import MaxGapTop2UCB

posix = pytest.mark.skipif(os.name != "posix", reason="modes, links and signals are those of POSIX")


def policy_of(n_told):
    policy = MaxGapTop2UCB(["a", "b", "c"], sigma=0.1)
    for k in range(n_told):
        policy.tell("abc"[k % 3], 0.1 * k)
    return policy


def old():
    return policy_of(3)


def new():
    return policy_of(7)


def told(path):
    """How many rewards the policy of a file has been told; it must be whole."""
    return int(maxgap.load(path).counts.sum())


@contextlib.contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@contextlib.contextmanager
def ordinary_user():
    """Root may write everywhere: be nobody meanwhile."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def open_folder():
    """A folder that an ordinary user reaches, too."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        yield Path(name)


# -- modes and owners ------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o077, 0o027])
def test_a_new_file_is_as_accessible_as_the_umask_says(mask, tmp_path):
    with umask(mask):
        new().save(tmp_path / "policy.json")
    assert stat.S_IMODE((tmp_path / "policy.json").stat().st_mode) == 0o666 & ~mask


@posix
@pytest.mark.parametrize("mode", [0o664, 0o600, 0o666, 0o640, 0o755, 0o2664])
@pytest.mark.parametrize("mask", [0o002, 0o077])
def test_a_file_that_was_there_keeps_its_mode(mode, mask, tmp_path):
    path = tmp_path / "policy.json"
    old().save(path)
    path.chmod(mode)
    with umask(mask):
        new().save(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert told(path) == 7


@posix
def test_owner_and_group_are_kept_where_allowed(open_folder):
    if os.geteuid() != 0:
        pytest.skip("only root can make files of others")
    path = open_folder / "policy.json"
    old().save(path)
    os.chown(path, 65534, 65534)
    new().save(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65534)
    # Nobody cannot give the file to root again; what root's group might do, nobody's may not.
    os.chown(path, 0, 0)
    path.chmod(0o666)
    with ordinary_user():
        old().save(path)
    assert path.stat().st_uid == 65534
    assert stat.S_IMODE(path.stat().st_mode) == 0o606
    assert told(path) == 3


# -- links -----------------------------------------------------------------------------------------


@posix
def test_through_links_the_target_is_written_and_the_links_stay(tmp_path, monkeypatch):
    (tmp_path / "far").mkdir()
    target, link, again = tmp_path / "far" / "target.json", tmp_path / "link", tmp_path / "again"
    link.symlink_to(Path("far") / "target.json")
    again.symlink_to("link")
    new().save(again)  # the target is not there yet
    assert told(target) == 7
    target.chmod(0o640)
    old().save(link)
    monkeypatch.chdir(tmp_path)
    new().save("again")
    assert os.readlink(link) == os.path.join("far", "target.json")
    assert os.readlink(again) == "link"
    assert told(target) == told(link) == 7
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["again", "far", "link"]
    assert os.listdir(tmp_path / "far") == ["target.json"]


@posix
def test_links_that_lead_nowhere_are_refused_by_name(tmp_path):
    (tmp_path / "loop").symlink_to("pool")
    (tmp_path / "pool").symlink_to("loop")
    (tmp_path / "gone").symlink_to(Path("missing") / "policy.json")
    (tmp_path / "folder").symlink_to(tmp_path)
    for name in ("loop", "gone", "folder"):
        with pytest.raises(OSError, match=name):
            new().save(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["folder", "gone", "loop", "pool"]


@posix
def test_another_hard_link_keeps_the_old_content(tmp_path):
    path, other = tmp_path / "policy.json", tmp_path / "other.json"
    old().save(path)
    other.hardlink_to(path)
    new().save(path)
    assert (told(path), told(other)) == (7, 3)


# -- what is no file -------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("linked", [False, True])
def test_devices_pipes_and_sockets_are_refused_and_stay(linked, tmp_path):
    ours, theirs = os.openpty()
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(tmp_path):
        server.bind("socket")  # short, as the names of sockets must be
    try:
        for k, place in enumerate([os.ttyname(theirs), tmp_path / "pipe", tmp_path / "socket"]):
            kind = stat.S_IFMT(os.stat(place).st_mode)
            path = place
            if linked:
                path = tmp_path / f"link{k}"
                path.symlink_to(place)
            with pytest.raises(ValueError, match=f"path must be.*{Path(path).name}"):
                new().save(path)
            assert stat.S_IFMT(os.stat(place).st_mode) == kind
    finally:
        os.close(ours)
        os.close(theirs)
    expected = ["pipe", "socket"] + ["link0", "link1", "link2"] * linked
    assert sorted(os.listdir(tmp_path)) == sorted(expected)


@pytest.mark.parametrize("name", ["folder", "folder/", "new/", "folder/.", "folder/..", "new/."])
def test_a_folder_is_refused_by_name(name, tmp_path):
    (tmp_path / "folder").mkdir()
    path = f"{tmp_path}/{name}"
    with pytest.raises(OSError, match=name.split("/")[0]):
        new().save(path)
    assert os.listdir(tmp_path) == ["folder"]
    assert os.listdir(tmp_path / "folder") == []


@pytest.mark.parametrize("name", ["missing/policy.json", "file/policy.json", "x" * 300])
def test_a_place_where_no_file_can_be_is_refused_by_name(name, tmp_path):
    (tmp_path / "file").write_text("something else")
    with pytest.raises(OSError, match=name):
        new().save(tmp_path / name)
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "something else"


@pytest.mark.parametrize("path", ["", b"", "a\0b", 3, None, True, ["policy.json"], 1.5], ids=repr)
def test_what_is_no_path_is_refused(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="path must be"):
        new().save(path)
    with pytest.raises(ValueError, match="path must be"):
        maxgap.load(path)
    assert os.listdir(tmp_path) == []


@posix
def test_a_read_only_file_or_folder_is_refused_by_name_and_the_old_file_whole(open_folder):
    path = open_folder / "policy.json"
    with ordinary_user():
        old().save(path)
        path.chmod(0o444)
        with pytest.raises(PermissionError, match=r"policy\.json"):
            new().save(path)
        path.chmod(0o644)
    open_folder.chmod(0o555)
    try:
        with ordinary_user(), pytest.raises(PermissionError, match=r"policy\.json"):
            new().save(path)
        with ordinary_user(), pytest.raises(PermissionError, match=r"new\.json"):
            new().save(open_folder / "new.json")
    finally:
        open_folder.chmod(0o777)
    assert os.listdir(open_folder) == ["policy.json"]
    assert told(path) == 3


# -- names -----------------------------------------------------------------------------------------

NAMES = [
    "policy.json",
    "x" * 255,
    "ü" * 127 + "x",
    "-rf",
    "--help",
    ".hidden",
    " ",
    " two words ",
    "two\nlines",
    "tab\t'quote\"\\",
    "*?[a]{b}~$HOME%s",
    "..json",
    "\udcff\udcfe.json",
    "日本語",
]


@linux
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_file_of_any_name_is_saved_and_loaded_by_any_kind_of_path(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    class Place:
        def __fspath__(self):
            return os.fsencode(tmp_path / name)

    for path in (name, os.fsencode(name), Path(name), tmp_path / name, Place(), f"./{name}"):
        for policy, rewards in ((old(), 3), (new(), 7)):
            policy.save(path)
            assert os.listdir(tmp_path) == [name]
            assert told(path) == rewards
        os.unlink(name)
        with pytest.raises(FileNotFoundError):
            maxgap.load(path)


# -- full disks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", ["open", "fdopen", "fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_an_error_of_the_disk_names_the_file_and_leaves_the_old_one(
    function, code, tmp_path, monkeypatch
):
    path = tmp_path / "policy.json"
    old().save(path)

    def fail(*arguments, **_):
        if function == "fdopen":
            os.close(arguments[0])
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patched:
        patched.setattr(os, function, fail)
        with pytest.raises(OSError, match=r"policy\.json") as caught:
            new().save(path)
    assert caught.value.errno == code
    assert caught.value.filename == str(path)
    assert os.listdir(tmp_path) == ["policy.json"]
    assert told(path) == 3


@posix
@pytest.mark.parametrize("limit", [0, 1, 100, 500])
def test_a_file_that_may_not_grow_leaves_the_old_one(limit, tmp_path):
    import resource

    path = tmp_path / "policy.json"
    old().save(path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        with pytest.raises(OSError, match=r"policy\.json") as caught:
            new().save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert caught.value.errno == errno.EFBIG
    assert os.listdir(tmp_path) == ["policy.json"]
    assert told(path) == 3


@linux
def test_a_disk_that_is_really_full_leaves_the_old_file(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("no right to mount a small disk")
    try:
        path = disk / "policy.json"
        old().save(path)
        with contextlib.suppress(OSError), open(disk / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(1024))
        with pytest.raises(OSError, match=r"policy\.json") as caught:
            new().save(path)
        assert caught.value.errno == errno.ENOSPC
        assert sorted(os.listdir(disk)) == ["filler", "policy.json"]
        assert told(path) == 3
        (disk / "filler").unlink()
        new().save(path)
        assert told(path) == 7
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_an_interruption_while_writing_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "policy.json"
    old().save(path)
    for function in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, function, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                new().save(path)
        assert os.listdir(tmp_path) == ["policy.json"]
        assert told(path) == 3


@posix
def test_file_and_folder_are_flushed_to_disk_in_that_order(tmp_path, monkeypatch):
    events = []
    fsync, replace = os.fsync, os.replace

    def flush(handle):
        events.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    def rename(*names):
        events.append("rename")
        replace(*names)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(os, "replace", rename)
    new().save(tmp_path / "policy.json")
    assert events == ["file", "rename", "folder"]


# -- several writers -------------------------------------------------------------------------------

WRITER = """
import sys
import maxgap

path, arm, told, refused = sys.argv[1], sys.argv[2], 0, 0
while told < 60:
    policy = maxgap.load(path)
    policy.tell(arm, told / 100)
    try:
        policy.save(path)
        told += 1
    except ValueError as problem:
        assert "has changed since" in str(problem) and path in str(problem), problem
        refused += 1
print(refused)
"""


def test_of_two_processes_on_one_file_no_answer_is_lost_in_silence(tmp_path):
    path = tmp_path / "policy.json"
    maxgap.RoundRobin(["a", "b"], stopping=None).save(path)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), arm], stdout=subprocess.PIPE)
        for arm in "ab"
    ]
    refused = [int(writer.communicate(timeout=300)[0]) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert maxgap.load(path).counts.tolist() == [60, 60]
    assert sum(refused) > 0 or os.cpu_count() == 1
    assert os.listdir(tmp_path) == ["policy.json"]


def test_a_file_that_has_changed_since_is_not_overwritten(tmp_path, monkeypatch):
    path = tmp_path / "policy.json"
    mine, others = policy_of(2), policy_of(4)
    mine.save(path)
    others.save(path)  # never touched it: as before
    monkeypatch.chdir(tmp_path)
    for name in (path, "policy.json", os.fsencode(path)):
        with pytest.raises(ValueError, match=r"policy\.json' has changed since this policy was lo"):
            mine.save(name)
    assert told(path) == 4
    others.tell("a", 1.0)
    others.save(path)
    again = maxgap.load(path)
    copied = copy.copy(again)
    again.tell("a", 1.0)
    again.save(path)
    again.save(path)
    assert told(path) == 6
    for stale in (copied, pickle.loads(pickle.dumps(copied)), others, mine):
        with pytest.raises(ValueError, match="has changed since"):
            stale.save(path)
    pickle.loads(pickle.dumps(again)).save(path)
    mine.save(tmp_path / "elsewhere.json")
    path.unlink()
    mine.save(path)  # nothing is lost
    assert told(path) == 2
    path.write_text("something else")
    with pytest.raises(ValueError, match="has changed since"):
        mine.save(path)


@posix
def test_through_a_link_it_is_the_same_file(tmp_path):
    (tmp_path / "link.json").symlink_to("policy.json")
    mine = policy_of(2)
    mine.save(tmp_path / "link.json")
    policy_of(4).save(tmp_path / "policy.json")
    with pytest.raises(ValueError, match=r"link\.json' has changed since"):
        mine.save(tmp_path / "link.json")


def test_all_is_written_before_it_is_flushed_to_disk(tmp_path, monkeypatch):
    sizes = []

    def fsync(handle):
        if stat.S_ISREG(os.fstat(handle).st_mode):
            sizes.append(os.fstat(handle).st_size)

    monkeypatch.setattr(os, "fsync", fsync)
    new().save(tmp_path / "policy.json")
    assert sizes == [(tmp_path / "policy.json").stat().st_size]


# -- kills and interruptions -----------------------------------------------------------------------

KILLED = """
import copy, json, os, random, signal, sys, time
import maxgap

path, kills = sys.argv[1], int(sys.argv[2])
small = maxgap.RoundRobin(["a", "b"])
large = maxgap.RoundRobin([f"arm {k}" for k in range(60)])
texts = []
for policy in (large, small):
    copy.copy(policy).save(path)
    texts.append(open(path, "rb").read())
folder = os.path.dirname(path)
rng = random.Random(1)
seen, leftovers = [0, 0], 0
for k in range(kills):
    child = os.fork()
    if child == 0:
        while True:
            k += 1
            copy.copy((large, small)[k % 2]).save(path)
    time.sleep(rng.uniform(0.001, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    seen[texts.index(open(path, "rb").read())] += 1
    maxgap.load(path)
    for name in os.listdir(folder):
        if name != os.path.basename(path):
            leftovers += 1
            os.unlink(os.path.join(folder, name))
print(json.dumps([seen, leftovers]))
"""


@posix
def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "policy.json"), "200"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (large, small), leftovers = json.loads(done.stdout)
    assert large + small == 200
    # The kills did fall into savings, at many moments of them.
    assert min(large, small) >= 5
    assert leftovers >= 5
