"""Contrasts as a stopping rule and as a policy: within their errors, and as the others."""

import copy
import inspect
import json
import pickle
import threading

import numpy as np
import pytest
from scipy import stats
from states import digest, rewards_kept

import maxgap
from maxgap import MaxGapContrasts, MaxGapTop2UCB, Policy, RoundRobin, problems, simulate
from maxgap.reference import contrasts as plain

EVERY = [getattr(maxgap, cls) for cls in maxgap.policies.__all__ if cls.startswith(("Max", "R"))]
EVERY += [maxgap.SortThenSearch]
RULES = ["contrasts", "clusters", None]


# -- the guarantee ---------------------------------------------------------------------------------


def ends(cls, means, sigmas, *, delta, runs, budget, seed):
    """How many runs ended with a certificate, and how many of these wrongly."""
    problem = maxgap.Problem(means, sigmas)
    policy = cls(len(means), delta=delta, sigma=sigmas, stopping="contrasts")
    stops = simulate.replicate(
        {"it": policy}, problem, budget=budget, replicates=runs, checkpoints=1, seed=seed, n_jobs=1
    ).stops
    return int(stops["certified"].sum()), int((stops["certified"] & ~stops["correct"]).sum())


@pytest.mark.parametrize("cls", [RoundRobin, MaxGapContrasts])
@pytest.mark.parametrize(
    ("means", "sigmas"),
    [
        ([0.0, 1.0, 2.0001], 0.5),
        ([2.2001, 1.2, 1.1, 0.1], [0.9, 0.2, 0.3, 0.8]),
        ([0.0, 1.0001, 1.2, 2.2], 0.5),
    ],
)
def test_near_ties_are_certified_wrongly_at_most_delta_of_the_time(cls, means, sigmas):
    runs, delta = 250, 0.3
    certified, wrong = ends(cls, means, sigmas, delta=delta, runs=runs, budget=3000, seed=7)
    assert stats.binom.sf(wrong - 1, runs, delta) > 1e-4
    # It is a test of something: the largest gap is found and missed, about as often.
    assert certified > 15
    assert wrong > 0


def test_errors_are_near_enough_to_delta_that_a_far_larger_one_shows():
    # What mistakes in the thresholds would do to the rate above.
    runs = 250
    certified, wrong = ends(
        RoundRobin, [0.0, 1.0, 2.0001], 0.5, delta=0.999, runs=runs, budget=3000, seed=7
    )
    assert wrong > 0.3 * runs
    assert certified > wrong


# -- the policy ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "most"),
    [
        (problems.two_large_gaps(sigma=0.05), 750),
        (problems.stopping_time_family(0.36), 1350),
        (problems.four_arms(0.25, 1.0, 0.5), 570),
        (problems.one_large_gap(2, 8, 1.0, 0.2, 1.0), 2700),
    ],
    ids=["two large", "family", "four arms", "one large"],
)
def test_samples_until_certified(problem, most):
    policy = MaxGapContrasts(problem.n_arms, delta=0.1, sigma=problem.sigmas)
    stops = simulate.replicate(
        {"it": policy}, problem, budget=10**5, replicates=40, checkpoints=1, seed=11, n_jobs=1
    ).stops
    assert stops["certified"].all()
    assert stats.binom.sf((~stops["correct"]).sum() - 1, 40, 0.1) > 1e-3
    assert stops["samples"].median() < 1.1 * most


def rewards_of(problem, rng):
    return lambda arms: [problem.means[a] + problem.sigmas[a] * rng.standard_normal() for a in arms]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("cls", EVERY)
