"""More than two groups: held to a search for counterexamples, to the split, and to the truth."""

import json
import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rating_tables import ratings, small_tables, true_groups
from strategies import SEEDS

import maxgap
from maxgap import gap_upper_bounds
from maxgap.policies.max_gap_partition import cut
from maxgap.ratings import cli

COLUMNS = {"arm": "item", "reward": "stars"}


def intervals_around(means, rng):
    """Intervals that hold the means, and estimates inside, wide or narrow, lopsided."""
    scale = rng.choice([0.05, 0.3, 1.0])
    below, above = scale * rng.exponential(size=(2, means.size))
    lower, upper = means - below, means + above
    return lower + rng.random(means.size) * (upper - lower), lower, upper


def test_no_certificate_is_wrong_while_the_intervals_hold():
    rng = np.random.default_rng(3)
    certified = 0
    for _ in range(20_000):
        n_arms = int(rng.integers(2, 8))
        n = int(rng.integers(2, n_arms + 1))
        means = rng.permutation(np.cumsum(rng.exponential(size=n_arms)))
        estimates, lower, upper = intervals_around(means, rng)
        look = cut(list(range(n_arms)), estimates, lower, upper, n)
        certified += look.certified
        if look.certified:
            assert look.group.tolist() == true_groups(means, n).tolist()
    assert certified > 3000


@given(SEEDS)
def test_where_nothing_is_certified_other_groups_are_possible_or_nearly(seed):
    """The rule is no stricter than it says: every cut and the rival are as by hand."""
    rng = np.random.default_rng(seed)
    n_arms = int(rng.integers(2, 9))
    n = int(rng.integers(2, n_arms + 1))
    means, lower, upper = intervals_around(rng.normal(size=n_arms), rng)
    look = cut(list(range(n_arms)), means, lower, upper, n)
    inside = [0.0]
    for k in range(n):
        members = look.group == k
        if members.sum() > 1:
            inside.append(gap_upper_bounds(lower[members], upper[members]).either.max())
    certain = [min(lower[look.group <= k]) - max(upper[look.group > k]) for k in range(n - 1)]
    assert look.certain.tolist() == certain
    assert look.certified == (min(certain) > max(inside))
    assert sorted(set(look.group.tolist())) == list(range(n))


@given(small_tables(), st.sampled_from([1, 20, 200]))
def test_two_groups_are_the_split(rows, times):
    arms, rewards = zip(*rows * times, strict=True)
    for settings in ({"bounds": (1, 5)}, {"sigma": 2.0}):
        two = maxgap.split(arm=arms, reward=rewards, stopping="clusters", **settings)
        found = maxgap.partition(arm=arms, reward=rewards, groups=2, **settings)
        assert found.certified == two.certified
        assert found.arms.drop(columns="group").shape == two.arms.drop(columns="group").shape
        gaps = np.sort(np.diff(np.sort(found.arms["mean"])))
        if gaps[-1] > 0 and (
            gaps.size < 2 or gaps[-1] - gaps[-2] > 1e-9
        ):  # which of two equal gaps is cut is free
            assert found.groups == (two.top, two.bottom)
            assert found.certain_gaps == (two.certain_gap,)
            assert found.rival == two.rival


@given(small_tables(), st.data())
def test_the_groups_part_the_arms_at_the_largest_gaps(rows, data):
    n_arms = len({arm for arm, _ in rows})
    n = data.draw(st.integers(2, n_arms))
    found = maxgap.partition(pd.DataFrame(rows, columns=["item", "stars"]), groups=n,
                             bounds=(1, 5), **COLUMNS)  # fmt: skip
    assert sorted(arm for group in found.groups for arm in group) == sorted({a for a, _ in rows})
    assert len(found.groups) == n
    means = found.arms.groupby("group")["mean"]
    between = means.min().to_numpy()[:-1] - means.max().to_numpy()[1:]
    assert found.gaps == pytest.approx(between, abs=1e-12)
    inside = [np.diff(np.sort(group)) for _, group in means]
    widest = max((gaps.max() for gaps in inside if gaps.size), default=0.0)
    assert min(found.gaps) >= widest - 1e-12


def test_certified_partitions_are_right_at_a_large_delta_and_a_false_scale_is_refused():
    rng = np.random.default_rng(8)
    means = np.array([0.0, 0.2, 1.0, 1.2, 1.9])
    truth = true_groups(means, 3)
    wrong = certified = 0
    for _ in range(150):
        arms = rng.permutation(np.repeat(np.arange(5), 250))
        table = {"arm": arms, "reward": means[arms] + 0.3 * rng.standard_normal(arms.size)}
        found = maxgap.partition(**table, groups=3, sigma=0.3, delta=0.3)
        certified += found.certified
        group = found.arms.set_index("arm")["group"].loc[range(5)] - 1
        wrong += found.certified and group.tolist() != truth.tolist()
    assert wrong <= 0.3 * 150
    assert certified > 100
    with pytest.raises(ValueError, match="sigma is too small for"):
        maxgap.partition(**table, groups=3, sigma=0.1)


