"""Ask, tell, save and load in any order: a policy against a simple model of what it should know."""

import json
import tempfile
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from states import content_of, counters, has_crossed, sigmas_of

import maxgap
from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, RoundRobin, SortThenSearch

CLASSES = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]
LABELS = st.lists(
    st.sampled_from(["a", "b", "1", 1, 2, -1, 0.5, "", "ü", "a b"]),
    min_size=2,
    max_size=6,
    unique=True,
)
# On a grid ties are common; a few rewards are large, so that rounding of the means would show.
REWARDS = st.integers(-8, 8).map(lambda k: k / 4) | st.floats(-1e6, 1e6, allow_subnormal=False)
NO_REWARDS = st.sampled_from([float("nan"), float("inf"), -float("inf"), None, "1.0", 1e301, 2j])
FORMS = st.sampled_from([list, tuple, lambda x: np.array(x, dtype=object), pd.Series])


def as_rewards(form, rewards):
    """The rewards in a form; `pd.Series` also gets an index that is not the position."""
    return (
        pd.Series(rewards, index=range(len(rewards), 0, -1)) if form is pd.Series else form(rewards)
    )


class Ledger(RuleBasedStateMachine):
    """Every reward told is also written into `told`; `other` is the policy before it was loaded."""

    @initialize(
        cls=st.sampled_from(CLASSES),
        labels=LABELS,
        stopping=st.sampled_from(["clusters", "paper", "literal", None]),
        nested=st.booleans(),
        confidence=st.sampled_from(maxgap.confidence.RADII),
        scale=st.sampled_from([0.01, 1.0, None]),
    )
    def begin(self, cls, labels, stopping, nested, confidence, scale):
        sigma = scale or [0.01 * 4**k for k in range(len(labels))]
        self.policy = cls(
            labels, sigma=sigma, stopping=stopping, nested=nested, confidence=confidence
        )
        self.other = None
        self.labels = labels
        self.nested = nested
        self.told = {label: [] for label in labels}
        self.answer = self.proved = None
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "policy.json"

    def teardown(self):
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def tell(self, arms, rewards):
        for policy in (self.policy, self.other):
            if policy is not None:
                before = policy.stopped
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    policy.tell(arms, rewards)
                # Rewards drawn here need not obey any sigma.
                said = [str(one.message).split(":")[0] for one in caught]
                objected = policy.stopped and not before and policy.objections
                assert said.count("stopped, but not certified") == bool(objected)
                said = [one for one in said if one != "stopped, but not certified"]
                assert said == ["an arm's interval no longer meets the ones before it"] * len(said)
                assert self.nested or not said

    def file_text(self):
        """Everything the policy knows."""
        path = Path(self.folder.name) / "now.json"
        self.policy.save(path)
        return path.read_text(encoding="utf-8")

    @rule(data=st.data(), share=st.sampled_from([0.5, 1.0, 1.0, 1.0]))
    def answer_what_was_asked(self, data, share):
        arms = self.policy.ask()
        arms = arms[: int(np.ceil(share * len(arms)))]
        rewards = [data.draw(REWARDS) for _ in arms]
        self.tell(arms, rewards)
        for label, reward in zip(arms, rewards, strict=True):
            self.told[label].append(reward)

    @rule(spread=st.integers(0, 30), rounds=st.integers(1, 40))
    def answer_many_rounds(self, spread, rounds):
        """Rewards near each arm's own level, so that intervals separate and policies stop."""
        for k in range(rounds):
            arms = self.policy.ask()
            rewards = [
                spread * (self.labels.index(label) ** 2 % 7) + 0.01 * ((3 * k) % 5)
                for label in arms
            ]
            self.tell(arms, rewards)
            for label, reward in zip(arms, rewards, strict=True):
                self.told[label].append(reward)

    @rule(data=st.data(), form=FORMS, size=st.integers(0, 12))
    def tell_what_was_not_asked(self, data, form, size):
        arms = [data.draw(st.sampled_from(self.labels)) for _ in range(size)]
        rewards = [data.draw(REWARDS) for _ in range(size)]
        self.tell(list(arms), as_rewards(form, rewards))
        for label, reward in zip(arms, rewards, strict=True):
            self.told[label].append(reward)

    @rule(data=st.data(), reward=REWARDS)
    def tell_one(self, data, reward):
        label = data.draw(st.sampled_from(self.labels))
        self.tell(label, reward)
        self.told[label].append(reward)

    @rule(data=st.data(), size=st.integers(1, 8), bad=NO_REWARDS)
    def tell_a_bad_reward_among_good_ones(self, data, size, bad):
        arms = [data.draw(st.sampled_from(self.labels)) for _ in range(size)]
        rewards = [data.draw(REWARDS) for _ in range(size)]
        rewards[data.draw(st.integers(0, size - 1))] = bad
        before = self.file_text()
        with pytest.raises(ValueError, match="reward"):
            self.policy.tell(arms, rewards)
        assert self.file_text() == before

    @rule(data=st.data(), size=st.integers(1, 8), bad=st.sampled_from(["no", None, 7, True, [1]]))
    def tell_an_unknown_arm_among_known_ones(self, data, size, bad):
        arms = [data.draw(st.sampled_from(self.labels)) for _ in range(size)]
        arms[data.draw(st.integers(0, size - 1))] = bad
        before = self.file_text()
        with pytest.raises(ValueError, match="unknown label"):
            self.policy.tell(arms, [0.5] * size)
        with pytest.raises(ValueError, match=r"arms"):
            self.policy.tell(arms, [0.5] * (size + 1))
        assert self.file_text() == before

    @rule()
    def look(self):
        before = self.file_text()
        assert self.policy.ask() == self.policy.ask()
        self.policy.report()
        self.policy.gap_bounds()
        self.policy.gap_lower()
        self.policy.counts[:] = -1  # copies: writing to them changes nothing
        self.policy.lower[:] = 0
        self.policy.ask().clear()
        self.policy.arms.clear()
        assert self.file_text() == before

    @precondition(lambda self: self.other is None)
    @rule()
    def save_and_load(self):
        """From here on, a policy that was loaded and one that was not are told the same."""
        self.policy.save(self.path)
        self.other, self.policy = self.policy, maxgap.load(self.path)

    @precondition(lambda self: self.other is not None)
    @rule()
    def forget_the_other(self):
        self.other = None

    @rule(place=st.floats(0, 1, exclude_max=True), cut=st.booleans())
    def load_a_damaged_file(self, place, cut):
        text = self.file_text()
        at = int(place * text.rindex("}"))
        damaged = text[:at] if cut else text[:at] + "\x00" + text[at + 1 :]
        path = Path(self.folder.name) / "damaged.json"
        path.write_text(damaged, encoding="utf-8")
        with pytest.raises(ValueError, match=r"damaged\.json"):
            maxgap.load(path)
        assert path.read_text(encoding="utf-8") == damaged
        assert self.file_text() == text

    @invariant()
    def counts_and_means_are_those_of_the_ledger(self):
        if not hasattr(self, "policy"):
            return
        rewards = [self.told[label] for label in self.labels]
        assert self.policy.arms == self.labels
        assert self.policy.counts.tolist() == [len(x) for x in rewards]
        for mean, told in zip(self.policy.means.tolist(), rewards, strict=True):
            if told:
                exact = sum(map(Fraction, told)) / len(told)
                size = max(map(abs, told))
                assert abs(Fraction(mean) - exact) <= Fraction(size) * (len(told) + 2) * 2**-52

    @invariant()
    def intervals_are_those_of_the_radius(self):
        if not hasattr(self, "policy"):
            return
        policy, counts = self.policy, self.policy.counts
        assert (policy.lower <= policy.upper).all()
        assert (np.isposinf(policy.upper) == (counts == 0)).all()
        assert (np.isneginf(policy.lower) == (counts == 0)).all()
        half_widths = maxgap.confidence.radius(
            content_of(policy)["confidence"],
            counts,
            delta=0.05,
            n_arms=counts.size,
            sigma=sigmas_of(policy),
        )
        if self.nested:
            # Never wider than a later radius allows, unless the intervals have crossed.
            crossed = has_crossed(policy)
            slack = 1 + 1e-9 * (1 + np.abs(policy.means))
            assert crossed or (policy.upper - policy.lower <= 2 * half_widths * slack).all()
        else:
            np.testing.assert_array_equal(policy.lower, policy.means - half_widths)
            np.testing.assert_array_equal(policy.upper, policy.means + half_widths)

    @invariant()
    def what_is_asked_can_be_told(self):
        if not hasattr(self, "policy"):
            return
        asked, counts = self.policy.ask(), self.policy.counts
        assert len(set(asked)) == len(asked)
        assert set(asked) <= set(self.labels)
        assert (asked == []) == self.policy.stopped
        if (counts == 0).any():
            assert asked == [x for x, n in zip(self.labels, counts, strict=True) if n == 0]
        elif not self.policy.stopped and not isinstance(self.policy, RoundRobin):
            assert len(asked) >= 2

    @invariant()
    def an_answer_once_stopped_stays(self):
        if not hasattr(self, "policy"):
            return
        policy = self.policy
        if (policy.counts == 0).any():
            assert not policy.stopped
            with pytest.raises(ValueError, match="no answer yet"):
                policy.recommend()
            return
        split = policy.recommend()
        assert split.top
        assert split.bottom
        assert split.top | split.bottom == set(self.labels)
        assert not split.top & split.bottom
        assert policy.stopped or not policy.certified
        if self.answer is not None:
            assert policy.stopped
            assert split.top == self.answer
        elif policy.stopped:
            self.answer = split.top
        elif not self.nested:
            ranked = np.sort(policy.means)
            assert split.gap == np.diff(ranked).max()
        if policy.stopped and not policy.objections:
            assert self.proved in (None, policy.certified)
            self.proved = policy.certified
        assert not (policy.certified and policy.objections)

    @invariant()
    def loaded_and_not_loaded_are_the_same(self):
        if getattr(self, "other", None) is None:
            return
        twin = Path(self.folder.name) / "twin.json"
        self.other.save(twin)
        assert json.loads(twin.read_text(encoding="utf-8")) == json.loads(self.file_text())
        assert self.policy.ask() == self.other.ask()
        assert counters(self.policy) == counters(self.other)
        assert self.policy.objections == self.other.objections


Ledger.TestCase.settings = settings(max_examples=60, stateful_step_count=25)
TestAnyOrder = Ledger.TestCase
