"""Groups: what the chapter compares, and its lemma."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

from maxgap import MaxGapPartition
from maxgap_book.studies import groups as study


def again_and_again(means, k):
    """Cut the part with the largest gap inside it, again and again."""
    parts = [np.sort(means)]
    while len(parts) < k:
        widest = [np.diff(part).max(initial=0) for part in parts]
        part = parts.pop(int(np.argmax(widest)))
        at = int(np.argmax(np.diff(part))) + 1
        parts += [part[:at], part[at:]]
    lowest = np.sort([part[0] for part in parts])
    return np.searchsorted(lowest, means, side="right")


def test_cutting_again_and_again_single_linkage_and_the_largest_gaps_give_the_same_groups():
    rng = np.random.default_rng(2019)
    for _ in range(100):
        means, k = rng.exponential(size=9).cumsum(), int(rng.integers(2, 10))
        linked = fcluster(linkage(means[:, None], "single"), k, "maxclust")
        divided = again_and_again(means, k)
        assert study.same(linked, divided)
        assert study.same(divided, study.largest_gaps(means, k))


def test_a_tuple_of_tiers_is_one_group():
    made = study.tiers(3, (2, 1), 2, between=(1.0, 0.5, 0.7))
    assert made.group.tolist() == [0, 0, 0, 1, 1, 1, 2, 2]
    expected = [0, 0.1, 0.2, 1.2, 1.3, 1.8, 2.5, 2.6]
    assert made.means.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("way", list(study.WAYS))
def test_every_way_finds_groups_that_are_far_apart(way):
    made = study.tiers(4, 5, 6, between=(5.0, 5.0))
    table = study.compare({"far": (made, 300)}, runs=3, seed=1).set_index("way")
    assert table.loc[way, "right"] == 3


def test_only_gaps_find_groups_of_unequal_sizes_and_they_alone_miss_those_with_a_straggler():
    unequal = study.tiers(2, 17, 5, between=(0.7, 0.6))
    straggler = study.tiers((6, 1), 8, 9, between=(0.8, 0.7, 0.6))
    found = {
        name: [way for way, cut in study.WAYS.items() if study.same(cut(made.means, 3), made.group)]
        for name, made in {"unequal": unequal, "straggler": straggler}.items()
    }
    assert found == {
        "unequal": ["largest gaps"],
        "straggler": ["natural breaks", "normal mixture"],
    }


def test_four_arms_are_asked_for_where_the_partition_asks_for_all_in_the_way():
    made = study.tiers(3, 3, 3, between=(1.0, 1.0))
    asked = {}
    for cls in (MaxGapPartition, study.OnlyTheWidest, study.Evenly):
        policy = cls(9, groups=3, sigma=1.0)
        policy.tell(np.arange(9), made.means)
        asked[cls] = set(policy.ask())
    assert len(asked[study.OnlyTheWidest]) <= 4
    assert asked[study.OnlyTheWidest] < asked[MaxGapPartition]
    assert asked[study.Evenly] == set(range(9))


def test_a_radius_without_a_proof_certifies_wrong_rankings():
    tie = study.Instance.of([[0.0], [0.001], [5.0]])
    found = study.wrong_certificates(
        tie,
        lambda n, *, delta, n_arms, sigma: 0.1 * sigma / np.sqrt(n),
        delta=0.3,
        runs=10,
        seed=1,
        last=1,
    )
    assert found >= 3
