"""Saved files of states that no policy can be in are refused, whatever their checksum."""

import itertools
import json
import warnings

import numpy as np
import pytest
import states as core
from hypothesis import given, settings
from hypothesis import strategies as st
from states import digest

import maxgap
from maxgap import (
    MaxGapContrasts,
    MaxGapElim,
    MaxGapTop2UCB,
    MaxGapUCB,
    RoundRobin,
    SortThenSearch,
)

LABELS = ["a", "b", "c", "d"]
MEANS = [0.0, 0.1, 1.0, 1.1]


def told(cls, rounds=3, more=0, **settings):
    """A policy that has been told so many rounds of what it asked, and more of every arm."""
    policy = cls(LABELS, **{"sigma": 0.01, **settings})
    for k in range(rounds + more):
        arms = policy.ask() if k < rounds else LABELS
        policy.tell(arms, [MEANS[LABELS.index(arm)] + 0.001 * (k % 2) for arm in arms])
    return policy


def unsampled(cls=MaxGapTop2UCB, **settings):
    policy = cls(LABELS, **{"sigma": 0.01, **settings})
    policy.tell(["a", "b", "d", "a"], [0.0, 0.1, 1.1, 0.0])
    return policy


LEARNING = {"confidence": "empirical-bernstein", "sigma": 1.0}
BASES = {
    "unsampled": unsampled,
    "unsampled elim": lambda: unsampled(MaxGapElim),
    "unsampled sort": lambda: unsampled(SortThenSearch),
    "unsampled nested": lambda: unsampled(nested=True),
    "unsampled learning": lambda: unsampled(**LEARNING),
    "unsampled robin": lambda: unsampled(RoundRobin, stopping="contrasts"),
    "running": lambda: told(MaxGapTop2UCB, stopping=None),
    "running once": lambda: told(MaxGapTop2UCB, rounds=1, sigma=1.0),
    "running nested": lambda: told(MaxGapTop2UCB, stopping=None, nested=True),
    "running elim": lambda: told(MaxGapElim, stopping=None, sigma=0.1, rounds=30),
    "running elim once": lambda: told(MaxGapElim, rounds=1, stopping=None, sigma=0.001),
    "running learning": lambda: told(RoundRobin, stopping=None, **LEARNING),
    "running bounded": lambda: told(
        RoundRobin, stopping=None, confidence="normal-mixture", sigma=1.0, bounds=(-1.0, 2.0)
    ),
    "running robin": lambda: told(RoundRobin, rounds=20, stopping="contrasts", sigma=1.0),
    "running aims": lambda: told(MaxGapContrasts, rounds=20, sigma=1.0),
    "running either": lambda: told(MaxGapContrasts, rounds=9, stopping="either", **LEARNING),
    "running never": lambda: told(MaxGapContrasts, rounds=20, stopping=None),
    "certified": lambda: told(MaxGapTop2UCB, rounds=20),
    "certified later": lambda: told(MaxGapTop2UCB, more=3),
    "certified nested": lambda: told(MaxGapTop2UCB, more=3, nested=True),
    "certified elim": lambda: told(MaxGapElim, rounds=20, stopping="paper"),
    "certified robin": lambda: told(RoundRobin, rounds=120, stopping="contrasts"),
    "certified sort": lambda: told(SortThenSearch, rounds=120, stopping="clusters", more=1),
    "paper": lambda: told(MaxGapUCB, rounds=40, c=2.0),
    "literal top2": lambda: told(MaxGapTop2UCB, rounds=40, stopping="literal"),
    "literal elim": lambda: told(MaxGapElim, rounds=40, stopping="literal"),
    "searched": lambda: told(SortThenSearch, rounds=60, stopping="paper", more=1),
    "searching": lambda: told(SortThenSearch, rounds=8, stopping=None),
    "sorting": lambda: told(SortThenSearch, rounds=8, stopping=None, sigma=1.0),
}

TOP = [False, False, True, True]
# No list, and entries, that any file may hold: not finite, not whole, not of the type.
NO_LISTS = [None, 0, 1.0, "0000", {}, [], [[0], 0, 0, 0], [None, "0", 0, 0], [0] * 3, [0] * 5]
LISTS = ("counts", "means", "scatter", "lower", "upper", "active", "sequence", "aims")
LISTS += ("squares", "lowest", "highest", "prefix_sums")

