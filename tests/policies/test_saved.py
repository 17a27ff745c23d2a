"""Saved files: what comes back, what goes on, and what no policy can be in, refused."""

import itertools
import json
import math
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
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


# -- files -----------------------------------------------------------------------------------------

CLASSES = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]


def saved(policy, tmp_path):
    """The text of the file that the policy saves."""
    path = tmp_path / "policy.json"
    policy.save(path)
    return path.read_text(encoding="utf-8")


TRUE_MEANS = {"a": 0.0, "b": 0.1, "c": 0.75, "d": 1.0, "e": 0.9}


def go_on(policy, rng, rounds):
    """Run for some rounds; what was asked for, and what came out."""
    asked = []
    for _ in range(rounds):
        arms = policy.ask()
        asked.append(arms)
        policy.tell(arms, [TRUE_MEANS[arm] + 0.1 * rng.standard_normal() for arm in arms])
    answer = policy.recommend()
    outcome = [policy.counts.tolist(), policy.means.tolist(), policy.stopped, policy.certified]
    return [asked, outcome, sorted(answer.top), sorted(answer.bottom), answer.gap]


def test_runs_stopped_between_ask_and_tell_go_on_in_a_new_process_as_if_never_stopped(tmp_path):
    expected, states = {}, {}
    for cls in CLASSES:
        for nested, rounds in ((False, 0), (False, 1), (True, 4)):
            name = f"{cls.__name__}-{rounds}.json"
            rng = np.random.default_rng(11)
            policy = cls(list(TRUE_MEANS), sigma=0.1, nested=nested)
            if rounds:
                go_on(policy, rng, rounds)
            asked = policy.ask()
            assert asked
            policy.save(tmp_path / name)
            states[name] = rng.bit_generator.state
            expected[name] = go_on(policy, rng, 300)
            assert expected[name][0][0] == asked
    assert any(outcome[1][3] for outcome in expected.values())  # some end certified
    code = (
        "import json, pathlib, sys, numpy as np, maxgap, policies.test_saved as t\n"
        "resumed = {}\n"
        "for name, state in json.load(sys.stdin).items():\n"
        "    rng = np.random.default_rng()\n"
        "    rng.bit_generator.state = state\n"
        "    policy = maxgap.load(pathlib.Path(sys.argv[1]) / name)\n"
        "    resumed[name] = t.go_on(policy, rng, 300)\n"
        "print(json.dumps(resumed))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        input=json.dumps(states),
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
    )
    assert not done.stderr
    assert json.loads(done.stdout) == expected


@pytest.mark.parametrize("place", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_refused_by_name_and_left_alone(place, tmp_path):
    policy = MaxGapTop2UCB(["a", "b"], sigma=0.1)
    policy.tell(["a", "b"], [0.0, 1.0])
    text = saved(policy, tmp_path)
    cut = tmp_path / "cut.json"
    cut.write_text(text[: int(place * len(text))], encoding="utf-8")
    before = cut.read_bytes()
    with pytest.raises(ValueError, match=r"cut\.json"):
        maxgap.load(cut)
    assert cut.read_bytes() == before
    assert maxgap.load(tmp_path / "policy.json").means.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"3",
        b'"maxgap policy"',
        b"{}",
        b'{"format": "maxgap policy"}',
        b'{"format": "maxgap policy", "version": 2, "policy": {}}',
        b'{"format": "maxgap policy", "version": 1, "policy": [], "sha256": ""}',
        b"\xff\xfe\x00",
        b"\x80\x04pickle",
        b"[" * 100_000,
    ],
    ids=lambda content: repr(content[:30]),
)
def test_a_file_of_another_kind_is_refused_by_name(content, tmp_path):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"other\.json"):
        maxgap.load(path)