def test_ask_tell_and_the_compiled_run_agree_sample_for_sample(cls, rule):
    problem = maxgap.Problem([0.9, 0.0, 0.1, 0.55, 1.0, 0.05], [0.1, 0.2, 0.1, 0.1, 0.3, 0.1])
    if cls is not MaxGapContrasts and rule != "contrasts":
        return  # held elsewhere
    settings = {"sigma": problem.sigmas, "stopping": rule, "delta": 0.2}
    policy, draw = cls(6, **settings), rewards_of(problem, np.random.default_rng(5))
    samples = 0
    while not policy.stopped and samples < 900:
        arms = policy.ask()[: 900 - samples]
        policy.tell(arms, draw(arms))
        samples += len(arms)
    run = simulate.run(cls(6, **settings), problem, budget=900, rng=np.random.default_rng(5))
    assert policy.counts.tolist() == run.counts.tolist()
    assert (policy.stopped, policy.certified) == (run.stopped, run.certified)
    assert policy.recommend() == run.split


class FewestFirst(Policy):
    """One's own, in plain Python."""

    def choose(self):
        return [self.arms[int(np.argmin(self.counts))]]


def test_every_policy_may_stop_by_contrasts_ones_own_too():
    problem = maxgap.Problem([0.0, 0.2, 2.0, 2.1], 0.3)
    for cls in (*EVERY, FewestFirst):
        policy = cls(4, sigma=0.3, stopping="contrasts")
        run = simulate.run(policy, problem, budget=20_000, rng=np.random.default_rng(1))
        # Some sample one place alone, and what is open is elsewhere: MaxGapUCB's is the boundary.
        assert run.certified or cls in (maxgap.MaxGapUCB, maxgap.SortThenSearch)
        assert run.split.top == {2, 3}


def test_certified_by_contrasts_whatever_the_intervals():
    for confidence in ("authors-lil", lambda n, **_: np.ones_like(n) * 1e-9):
        policy = RoundRobin(3, sigma=0.1, confidence=confidence, stopping="contrasts")
        for _ in range(20):
            policy.tell(range(3), [0.0, 0.1, 5.0])
        assert policy.certified
        policy = RoundRobin(3, sigma=0.1, confidence=confidence, stopping="clusters")
        for _ in range(200):
            policy.tell(range(3), [0.0, 0.1, 5.0])
        assert policy.stopped
        assert not policy.certified


def test_the_answer_is_the_certified_split_though_nested_intervals_have_missed():
    # The first reward pins arm 2 to 0; its mean goes to 9, and the certificate goes by means.
    policy = RoundRobin(3, sigma=0.1, nested=True, stopping="contrasts")
    policy.tell(range(3), [0.0, 0.3, 0.0])
    with (
        pytest.warns(RuntimeWarning, match="no longer meets"),
        pytest.warns(RuntimeWarning, match="not certified: sigma is too small for 2: 0.10"),
    ):
        policy.tell([0, 1, 2] * 30, [0.0, 0.3, 9.0] * 30)
    assert policy.stopped
    assert policy.recommend().top == {2}


def test_it_is_looked_at_again_after_one_sample_in_64():
    # Two arms alike for long: the last look fails, and after one in 64 more the next one holds.
    policy = RoundRobin(2, sigma=1e-3, stopping="contrasts")
    policy.tell([0, 1] * 640, [0.0] * 1280)
    assert not policy.stopped
    for k in range(1, 20):
        policy.tell(k % 2, 1000.0 * (k % 2))
        assert not policy.stopped, k
    with pytest.warns(RuntimeWarning, match=r"sigma is too small for 1.*of 1 are sorted, or drift"):
        policy.tell(0, 0.0)
    assert policy.stopped


def test_told_out_of_turn_and_in_batches_it_keeps_its_aims():
    rng = np.random.default_rng(4)
    problem = problems.four_arms(0.25, 1.0, 0.5)
    policy, draw = MaxGapContrasts(4, sigma=0.5, delta=0.1), rewards_of(problem, rng)
    while not policy.stopped:
        asked = policy.ask()
        assert policy.ask() == asked == sorted(set(asked))
        extra = rng.integers(0, 4, rng.integers(0, 5)).tolist()
        policy.tell(asked + extra, draw(asked + extra))
        assert set(policy.ask()) <= set(range(4))
        assert policy.counts.sum() < 20_000
    assert policy.certified