# (state, what is changed in it): the whole, an entry (list, place, ...), or None to leave it out.
FORGERIES = [
    # A guarantee nobody has given.
    ("running", {"top": TOP}),
    ("running nested", {"top": TOP}),
    ("running never", {"top": TOP}),
    ("running once", {"top": TOP}),
    ("unsampled", {"top": TOP}),
    ("unsampled robin", {"top": TOP}),
    ("searching", {"top": TOP}),
    ("paper", {"stopping": None}),
    ("paper", {"stopping": "either"}),
    ("certified", {"stopping": "paper"}),
    ("certified", {"stopping": None}),
    ("certified", {"class": "RoundRobin", "stopping": "paper"}),
    ("certified later", {"stopping": None}),
    ("certified later", {"stopping": "contrasts"}),
    ("certified robin", {"stopping": "clusters"}),
    ("certified", {("top", 1): True}),
    ("certified nested", {"top": [True, False, True, True]}),
    ("certified nested", {"top": [True, False, False, False]}),
    ("certified nested", {("upper", 1): 2.0, ("lower", 2): -1.0}),
    # A rule that holds, and yet it goes on.
    ("certified", {"top": None}),
    ("certified later", {"top": None}),
    ("certified nested", {"top": None}),
    ("certified robin", {"top": None}),
    ("paper", {"top": None}),
    ("literal top2", {"top": None}),
    ("literal elim", {"top": None}),
    ("searched", {"top": None, "sequence": None}),
    ("running", {"stopping": "clusters"}),
    ("running elim once", {"stopping": "clusters"}),
    # No answer, or all is the answer.
    *(
        (base, {"top": [all_of_them] * 4})
        for base in ("certified", "certified later", "certified nested", "certified elim", "paper")
        for all_of_them in (False, True)
    ),
    ("certified", {"top": [0, 0, 1, 1]}),
    ("certified", {"top": [False, True]}),
    ("certified", {"top": "0011"}),
    # Intervals where they are not kept, of arms without a sample, turned inside out, too wide.
    ("running", {"lower": [0.0] * 4, "upper": [1.2] * 4}),
    ("running", {"crossed": False}),
    ("running", {"crossed": True}),
    ("unsampled nested", {("lower", 2): -5.0}),
    ("unsampled nested", {("upper", 2): 5.0}),
    ("unsampled nested", {("lower", 2): -5.0, ("upper", 2): 5.0}),
    ("unsampled nested", {("lower", 2): -1e300, ("upper", 2): 1e300}),
    ("running nested", {("lower", 0): 9.0}),
    ("running nested", {("upper", 3): -9.0}),
    ("running nested", {("lower", 0): None}),
    ("running nested", {("upper", 3): None}),
    ("running nested", {("lower", 0): None, ("upper", 0): None, "crossed": True}),
    ("running nested", {("lower", 0): 9.0, "crossed": True}),
    ("running nested", {("lower", 0): -1.7e308}),
    ("running nested", {("lower", 0): -1.7e308, ("upper", 0): 1.7e308}),
    ("running nested", {("lower", 0): -1.0}),
    ("running nested", {("upper", 3): 3.0}),
    *(("running nested", {"crossed": value}) for value in (2, -1, 0, 1, None, "no", [True])),
    # Counts that are none, and those of another run.
    *(
        (base, {("counts", 1): value})
        for base in ("unsampled", "running", "running nested", "running robin", "certified robin")
        for value in (-1, 0, 2**62, 2**63 - 1, 2**63, -(2**63) - 1, 2**70, True, 3.0, None, "3")
    ),
    ("unsampled", {("counts", 2): -1, ("counts", 0): 4}),
    ("unsampled", {("means", 2): 0.5}),
    ("unsampled", {("scatter", 2): 0.5}),
    ("unsampled", {("scatter", 1): 0.5}),
    ("running once", {("counts", 1): 0}),
    # Means and scatter that are none.
    ("running", {("means", 0): 1.1e300}),
    ("running", {("means", 0): -1.1e300}),
    ("running", {("means", 0): 1.7e308}),
    ("running", {("means", 0): None}),
    ("running", {("means", 0): 0}),
    ("running", {("scatter", 0): -1e-9}),
    ("running", {("scatter", 0): 1}),
    ("running", {("scatter", 0): "inf"}),
    # Arms dropped, and orders known, too early or by others.
    ("unsampled elim", {("active", 0): False}),
    ("running", {"active": [True] * 4}),
    ("running elim", {"active": [False] * 4}),
    ("running elim", {"active": [True, False, False, False]}),
    ("running elim", {"active": [1, 1, 1, 1]}),
    ("running elim once", {"active": [True] * 4}),
    ("running elim once", {"active": [False, True, False, True]}),
    ("running", {"sequence": None}),
    ("running", {"sequence": [0, 1, 2, 3]}),
    ("unsampled sort", {"sequence": [0, 1, 2, 3]}),
    ("searching", {"sequence": None}),
    ("searching", {"sequence": [0, 1, 2, 2]}),
    ("searching", {"sequence": [1, 2, 3, 4]}),
    ("searching", {"sequence": [-1, 0, 1, 2]}),
    ("searching", {"sequence": [0, 1, 2, 2**63]}),
    ("searching", {"sequence": [False, True, 2, 3]}),
    ("searching", {"sequence": [0.0, 1, 2, 3]}),
    ("sorting", {"sequence": []}),
    ("searched", {"sequence": None}),
    ("certified sort", {"sequence": None}),
    # Looks yet to come, those that have been, and those of others.
    *(
        ("running robin", {"last_look": value})
        for value in (-1, 0, 1, 81, 10**6, 2**63, 2**70, 80.0, True, None)
    ),
    ("unsampled robin", {"last_look": 4}),
    ("running never", {"last_look": 4}),
    ("certified robin", {"last_look": 0}),
    ("certified robin", {"last_look": 10**6}),
    ("certified robin", {"last_look": -1}),
    ("running", {"last_look": 4}),
    # Aims out of reach, reached, or of others.
    *(
        ("running aims", {("aims", 0): value})
        for value in (-1, -(2**63), 2**40, 2**63, 2**70, 1.0, True, None)
    ),
    ("running aims", {"aims": [0] * 4}),
    ("running aims", {"aims": [1] * 4}),
    ("running robin", {("aims", 0): 1}),
    ("running", {"aims": [0] * 4}),
    # Rewards that do not fit.
    ("running robin", {"origin": None}),
    ("running robin", {"origin": 7.0}),
    ("running robin", {"origin": 0}),
    ("running robin", {("prefix_sums", 1, -1): 7.0}),
    ("running robin", {("prefix_sums", 1, 3): 1.7e308, ("prefix_sums", 1, 4): -1.7e308}),
    ("running robin", {("prefix_sums", 1, 3): None}),
    ("running robin", {("prefix_sums", 1, 3): 1}),
    ("running robin", {("prefix_sums", 1): [0.1]}),
    ("running robin", {("prefix_sums", 1): None}),
    ("running", {"prefix_sums": [[]] * 4}),
    # Sums that no rewards have.
    *(
        ("running learning", {(name, 0): value})
        for name in ("squares", "lowest", "highest")
        for value in (-1.7e308, 1.7e308, 10.0, -10.0, 0, True, None)
    ),
    ("running learning", {("lowest", 0): 0.5, ("highest", 0): 0.4}),
    ("running learning", {("lowest", 0): -1.7e308, ("highest", 0): 1.7e308}),
    ("unsampled learning", {("squares", 1): 0.1}),
    ("unsampled learning", {("squares", 2): 0.1}),
    ("unsampled learning", {("lowest", 1): 0.0}),
    ("unsampled learning", {("highest", 1): 0.2}),
    ("unsampled learning", {("highest", 2): 0.2}),
    ("running", {"squares": [0.0] * 4}),
    # Settings of others, and more than one.
    ("running", {"c": 5.0}),
    ("paper", {"c": 0.0}),
    ("paper", {"c": 2}),
    ("paper", {"c": None}),
    ("running bounded", {"sigma": 1.0}),
    ("running bounded", {"bounds": None, "sigma": 0}),
    ("running bounded", {"bounds": [-1, 2]}),
    ("running bounded", {"bounds": []}),
    ("running", {"class": "Policy"}),
    ("running", {"class": "MaxGapPartition"}),
    ("running", {"numbers": [0] * 9}),
    ("running", {"next_arms": [0, 1, 2, 3]}),
]


