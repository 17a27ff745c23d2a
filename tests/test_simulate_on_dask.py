"""Many machines: a study on a Dask cluster, here two worker processes, one of which is killed."""

import json
import os
import pickle
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from processes import assert_same, descendants, linux, runs, started

from maxgap import MaxGapTop2UCB, Problem, RoundRobin, simulate

ROOT = Path(__file__).parent.parent

#: More checkpoints than joblib hands out with a task: an array of a kilobyte it would give away.
CHECKPOINTS = 300


def study(policies=(RoundRobin, MaxGapTop2UCB), budget=40_000, **how):
    problem = Problem([0.9, 0.0, 0.1, 0.55, 1.0, 0.05], 0.3)
    return simulate.replicate(
        {cls.__name__: cls(6, sigma=0.3, stopping=None) for cls in policies},
        problem,
        budget=budget,
        replicates=240,
        checkpoints=CHECKPOINTS,
        seed=42,
        **how,
    )


#: In a process of its own, so that whatever hangs can be ended, and all below it.
CLUSTER = """
import json, os, pickle, signal, sys, time
import joblib
from distributed import Client, LocalCluster
from test_simulate_on_dask import study

def done():
    return list(client.run(lambda dask_worker: dask_worker.state.executed_count).values())

def kill_a_busy_worker(pieces, total):
    at = 0
    for piece in pieces:
        at += 1
        if at == 1:
            pids = client.run(os.getpid)
            said["handed out"] = [str(key) for key in client.who_has()]
            busy = {}
            while not busy:
                busy = {at: keys for at, keys in client.processing().items() if keys}
            worker = max(busy, key=lambda address: len(busy[address]))
            os.kill(pids[worker], signal.SIGKILL)
            said["killed"] = pids[worker]
        yield piece
    said["pieces"] = [at, total]

cluster = LocalCluster(
    n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
)
with cluster, Client(cluster) as client, joblib.parallel_config(backend="dask"):
    said, studies = {}, {}
    said["pids"] = list(client.run(os.getpid).values())
    studies["whole"] = study()
    said["done"] = done()
    studies["one worker killed"] = study(progress=kill_a_busy_worker)
    client.wait_for_workers(2, timeout=60)
    said["pids after"] = list(client.run(os.getpid).values())
    studies["n_jobs is the cluster's"] = study(n_jobs=1)
with open(sys.argv[1], "wb") as file:
    pickle.dump(studies, file)
print(json.dumps(said))
"""


def ended(process, below=()):
    """Whatever is left of it is ended, so that a failing test leaves nothing behind either."""
    for pid in [process.pid, *below, *descendants(process.pid)]:
        if runs(pid):
            os.kill(pid, signal.SIGKILL)


def left(pids, seconds=20):
    """Which of these still run after so many seconds at most."""
    deadline = time.monotonic() + seconds
    while any(map(runs, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return [pid for pid in pids if runs(pid)]


@pytest.fixture(scope="module")
def on_a_cluster(tmp_path_factory):
    """What a cluster found and said."""
    path = tmp_path_factory.mktemp("dask") / "studies"
    with started(CLUSTER, str(path), cwd=ROOT / "tests") as process:
        try:
            out, errors = process.communicate(timeout=300)
        finally:
            ended(process)
    assert process.returncode == 0, errors
    return pickle.loads(path.read_bytes()), json.loads(out)


@pytest.fixture(scope="module")
def serial():
    return study(n_jobs=1)


@linux
def test_a_study_on_a_cluster_is_the_same_as_without(on_a_cluster, serial):
    studies, said = on_a_cluster
    assert_same(studies["whole"], serial)
    assert_same(studies["n_jobs is the cluster's"], serial)
    assert len(said["done"]) == 2
    assert min(said["done"]) > 0  # both had a part in it


@linux
def test_a_killed_worker_changes_nothing(on_a_cluster, serial):
    studies, said = on_a_cluster
    assert_same(studies["one worker killed"], serial)
    assert said["killed"] in said["pids"]
    assert said["killed"] not in said["pids after"]
    assert len(said["pids after"]) == 2
    assert said["pieces"] == [60, 60]


@linux
def test_workers_hold_nothing_that_cannot_be_made_again(on_a_cluster):
    # Results of pieces only: of data that the client gave to one worker nothing else has a copy.
    handed_out = on_a_cluster[1]["handed out"]
    assert [key for key in handed_out if not key.startswith("batch_of__piece_")] == []


@linux
def test_no_worker_outlives_its_cluster(on_a_cluster):
    said = on_a_cluster[1]
    assert left([*said["pids"], *said["pids after"]]) == []


INTERRUPTED = """
import os
import joblib
from distributed import Client, LocalCluster
from test_simulate_on_dask import study

cluster = LocalCluster(
    n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
)
with cluster, Client(cluster), joblib.parallel_config(backend="dask"):
    study(budget=1000)
    print("ready", flush=True)
    study(budget=10**11)
"""


@linux
@pytest.mark.parametrize("whom", ["process", "group"])
def test_an_interrupted_study_on_a_cluster_leaves_no_worker_behind(whom, tmp_path):
    workers = []
    with started(INTERRUPTED, cwd=ROOT / "tests") as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(1)
            workers = descendants(process.pid)
            assert len(workers) >= 2
            (os.killpg if whom == "group" else os.kill)(process.pid, signal.SIGINT)
            _, errors = process.communicate(timeout=200)
            assert "KeyboardInterrupt" in errors
            assert process.returncode != 0
            assert left(workers) == []
        finally:
            ended(process, workers)


# -- a million replicates, planned by measurement ----------------------------------------------

ON_THE_PAGE = """
import sys
from distributed import LocalCluster

code = sys.stdin.read()
with LocalCluster(
    n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
) as cluster:
    small = code.replace("1_000_000", "80").replace("20_000", "2_000")
    assert small != code
    exec(small.replace("scheduler-address:8786", cluster.scheduler_address))
"""


@linux
def test_the_page_s_study_on_a_cluster_runs():
    page = (ROOT / "book" / "reproduce.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    with started(ON_THE_PAGE, stdin=subprocess.PIPE) as process:
        try:
            out, errors = process.communicate(code, timeout=200)
        finally:
            ended(process)
    assert process.returncode == 0, errors
    assert re.findall("RoundRobin|MaxGapUCB", out) == ["RoundRobin", "MaxGapUCB"]