@pytest.mark.parametrize("cls", [MaxGapContrasts, MaxGapTop2UCB])
def test_saved_copied_pickled_it_goes_on_as_if_never_stopped(cls, tmp_path):
    problem = problems.four_arms(0.25, 1.0, 0.5)
    rng = np.random.default_rng(8)
    draw = rewards_of(problem, rng)
    policy = cls(list("abcd"), sigma=0.5, delta=0.1, stopping="contrasts")
    place = {label: arm for arm, label in enumerate("abcd")}
    for k in range(10**5):
        if policy.stopped:
            break
        arms = policy.ask()
        rewards = draw([place[label] for label in arms])
        if k in (0, 1, 3, 40, 100, 300):
            policy.save(tmp_path / "policy.json")
            others = [maxgap.load(tmp_path / "policy.json"), copy.copy(policy)]
            others += [pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)]
            for other in others:
                assert other.ask() == arms
                other.tell(arms, rewards)
        policy.tell(arms, rewards)
        if k in (0, 1, 3, 40, 100, 300):
            policy.save(tmp_path / "now.json")
            now = (tmp_path / "now.json").read_text(encoding="utf-8")
            for other in others:
                other.save(tmp_path / "other.json")
                assert (tmp_path / "other.json").read_text(encoding="utf-8") == now
    assert policy.certified
    policy.save(tmp_path / "policy.json")
    loaded = maxgap.load(tmp_path / "policy.json")
    assert loaded.certified
    assert loaded.recommend() == policy.recommend()
    loaded.tell("a", 1e6)  # later rewards count in the means; the answer stays
    assert loaded.recommend().top == policy.recommend().top


def edited(policy, tmp_path, edit):
    """The file of a policy after an edit, with the checksum that fits."""
    policy.save(tmp_path / "policy.json")
    document = json.loads((tmp_path / "policy.json").read_text(encoding="utf-8"))
    edit(document["policy"])
    document["sha256"] = digest(document["policy"])
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def _set(name, place, value):
    def edit(content):
        content[name][place] = value

    return edit


def _reward(value):
    def edit(content):
        content["prefix_sums"][1][2] = value

    return edit


@pytest.mark.parametrize(
    "edit",
    [
        _set("aims", 0, -1),
        _set("aims", 0, 2**40),
        _set("aims", 0, 2**63),
        _set("aims", 0, 1.0),
        lambda content: content.update(aims=[0, 0, 0]),
        lambda content: content.update(aims=[0, 0]),
        lambda content: content.pop("aims"),
        lambda content: content.pop("prefix_sums"),
        lambda content: content["prefix_sums"].pop(),
        lambda content: content["prefix_sums"][0].pop(),
        lambda content: content["prefix_sums"][0].append(1.0),
        _set("prefix_sums", 2, None),
        _set("prefix_sums", 2, [1.0]),
        _reward(None),
        _reward(1),
        _reward(1e302),
        lambda content: content["prefix_sums"][1].__setitem__(-1, 7.0),
        lambda content: content.update(origin=None),
        lambda content: content.update(origin=0.5),
        lambda content: content.pop("origin"),
        lambda content: content.update(last_look=-1),
        lambda content: content.update(last_look=10**6),
        lambda content: content.pop("last_look"),
    ],
)
def test_a_file_with_other_rewards_or_aims_is_refused(edit, tmp_path):
    policy = MaxGapContrasts(3, sigma=1.0)
    for _ in range(9):
        arms = policy.ask()
        policy.tell(arms, [0.1 * arm for arm in arms])
    assert not policy.stopped
    assert maxgap.load(edited(policy, tmp_path, lambda content: None)).ask() == policy.ask()
    with pytest.raises(ValueError, match=r"edited\.json"):
        maxgap.load(edited(policy, tmp_path, edit))


