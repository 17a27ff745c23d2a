"""Rewards kept to look back at: in files, in memory, in many threads."""

import copy
import inspect
import json
import pickle
import threading

import numpy as np
import pytest
from states import digest, rewards_kept

import maxgap
from maxgap import MaxGapContrasts, MaxGapTop2UCB, Policy, RoundRobin, problems
from maxgap.contrasts import plain

# -- the policy ------------------------------------------------------------------------------------


def rewards_of(problem, rng):
    return lambda arms: [problem.means[a] + problem.sigmas[a] * rng.standard_normal() for a in arms]


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
