"""All rows at once are the rows told one by one, and an answer by intervals compiles nothing."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from maxgap.policies import Policy
from maxgap.policies.at_once import begin
from maxgap.ratings.answers import tell_all
from maxgap.ratings.cli import Compiling
from maxgap.ratings.question import Question
from maxgap.ratings.rows import Rows


def both(arms: np.ndarray, rewards: np.ndarray, **how: str) -> tuple[Policy, Policy]:
    """A policy told all rows at once, and one told them one by one, that decides at the end."""
    setting = Question.asked((0, 1), None, 0.1, how["confidence"], how["stopping"])
    rows = Rows(setting.bounds)
    for part in np.array_split(np.arange(arms.size), 3):  # a file comes in pieces
        rows.add(pd.Series(arms[part]), pd.Series(rewards[part]))
    at_once, one_by_one = setting.policy(rows.labels), setting.policy(rows.labels)
    tell_all(at_once, rows)
    begin(at_once)
    index = {label: k for k, label in enumerate(rows.labels)}
    numbers = np.array([index[arm] for arm in arms.tolist()])
    one_by_one.tell(numbers, rewards)
    return at_once, one_by_one


@pytest.mark.parametrize("stopping", ["clusters", "either", "contrasts"])
@pytest.mark.parametrize("confidence", ["empirical-bernstein", "normal-mixture"])
def test_all_rows_at_once_are_the_rows_one_by_one(stopping: str, confidence: str) -> None:
    rng = np.random.default_rng(7)
    ends = set()
    for trial in range(30):
        n_arms = int(rng.integers(2, 8))
        arms = np.r_[np.arange(n_arms), rng.integers(0, n_arms, rng.integers(10, 900))]
        means = rng.choice([0.0, 0.05, 0.1, 0.7, 0.9, 1.0], n_arms)
        noise = rng.normal(0, 0.05, arms.size)
        coins = (rng.random(arms.size) < means[arms]).astype(float)
        rewards = coins if trial % 2 else np.clip(means[arms] + noise, 0, 1)
        a, b = both(arms, rewards, stopping=stopping, confidence=confidence)
        for name in ("counts", "means", "lower", "upper"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=1e-11)
        assert (a.stopped, a.certified, a.objections) == (b.stopped, b.certified, b.objections)
        assert (a.recommend().top, a.ask()) == (b.recommend().top, b.ask())
        ends.add(a.certified)
    assert ends == {True, False}


def test_an_answer_by_intervals_compiles_a_logarithm_alone(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = tmp_path / "table.csv"
    rewards = np.r_[rng.random(2000) * 0.1, 0.9 + rng.random(2000) * 0.1].round(6)
    arms = np.repeat(["low", "high"], 2000)
    pd.DataFrame({"arm": arms, "reward": rewards}).sample(frac=1, random_state=1).to_csv(
        table, index=False
    )
    cache = tmp_path / "cache"
    said = subprocess.run(
        [sys.executable, "-m", "maxgap", "split", str(table), "--bounds", "0", "1"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Certified" in said.stdout
    compiled = {path.name.split("-")[0] for path in cache.rglob("*.nbc")}
    assert compiled <= {"elementary.log", "elementary._log"}


def test_compiling_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    listener = Compiling()
    listener.on_start(None)
    listener.on_start(None)
    assert capsys.readouterr().err.count("compiling, once") == 1


def test_such_a_policy_goes_on_as_one_that_was_told() -> None:
    import maxgap

    rng = np.random.default_rng(2)
    arms = np.tile([*"abc"], 700)
    rewards = (rng.random(arms.size) < np.tile([0.1, 0.2, 0.9], 700)).astype(float)
    policy = maxgap.split(arm=arms.tolist(), reward=rewards, bounds=(0, 1)).policy()
    other = type(policy)(policy.arms, bounds=(0, 1), confidence="empirical-bernstein")
    other.tell(arms.tolist(), rewards)
    for each in (policy, other):
        each.tell([*"abcabc"], [0, 0, 1, 1, 1, 0])
    assert policy.certified
    assert policy.gap_lower().value == pytest.approx(
        maxgap.gap_lower_bound(policy.means, policy.lower, policy.upper).value
    )
    np.testing.assert_allclose(policy.means, other.means)
    assert policy._state.arms["position"].tolist() == np.argsort(np.argsort(policy.lower)).tolist()


def test_what_is_undecided_is_said_before_anything_is_compiled(tmp_path: Path) -> None:
    code = (
        "import maxgap\n"
        "arms, rewards = [*'abcd'] * 50, [0, 0, 1, 1] * 25 + [0, 1, 0, 1] * 25\n"
        "found = maxgap.split(arm=arms, reward=rewards, bounds=(0, 1))\n"
        "print(found.certified, found.verdict()[1])\n"
    )
    cache = tmp_path / "cache"
    said = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.startswith("False Top (1): d")
    compiled = {path.name.split("-")[0] for path in cache.rglob("*.nbc")}
    assert compiled <= {"elementary.log", "elementary._log"}
