"""One policy in many threads: no crash, every accepted reward counts, every saved file loads."""

import copy
import pickle
import sys
import threading
import time

import numpy as np
import pytest
from states import lock_of

import maxgap
from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, RoundRobin, SortThenSearch

CLASSES = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]
N_THREADS = 8


@pytest.fixture(autouse=True)
def _threads_change_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(*workers):
    """Run all at once; the first error of any of them is raised."""
    errors = []
    start = threading.Barrier(len(workers))

    def guarded(work):
        try:
            start.wait()
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def plain(policy, told):
    """Counts and means from the rewards by arm, added up in the plainest way."""
    counts, sums = np.zeros(len(policy.arms), int), np.zeros(len(policy.arms))
    for arm, reward in told:
        counts[arm] += 1
        sums[arm] += reward
    return counts, sums / np.maximum(counts, 1)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(("n_arms", "batch"), [(2, 1), (24, 1), (24, 24), (2000, 1), (2000, 90)])
def test_every_reward_counts_whoever_tells_asks_saves_and_reports(cls, n_arms, batch, tmp_path):
    policy = cls(n_arms, sigma=0.5)
    rng = np.random.default_rng(n_arms)
    first = rng.standard_normal(n_arms)
    policy.tell(range(n_arms), first)
    n_tells = 300 if batch == 1 else 60
    told = [
        [
            (int(arm), float(reward))
            for arm, reward in zip(
                rng.integers(n_arms, size=n_tells * batch),
                rng.standard_normal(n_tells * batch),
                strict=True,
            )
        ]
        for _ in range(N_THREADS)
    ]

    def teller(mine):
        def work():
            for k in range(0, len(mine), batch):
                arms, rewards = zip(*mine[k : k + batch], strict=True)
                policy.tell(arms, rewards)

        return work

    running = threading.Event()
    loaded = []

    def keeper():
        path = tmp_path / "policy.json"
        while not running.is_set():
            policy.save(path)
            back = maxgap.load(path)
            assert back.ask() == back.ask()
            loaded.append(int(back.counts.sum()))

    def reader():
        while not running.is_set():
            asked = policy.ask()
            assert len(set(asked)) == len(asked)
            # A report is of one moment: its intervals lie around its means.
            report = policy.report()
            assert (report["lower"] <= report["mean"]).all()
            assert (report["mean"] <= report["upper"]).all()
            split = policy.recommend()
            assert split.top | split.bottom == set(range(n_arms))
            again = pickle.loads(pickle.dumps(policy))
            assert again.counts.sum() >= n_arms
            policy.gap_lower(), policy.certified, repr(policy)

    readers = [threading.Thread(target=work) for work in (keeper, reader)]
    failed = []
    threading.excepthook, hook = lambda args: failed.append(args), threading.excepthook
    try:
        for thread in readers:
            thread.start()
        together(*map(teller, told))
    finally:
        running.set()
        for thread in readers:
            thread.join()
        threading.excepthook = hook
    assert failed == []
    assert loaded == sorted(loaded)

    everything = [*enumerate(first), *(pair for mine in told for pair in mine)]
    counts, means = plain(policy, everything)
    assert policy.counts.tolist() == counts.tolist()
    np.testing.assert_allclose(policy.means, means, atol=1e-12)
    # Every arm is still there, in its place: one more look at all of them decides as a new one.
    policy.save(tmp_path / "end.json")
    fresh = maxgap.load(tmp_path / "end.json")
    policy.tell(0, 0.0)
    fresh.tell(0, 0.0)
    assert policy.ask() == fresh.ask()
    assert policy.stopped == fresh.stopped


def test_two_saves_at_once_leave_the_later_state(tmp_path):
    policy = RoundRobin(50)
    path = tmp_path / "policy.json"

    def worker():
        for _ in range(20):
            policy.tell(range(50), np.zeros(50))
            policy.save(path)

    together(*[worker] * 4)
    assert maxgap.load(path).counts.tolist() == [80] * 50
    assert [entry.name for entry in tmp_path.iterdir()] == ["policy.json"]


def test_the_lock_costs_less_than_a_fiftieth_of_a_batch_of_ninety():
    policy = MaxGapUCB(90, sigma=0.05)
    rng = np.random.default_rng(1)
    arms, means = list(range(90)), np.linspace(0, 1, 90)
    rewards = [means + 0.05 * rng.standard_normal(90) for _ in range(200)]
    lock = lock_of(policy)

    def batches():
        for values in rewards:
            policy.tell(arms, values)

    def locks():
        for _ in rewards:
            with lock:
                pass

    batches()
    shares = []
    for _ in range(5):
        times = []
        for work in (batches, locks):
            start = time.thread_time()
            work()
            times.append(time.thread_time() - start)
        shares.append(times[1] / times[0])
    assert min(shares) < 0.02


def pickled(policy):
    return pickle.loads(pickle.dumps(policy))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled])
@pytest.mark.parametrize("cls", CLASSES)
def test_a_copy_and_its_original_go_separate_ways(duplicate, cls):
    policy = cls(["a", "b", "c"], sigma=0.1)
    policy.tell(["a", "b", "c"], [0.0, 0.5, 0.6])
    other = duplicate(policy)
    before = policy.report()
    asked = policy.ask()
    for _ in range(30):
        other.tell(["a", "b", "c"], [0.0, 0.55, 0.6])
    assert policy.report().equals(before)
    assert policy.ask() == asked
    assert not policy.stopped
    policy.tell("a", 0.1)
    assert other.counts.tolist() == [31, 31, 31]
    assert policy.counts.tolist() == [2, 1, 1]
    with pytest.raises(ValueError, match="unknown label"):
        other.tell("d", 0.0)


def test_a_copy_keeps_its_class_and_answer():
    policy = MaxGapTop2UCB(3, sigma=0.01)
    policy.tell([0, 1, 2], [0.0, 0.1, 1.0])
    other = copy.copy(policy)
    assert type(other) is MaxGapTop2UCB
    assert (other.stopped, other.certified) == (True, True)
    assert other.recommend() == policy.recommend()