def test_every_single_character_changed_by_hand_is_noticed_or_harmless(tmp_path):
    policy = MaxGapElim([1, "1"], sigma=[0.1, 0.2])
    policy.tell([1, "1", 1], [0.0, 1.0, 0.1])
    text = saved(policy, tmp_path)
    path = tmp_path / "edited.json"
    noticed = 0
    for at in range(0, len(text), 3):
        edited = text[:at] + ("7" if text[at] != "7" else "8") + text[at + 1 :]
        path.write_text(edited, encoding="utf-8")
        try:
            loaded = maxgap.load(path)
        except ValueError as refused:
            noticed += "edited.json" in str(refused)
        else:
            assert saved(loaded, tmp_path) == text
    assert noticed > 0.7 * len(text) / 3


def sample_state():
    """A policy in the middle of a run."""
    policy = MaxGapTop2UCB(["a", "b", "c"], sigma=0.1, nested=True)
    policy.tell(["a", "b", "c", "a"], [0.0, 0.1, 1.0, 0.05])
    return policy


EDITS = {
    "class": ["Policy", "_Default", "", None, 3, ["MaxGapUCB"], "SortThenSearch()"],
    "arms": [["a", "b"], ["a", "a", "c"], ["a", "b", "c", "d"], [], None, 1, ["a", "b", ["c"]]],
    "delta": [0, 1, -1, "0.05", None, [0.05]],
    "sigma": [0, -1, None, "1", [0.1], [0.1, 0.1, -0.1], {}],
    "confidence": ["", None, 3, ["paper"], {}],
    "nested": [None, 0, 1, "false"],
    "stopping": ["", "never", 3, False, ["clusters"], {}],
    "counts": [
        [2, 1, -1],
        [-2, -1, 7],
        [3, 1, 1],
        [2, 1],
        [2, 1, 1, 0],
        [4, 0, 0],
        [2.0, 1, 1],
        ["2", 1, 1],
        [None, 1, 1],
        [True, 2, 1],
        [2**63, 1, 1],
        [10**30, 1, 1],
        [[2, 1, 1]],
        4,
        {},
        None,
    ],
    "means": [
        [0.1, 0.1],
        [0.1],
        0.1,
        [1e301, 0.1, 1.0],
        [None, 0.1, 1.0],
        ["0", 0.1, 1.0],
        [[0.1]],
    ],
    "scatter": [[0.1, 0.1], 0.1, [-0.1, 0.0, 0.0], [0.0, 0.1, 0.0], ["0", 0.0, 0.0], [True] * 3],
    "lower": [[9.0, 9.0, 9.0], [None], [0.0, 0.0], 0.0, ["a", 0.0, 0.0], [[0.0], 0.0, 0.0]],
    "upper": [[-9.0, -9.0, -9.0], [None], 0.0, [True, 2.0, 2.0]],
    "crossed": [0, 1, "no", None, [False]],
    "top": [[1, 0, 0], [False], [False] * 3, [True] * 3, [True, False, True], 0, False, "001"],
}


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in EDITS.items() for value in values],
    ids=repr,
)
def test_a_state_that_no_policy_can_be_in_is_refused_even_with_a_fitting_checksum(
    name, value, tmp_path
):
    document = json.loads(saved(sample_state(), tmp_path))
    assert name in document["policy"]
    document["policy"][name] = value
    document["sha256"] = digest(document["policy"])
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match=r"forged\.json"):
        maxgap.load(path)


@pytest.mark.parametrize("name", [*EDITS, "c"])
def test_a_file_that_lacks_a_part_is_refused_by_name(name, tmp_path):
    document = json.loads(saved(MaxGapUCB(["a", "b", "c"], nested=True), tmp_path))
    del document["policy"][name]
    document["sha256"] = digest(document["policy"])
    path = tmp_path / "lacking.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"lacking\.json.*{name}"):
        maxgap.load(path)


def test_a_file_that_is_not_there_is_no_value_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.json"):
        maxgap.load(tmp_path / "nowhere.json")