def forged(base, edits):
    content = json.loads(json.dumps(core.content_of(BASES[base]())))
    for what, value in edits.items():
        *path, last = what if isinstance(what, tuple) else (what,)
        inside = content
        for step in path:
            inside = inside[step]
        inside[last] = value
    return in_a_document(content)


def in_a_document(content):
    return {
        "format": core.FORMAT,
        "version": core.FORMAT_VERSION,
        "sha256": digest(content),
        "policy": content,
    }


def written(document, tmp_path):
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize("base", BASES)
def test_the_states_themselves_are_taken(base, tmp_path):
    policy = BASES[base]()
    loaded = maxgap.load(written(forged(base, {}), tmp_path))
    running = base.startswith(("unsampled", "running", "searching", "sorting"))
    assert loaded.stopped == policy.stopped == (not running)
    assert loaded.certified == policy.certified == base.startswith("certified")
    assert loaded.ask() == policy.ask()


def test_the_largest_mean_that_rewards_can_give_is_taken(tmp_path):
    policy = RoundRobin(LABELS)
    policy.tell(["a", "b"], [1e300, -1e300])
    policy.save(tmp_path / "policy.json")
    assert maxgap.load(tmp_path / "policy.json").means.tolist() == [1e300, -1e300, 0, 0]


@pytest.mark.parametrize(("base", "edits"), FORGERIES, ids=str)
def test_a_forged_state_is_refused(base, edits, tmp_path):
    document = forged(base, edits)
    assert json.dumps(document) != json.dumps(forged(base, {}))
    with pytest.raises(ValueError, match=r"forged\.json"):
        maxgap.load(written(document, tmp_path))