def test_it_rates_next_what_is_open_until_it_is_certified():
    means = {"a": 0.0, "b": 0.3, "c": 2.0, "d": 2.2, "e": 4.5}
    rng = np.random.default_rng(2)
    arms, rewards = list(means), list(means.values())
    for _ in range(400):
        found = maxgap.partition(arm=arms, reward=rewards, groups=3, sigma=0.5)
        if found.certified:
            break
        batch = found.batch(12)
        assert set(batch) <= set(found.next) <= set(means)
        for arm, times in batch.items():
            arms += [arm] * times
            rewards += list(means[arm] + 0.5 * rng.standard_normal(times))
    assert found.groups == ({"e"}, {"c", "d"}, {"a", "b"})
    assert found.next == ()
    assert found.more == (0, 0, 0, 0)
    first = maxgap.partition(arm=arms[:40], reward=rewards[:40], groups=3, sigma=0.5)
    assert first.more.low / 2 <= len(arms) - 40 <= 2 * first.more.high


def test_every_arm_a_group_is_a_ranking():
    found = maxgap.partition(arm=[*"abc"] * 50, reward=[1, 3, 2] * 50, groups=3, sigma=0.1)
    assert found.groups == ({"b"}, {"c"}, {"a"})
    assert found.rival is None
    assert found.certified
    tied = maxgap.partition(arm=[*"abc"] * 50, reward=[1, 1, 2] * 50, groups=3, sigma=0.1)
    assert not tied.certified


def test_intervals_without_a_proof_certify_nothing():
    arms, rewards = [*"abc"] * 50, [1, 3, 9] * 50
    for name in ("authors-lil", "normal-mixture"):
        found = maxgap.partition(arm=arms, reward=rewards, groups=3, sigma=0.1, confidence=name)
        assert found.certified == (name == "normal-mixture")
    for scale in (1.0, {"a": 1, "b": 0.1, "c": 0.1}):  # proved where it is at most the root of 1/2
        how = {"arm": arms, "reward": rewards, "sigma": scale, "confidence": "paper"}
        split = maxgap.split(**how, stopping="clusters")
        for found in (split, maxgap.partition(**how, groups=3)):
            assert "Not certified: the intervals 'paper' have no proof." in found.lines()
            assert "Rate next: ." not in found.lines()


@pytest.mark.parametrize("groups", [0, 1, -2, 2.0, "2", True, None, 5], ids=repr)
def test_numbers_of_groups_that_cannot_be_are_refused(groups):
    with pytest.raises(ValueError, match="groups must be"):
        maxgap.partition(arm=[*"abcd"], reward=[1, 2, 3, 4], groups=groups, sigma=1)


def test_a_bad_row_is_named():
    table = pd.DataFrame({"item": [*"abc"], "stars": [1, 2, math.nan]})
    with pytest.raises(ValueError, match=r"column 'stars', row 2.*: is missing"):
        maxgap.partition(table, groups=2, bounds=(1, 5), **COLUMNS)


def test_it_says_and_draws_all_groups():
    table = ratings(4, rows=3000, means=(4.6, 4.4, 3.0, 1.5, 1.3))
    found = maxgap.partition(table, groups=3, bounds=(1, 5), **COLUMNS)
    text = str(found)
    for k, group in enumerate(found.groups):
        assert f"Group {k + 1} ({len(group)}): " in text
    assert found.certified
    assert "every one of these gaps is at least" in text
    figure = found.plot()
    colours = {tuple(c.get_edgecolor()[0][:3]) for c in figure.axes[0].collections}
    assert len(colours) == 3
    assert sum("at least" in text.get_text() for text in figure.axes[0].texts) == 2
    plt.close(figure)
    assert "<table" in found._repr_html_()


def test_the_command_line_has_the_same_groups(capsys, tmp_path):
    table = ratings(4, rows=300, means=(4.6, 4.4, 3.0, 1.5, 1.3))
    table.to_csv(tmp_path / "r.csv", index=False)
    options = [str(tmp_path / "r.csv"), "--arm", "item", "--reward", "stars", "--bounds", "1", "5"]
    found = maxgap.partition(table, groups=3, bounds=(1, 5), **COLUMNS)
    assert cli.main(["split", *options, "--groups", "3", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert tuple(map(frozenset, said["groups"])) == found.groups
    assert said["certified"] == found.certified
    assert said["certain_gaps"] == list(found.certain_gaps)
    assert cli.main(["next", *options, "--groups", "3", "--batch", "9", "--json"]) == 0
    asked = json.loads(capsys.readouterr().out)["next"]
    assert {row["arm"]: row["ratings"] for row in asked} == found.batch(9)
    assert cli.main(["split", *options, "--groups", "9"]) == 3
    assert "groups must be at most 5" in capsys.readouterr().err
    for wrong in (["--groups", "1"], ["--groups", "3", "--stopping", "contrasts"]):
        assert cli.main(["split", *options, *wrong]) == 2