@pytest.mark.parametrize("function", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(function, tmp_path, monkeypatch):
    policy = sample_state()
    text = saved(policy, tmp_path)
    policy.tell("a", 0.02)

    def fail(*_):
        raise OSError("no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, function, fail)
        with pytest.raises(OSError, match="no space"):
            policy.save(tmp_path / "policy.json")
    assert [path.name for path in tmp_path.iterdir()] == ["policy.json"]
    assert (tmp_path / "policy.json").read_text(encoding="utf-8") == text


def test_what_cannot_be_saved_is_refused_before_the_old_file_is_touched(tmp_path):
    text = saved(sample_state(), tmp_path)
    for policy in (
        MaxGapUCB([("a", 1), ("b", 2)]),
        MaxGapUCB([None, "b"]),
        MaxGapUCB([math.inf, 1.0]),
        MaxGapUCB(2, confidence=lambda n, **_: 1 / n),
    ):
        with pytest.raises(ValueError, match=r"label|confidence"):
            policy.save(tmp_path / "policy.json")
    assert [path.name for path in tmp_path.iterdir()] == ["policy.json"]
    assert (tmp_path / "policy.json").read_text(encoding="utf-8") == text


def test_labels_and_settings_come_back_as_they_were(tmp_path):
    labels = ["1", 1, 2.5, "ü", "", "\ud800", -3, 10**20, "a\nb", False]
    policy = MaxGapUCB(
        labels, delta=0.2, sigma=np.arange(1, 11) / 3, confidence="lil", nested=True, c=0.7
    )
    policy.tell(labels, range(10))
    policy.save(tmp_path / "policy.json")
    loaded = maxgap.load(tmp_path / "policy.json")
    assert [(label, type(label)) for label in loaded.arms] == [(x, type(x)) for x in labels]
    pd.testing.assert_frame_equal(loaded.report(), policy.report())
    assert saved(loaded, tmp_path) == saved(policy, tmp_path)


# -- what a saved state must be --------------------------------------------------------------------


def in_progress(cls=MaxGapTop2UCB, rounds=2, **settings):
    policy = cls(["a", "b", "c"], sigma=0.1, **settings)
    for k in range(rounds):
        policy.tell(["a", "b", "c"], [0.0, 0.1 + 0.01 * k, 1.0])
    return policy


def ended(cls=MaxGapTop2UCB, rounds=1, **settings):
    """A policy that has stopped, and then been told some more."""
    policy = cls(["a", "b", "c"], sigma=0.01, **settings)
    while not policy.stopped:
        asked = policy.ask()
        policy.tell(asked, [{"a": 0.0, "b": 0.1, "c": 1.0}[label] for label in asked])
    for _ in range(rounds):
        policy.tell(["a", "b", "c"], [0.0, 0.1, 1.0])
    return policy


def forge(policy, tmp_path, changes):
    """A file of this policy with changes that nothing but their meaning gives away."""
    path = tmp_path / "forged.json"
    policy.save(path)
    maxgap.load(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    content = document["policy"]
    for name, change in changes.items():
        content[name] = change(content[name]) if callable(change) else change
    document["sha256"] = digest(content)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def entry(place, change):
    return lambda values: [*values[:place], change(values[place]), *values[place + 1 :]]


CONTRADICTIONS = {
    "a stop without a rule": (ended(stopping="paper"), {"stopping": None}),
    "a certificate of what is not apart, nested": (
        ended(nested=True),
        {"top": [True, False, True]},
    ),
    "another answer right after a stop": (ended(rounds=0), {"top": [True, False, True]}),
    "an unproved stop by a rule that does not hold": (
        # Three arms and c = 2 stop in round one, though no gap is certain.
        (lambda p: p.tell(["a", "b", "c"], [0.0, 0.1, 1.0]) or p)(
            MaxGapUCB(["a", "b", "c"], stopping="literal", c=2.0)
        ),
        {"stopping": "paper"},
    ),
    "a proved rule in place of an unproved one that holds": (
        (lambda p: p.tell(["a", "b", "c"], [0.0, 0.1, 1.0]) or p)(
            MaxGapUCB(["a", "b", "c"], stopping="literal", c=2.0)
        ),
        {"stopping": "clusters"},
    ),
    "an answer of everything": (ended(), {"top": [True] * 3}),
    "an empty answer": (ended(), {"top": [False] * 3}),
    "a stop that has not come": (in_progress(rounds=1), {"top": [False, False, True]}),
    "a stop that has come": (ended(), {"top": None}),
    "intervals where counts and means give them": (
        MaxGapTop2UCB(["a", "b"]),
        {"lower": [None, None], "upper": [None, None]},
    ),
    "a finite interval without a sample": (
        MaxGapTop2UCB(["a", "b"], nested=True),
        {"lower": [0.0, None], "upper": [1.0, None]},
    ),
    "a mean without a sample": (MaxGapTop2UCB(["a", "b"]), {"means": [0.5, 0.0]}),
    "an infinite interval with a sample": (
        in_progress(nested=True),
        {"lower": entry(0, lambda x: None)},
    ),
    "a nested interval wider than the radius": (
        in_progress(nested=True),
        {"upper": entry(1, lambda x: x + 1e-3)},
    ),
    "a moved mean": (in_progress(nested=True), {"means": entry(1, lambda x: x + 1e-3)}),
    "a count with its nested interval left": (in_progress(nested=True), {"counts": [2, 2, 3]}),
    "another delta": (in_progress(nested=True), {"delta": 0.06}),
    "another sigma": (in_progress(nested=True), {"sigma": 0.09}),
    "another radius": (in_progress(nested=True), {"confidence": "authors-lil"}),
    "an arm eliminated by nothing": (
        in_progress(MaxGapElim, rounds=1, stopping=None),
        {"active": [False, True, True]},
    ),
    "an arm eliminated by another policy": (in_progress(), {"active": [False, True, True]}),
    "a stop by search before the search": (ended(SortThenSearch), {"sequence": None}),
    "a search that has come": (ended(SortThenSearch), {"sequence": None, "top": None}),
    "a stop while an arm has no sample": (
        (lambda p: p.tell(["a"] * 3, [0.0] * 3) or p)(MaxGapTop2UCB(["a", "b"])),
        {"top": [True, False]},
    ),
    "a stop without the look that comes before": (
        ended(stopping="contrasts"),
        {"last_look": 0},
    ),
    "a search by another policy": (in_progress(), {"sequence": [0, 1, 2]}),
    "a crossing that is not nested": (in_progress(), {"crossed": True}),
    "a look under another rule": (in_progress(), {"last_look": 1}),
    "a look under another rule, rewards kept": (
        in_progress(maxgap.MaxGapContrasts, stopping="clusters"),
        {"last_look": 1},
    ),
    "a look yet to come": (in_progress(stopping="contrasts"), {"last_look": 7}),
    "labels by number": (RoundRobin(3), {"arms": 3}),
    "labels in a mapping": (RoundRobin(["a", "b"]), {"arms": {"a": 1, "b": 2}}),
    "a sigma by label": (RoundRobin(["a", "b"]), {"sigma": {"a": 1.0, "b": 1.0}}),
    "a factor of another policy": (in_progress(), {"c": 6.0}),
    "an entry that no policy writes": (in_progress(), {"more": 1}),
}


@pytest.mark.parametrize(("policy", "changes"), CONTRADICTIONS.values(), ids=CONTRADICTIONS.keys())
def test_a_state_that_its_own_numbers_contradict_is_refused(policy, changes, tmp_path):
    path = forge(policy, tmp_path, changes)
    with pytest.raises(ValueError, match=r"forged\.json.*is not a saved policy"):
        maxgap.load(path)
