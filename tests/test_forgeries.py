"""Saved files of states that no policy can be in are refused, whatever their checksum."""

import json

import pytest
import states as core
from states import digest

import maxgap
from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, RoundRobin, SortThenSearch

LABELS = ["a", "b", "c", "d"]
MEANS = [0.0, 0.1, 1.0, 1.1]


def told(cls, rounds=3, **settings):
    policy = cls(LABELS, sigma=0.01, **settings)
    for _ in range(rounds):
        arms = policy.ask()
        policy.tell(arms, [MEANS[LABELS.index(arm)] for arm in arms])
    return policy


def unsampled():
    policy = MaxGapTop2UCB(LABELS, sigma=0.01)
    policy.tell(["a", "b", "d", "a"], [0.0, 0.1, 1.1, 0.0])
    return policy


BASES = {
    "unsampled": unsampled,
    "running": lambda: told(MaxGapTop2UCB, stopping=None),
    "certified": lambda: told(MaxGapTop2UCB, rounds=20),
    "certified elim": lambda: told(MaxGapElim, rounds=20, stopping="paper"),
    "paper": lambda: told(MaxGapUCB, rounds=40, c=2.0),
    "literal top2": lambda: told(MaxGapTop2UCB, rounds=40, stopping="literal"),
    "literal elim": lambda: told(MaxGapElim, rounds=40, stopping="literal"),
    "certified robin": lambda: told(RoundRobin, rounds=120, stopping="contrasts"),
    "searching": lambda: told(SortThenSearch, rounds=8, stopping=None),
}

COUNTER = {
    "total": core.TOTAL,
    "unsampled": core.UNSAMPLED,
    "first": core.FIRST,
    "second": core.SECOND,
    "n_next": core.N_NEXT,
    "stopped": core.STOPPED,
    "searching": core.SEARCHING,
    "crossed": core.CROSSED,
    "last look": core.LAST_LOOK,
}
PROVED, BY_RULE = core.BY_PROVED_RULE, core.BY_RULE