def test_a_file_of_another_policy_has_no_aims(tmp_path):
    policy = RoundRobin(3, stopping="contrasts")
    policy.tell(range(3), [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="aims"):
        maxgap.load(edited(policy, tmp_path, _set("aims", 0, 3)))


def test_many_threads_may_tell_it():
    policy = MaxGapContrasts(5, stopping=None)

    def tell():
        for k in range(200):
            policy.tell([k % 5, (k + 1) % 5], [0.0, 1.0])

    threads = [threading.Thread(target=tell) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert policy.counts.tolist() == [320] * 5
    ends, _ = rewards_kept(policy)
    np.testing.assert_allclose(ends, 320 * policy.means, rtol=1e-9)


# -- memory and time -------------------------------------------------------------------------------


def test_memory_grows_with_the_rewards_and_no_faster():
    rng = np.random.default_rng(6)
    policy = RoundRobin(50, stopping="contrasts")
    for n in (50, 500, 20_000):
        # One arm has most of them.
        arms = np.where(rng.random(n) < 0.9, 7, rng.integers(0, 50, n))
        policy.tell(arms, rng.normal(size=n))
        total = policy.counts.sum()
        assert rewards_kept(policy)[1].size <= 2 * total + 50 * 9
    moves = 0
    before = rewards_kept(policy)[1]
    for _ in range(3000):
        policy.tell(7, 0.0)
        moves += rewards_kept(policy)[1] is not before
        before = rewards_kept(policy)[1]
    assert moves <= 2


def test_who_does_not_look_back_keeps_nothing():
    policy = RoundRobin(5)
    policy.tell([0, 1] * 100, [0.0, 1.0] * 100)
    ends, kept = rewards_kept(policy)
    assert ends.size == kept.size == 0


def test_the_conditions_are_said_where_the_certificate_is_used():
    for documented in (Policy.certified, maxgap.stopping.Contrasts, plain):
        assert "independent" in inspect.getdoc(documented)


def test_of_48_arms_it_agrees_with_the_compiled_run():
    # Two wide gaps among others, enough noise that distances are priced and sampled.
    means = np.cumsum([0.0] + [0.25] * 22 + [1.0] + [0.25] * 22 + [1.3, 0.25])
    problem = maxgap.Problem(means, 0.6)
    settings = {"sigma": problem.sigmas, "delta": 0.1}
    policy, draw = MaxGapContrasts(48, **settings), rewards_of(problem, np.random.default_rng(3))
    while not policy.stopped and policy.counts.sum() < 20_000:
        arms = policy.ask()
        policy.tell(arms, draw(arms))
    run = simulate.run(
        MaxGapContrasts(48, **settings), problem, budget=20_000, rng=np.random.default_rng(3)
    )
    assert policy.counts.tolist() == run.counts.tolist()
    assert run.certified
    assert run.correct


@pytest.mark.parametrize("cls", [RoundRobin, MaxGapContrasts])
@pytest.mark.parametrize("offset", [1.7e12, 1e15])
def test_rewards_far_from_zero_certify_as_those_around_it_do(cls, offset):
    # Eighths are exact at every offset, so all that a contrast looks at is the same to the bit.
    for seed, top in enumerate((1.0, 2.0, 11.0)):
        rng = np.random.default_rng(seed)
        near, far = (cls(3, delta=0.1, stopping="contrasts") for _ in range(2))
        for _ in range(60):
            arms = rng.permutation(np.repeat(np.arange(3), 20))
            rewards = np.array([0.0, 8.0, 16.0 + top])[arms] + rng.integers(-8, 9, 60) / 8
            near.tell(arms, rewards)
            far.tell(arms, rewards + offset)
            assert (far.stopped, far.certified) == (near.stopped, near.certified)
        assert near.certified
        assert far.recommend().top == near.recommend().top


def test_a_drift_of_rounded_sums_certifies_nothing_far_from_zero():
    # Means 0, 11, 22.0001: nearly tied. Unless centred, sums of 12,000 rewards are rounded to 4.
    for seed in range(8):
        rng = np.random.default_rng(seed)
        policy = RoundRobin(3, delta=0.1, stopping="contrasts")
        for _ in range(30):
            arms = np.tile(np.arange(3), 400)
            means = np.array([0.0, 11.0, 22.0001])[arms]
            policy.tell(arms, 1.7e12 + means + rng.standard_normal(arms.size))
        assert not policy.certified