@pytest.mark.parametrize("base", BASES)
def test_a_file_that_lacks_a_part_or_has_no_list_there_is_refused(base, tmp_path):
    content = forged(base, {})["policy"]
    for name in content:
        lacking = {key: value for key, value in content.items() if key != name}
        with pytest.raises(ValueError, match=r"forged\.json"):
            maxgap.load(written(in_a_document(lacking), tmp_path))
    for name, value in itertools.product(set(LISTS) & set(content), NO_LISTS):
        if value != content[name]:
            with pytest.raises(ValueError, match=r"forged\.json"):
                maxgap.load(written(forged(base, {name: value}), tmp_path))


def test_counts_that_no_memory_holds_are_refused_by_name(tmp_path, monkeypatch):
    def full(*_):
        raise MemoryError

    path = written(forged("running", {}), tmp_path)
    monkeypatch.setattr("maxgap.engine.state.ByCount.grown", full)
    with pytest.raises(ValueError, match=r"forged\.json"):
        maxgap.load(path)


# -- what is true is taken, and goes on ------------------------------------------------------------

BOUNDED = {"bounds": (-9.0, 9.0)}
SETTINGS = [
    (RoundRobin, {"stopping": "clusters", "sigma": 1.0, "confidence": "empirical-bernstein"}),
    (RoundRobin, {"stopping": "contrasts", "sigma": 0.1}),
    (SortThenSearch, {"stopping": "paper", "sigma": [0.05, 0.1, 0.3, 0.2]}),
    (MaxGapElim, {"stopping": "paper", "sigma": 0.1}),
    (MaxGapElim, {"stopping": None, **BOUNDED}),
    (MaxGapUCB, {"stopping": "literal", "sigma": 0.1, "c": 2.0}),
    (MaxGapTop2UCB, {"stopping": "paper", "sigma": [0.05, 0.1, 0.3, 0.2]}),
    (MaxGapTop2UCB, {"stopping": "either", "confidence": "normal-mixture", **BOUNDED}),
    (MaxGapContrasts, {"stopping": "contrasts", "sigma": 0.1}),
    (MaxGapContrasts, {"stopping": "either", **BOUNDED}),
    (MaxGapContrasts, {"stopping": None, "sigma": 0.1}),
]


def shown(policy):
    ends = policy.lower.tolist(), policy.upper.tolist()
    return policy.ask(), policy.stopped, policy.certified, policy.objections, ends


@pytest.mark.parametrize(("cls", "how"), SETTINGS, ids=str)
@settings(max_examples=15)
@given(
    nested=st.booleans(),
    spread=st.sampled_from([0.0, 0.05, 0.4]),
    seed=st.integers(0, 2**32),
)
def test_at_every_step_a_loaded_policy_goes_on_as_the_one_that_was_saved(
    cls, how, nested, spread, seed, tmp_path_factory
):
    path = tmp_path_factory.mktemp("policies") / "policy.json"
    rng = np.random.default_rng(seed)
    policy = cls(LABELS, nested=nested, delta=0.2, **how)
    others = []
    for step in range(30):
        if step < 8 or step % 6 == 0 or policy.stopped:
            policy.save(path)
            others = [*others[-2:], maxgap.load(path)]
        for other in others:
            assert core.content_of(other) == core.content_of(policy)
            assert shown(other) == shown(policy)
        if policy.stopped and step > 20:
            break
        arms = policy.ask()
        if step % 5 == 4 or not arms:  # what nobody has asked for
            arms = rng.choice(LABELS, rng.integers(1, 9)).tolist()
        means = np.array([MEANS[LABELS.index(arm)] for arm in arms])
        rewards = np.clip(means + spread * rng.standard_normal(len(arms)), 0.0, 1.9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # intervals that miss
            for each in (policy, *others):
                each.tell(arms, rewards)


@settings(max_examples=40)
@given(
    n_arms=st.integers(2, 6),
    nested=st.booleans(),
    stopping=st.sampled_from(["paper", "literal", "clusters", None]),
    seed=st.integers(0, 2**32),
)
def test_arms_let_in_again_are_so_in_a_file_too(n_arms, nested, stopping, seed, tmp_path_factory):
    # Rewards of a far larger spread than sigma says: arms are dropped that should not be.
    path = tmp_path_factory.mktemp("policies") / "policy.json"
    rng = np.random.default_rng(seed)
    policy = MaxGapElim(n_arms, sigma=0.1, nested=nested, stopping=stopping)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for _ in range(20):
            asked = policy.ask() or range(n_arms)
            policy.tell(asked, rng.normal(0.0, 1.0, len(asked)))
            policy.save(path)
            loaded = maxgap.load(path)
            assert shown(loaded) == shown(policy)
            assert loaded.active == policy.active