# (state, what is changed in it); a name of a counter, or an entry (list, place).
FORGERIES = [
    # A guarantee nobody has given.
    ("paper", {"stopped": PROVED}),
    ("literal top2", {"stopped": PROVED}),
    ("literal elim", {"stopped": PROVED}),
    ("certified robin", {"stopped": BY_RULE}),
    ("running", {"stopped": PROVED}),
    ("running", {"stopped": PROVED, "n_next": 0, ("top", 3): True}),
    ("running", {"stopped": BY_RULE, "n_next": 0, ("top", 3): True}),
    ("certified", {"stopped": 3}),
    ("certified", {"stopped": -1}),
    ("certified", {"stopped": True}),
    ("certified", {"stopped": 2.0}),
    ("paper", {"stopping": None}),
    ("certified", {"stopping": "paper"}),
    ("certified", {"stopping": None}),
    # Stopped, and yet not.
    ("running", {"stopped": BY_RULE}),
    ("certified", {"stopped": 0}),
    ("certified", {"n_next": 2}),
    ("running", {"n_next": 0}),
    ("running", {"n_next": -1}),
    ("running", {"n_next": 5}),
    # No answer, or all is the answer.
    ("certified", {"top": [False] * 4}),
    ("certified", {"top": [True] * 4}),
    ("paper", {"top": [False] * 4}),
    ("paper", {"top": [True] * 4}),
    ("certified elim", {"top": [False] * 4}),
    # An interval of an arm without a sample.
    ("unsampled", {("lower", 2): -5.0}),
    ("unsampled", {("upper", 2): 5.0}),
    ("unsampled", {("lower", 2): -5.0, ("upper", 2): 5.0}),
    ("unsampled", {("lower", 2): -1e300, ("upper", 2): 1e300}),
    ("unsampled", {"unsampled": 0}),
    ("unsampled", {"unsampled": 2}),
    ("unsampled", {"unsampled": -1}),
    ("running", {"unsampled": 1}),
    ("unsampled", {("counts", 2): 1}),
    ("unsampled", {("counts", 2): -1, ("counts", 0): 4}),
    ("unsampled", {"stopped": PROVED, "n_next": 0, "top": [False, False, True, True]}),
    # An interval turned inside out.
    ("running", {("lower", 0): 9.0}),
    ("running", {("upper", 3): -9.0}),
    # Wrong leaders.
    ("unsampled", {"first": 2}),
    ("unsampled", {"second": 2}),
    ("unsampled", {"first": 1, "second": 1}),
    ("unsampled", {"first": 1, "second": 3}),
    ("unsampled", {"first": -1}),
    ("unsampled", {"second": 4}),
    ("paper", {"first": 0, "second": 3}),
    ("paper", {"second": 0}),
    ("unsampled", {"first": 1, "second": 0}),
    # Counters of another run.
    ("running", {"total": 0}),
    ("running", {"total": 10}),
    ("running", {"total": 12}),
    ("certified robin", {"last look": 10**6}),
    ("certified robin", {"last look": -1}),
    ("searching", {"searching": 2}),
    ("searching", {"searching": -1}),
    ("running", {"crossed": 2}),
    ("running", {"crossed": -1}),
    ("running", {"crossed": 1}),
    ("running", {"searching": 1}),
    ("running", {"last look": 4}),
    ("certified robin", {"last look": 0}),
    # Marks that only other policies set.
    ("running", {("active", 1): False}),
    ("running", {("top", 3): True}),
    ("unsampled", {("means", 2): 0.5}),
    ("unsampled", {("sequence", 0): 1, ("sequence", 1): 0}),
    # Lists of other arms.
    ("searching", {"sequence": [0, 1, 2, 2]}),
    ("searching", {"sequence": [1, 2, 3, 4]}),
    ("running", {"next_arms": [0, 0, 1, 2]}),
    ("running", {"next_arms": [0, 2, 1, 3], "n_next": 3}),
    ("running", {("next_arms", 3): 4}),
    ("running", {("next_arms", 0): -1}),
    # Means that are none.
    ("running", {("means", 0): 1.1e300}),
    ("running", {("means", 0): -1.1e300}),
]


def forged(base, edits):
    document = json.loads(json.dumps({"policy": core.content_of(BASES[base]())}))
    content = document["policy"]
    for what, value in edits.items():
        if what in COUNTER:
            content["numbers"][COUNTER[what]] = value
        elif isinstance(what, tuple):
            content[what[0]][what[1]] = value
        else:
            content[what] = value
    return {
        "format": core.FORMAT,
        "version": core.FORMAT_VERSION,
        "sha256": digest(content),
        **document,
    }


def written(document, tmp_path):
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize("base", BASES)
def test_the_states_themselves_are_taken(base, tmp_path):
    policy = BASES[base]()
    loaded = maxgap.load(written(forged(base, {}), tmp_path))
    assert loaded.stopped == policy.stopped == (base not in ("unsampled", "running", "searching"))
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


@pytest.mark.parametrize("base", ["unsampled", "running", "searching", "paper", "certified"])
@pytest.mark.parametrize("counter", COUNTER)
def test_any_other_value_of_a_counter_is_refused(base, counter, tmp_path):
    content = forged(base, {})["policy"]
    kept, counts = content["numbers"][COUNTER[counter]], content["counts"]
    leaders = {content["numbers"][COUNTER[name]] for name in ("first", "second")}
    for value in (*range(-1, 6), 10, 2**40, 2**63, -(2**70), 1.0, None, True, "0", (0,)):
        if type(value) is int and value == kept:
            continue
        if (
            counter in ("first", "second")
            and value in set(range(len(counts))) - leaders
            and (type(value) is int and counts[value] == counts[kept])
        ):
            continue  # which of several arms with as many samples leads is left open
        with pytest.raises(ValueError, match=r"forged\.json"):
            maxgap.load(written(forged(base, {counter: value}), tmp_path))
