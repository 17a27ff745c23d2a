"""Numbers of every kind that people hand over, and what is none."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from states import sigmas_of

import maxgap
from maxgap import (
    MaxGapUCB,
    Problem,
    RoundRobin,
    hardness,
)

# -- rewards ---------------------------------------------------------------------------------------


def named(value):
    """A name of a case that is the same in every process: no addresses, no order of a set."""
    text = repr(value)
    return type(value).__name__ if " at 0x" in text or isinstance(value, (set, frozenset)) else text


NUMBERS = [
    2,
    2.0,
    True,
    Decimal("2"),
    Fraction(2),
    np.float16(2),
    np.float32(2),
    np.float64(2),
    np.longdouble(2),
    np.int8(2),
    np.uint64(2),
    np.True_,
    np.array(2),
    np.array(2.0, dtype=object),
    np.array(Decimal(2)),
    np.ma.array(2.0),
]


@pytest.mark.parametrize("number", NUMBERS, ids=named)
def test_every_real_number_is_a_reward(number):
    policy = RoundRobin(["x", "y"])
    value = float(number)
    policy.tell("x", number)
    policy.tell(["x", "y"], [number, 5])
    policy.tell(["y", "x"], [Decimal(5), number])
    policy.tell(["x"], np.array([number], dtype=object))
    policy.tell(["x"], pd.Series([number], dtype=object))
    assert policy.counts.tolist() == [5, 2]
    assert policy.means.tolist() == [value, 5.0]


# -- scales and probabilities ----------------------------------------------------------------------

HALVES = [
    0.5,
    Decimal("0.5"),
    Fraction(1, 2),
    np.float16(0.5),
    np.float32(0.5),
    np.longdouble(0.5),
    np.array(0.5),
    np.array(Decimal("0.5")),
]


@pytest.mark.parametrize("half", HALVES, ids=named)
def test_a_half_is_a_half_wherever_a_scale_or_a_probability_is_taken(half, tmp_path):
    policy = MaxGapUCB(3, delta=half, sigma=half, c=half)
    same = MaxGapUCB(3, delta=0.5, sigma=0.5, c=0.5)
    for each in (policy, same):
        each.tell([0, 1, 2], [0.0, 1.0, 2.0])
    policy.save(tmp_path / "one.json")
    same.save(tmp_path / "other.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "other.json").read_bytes()
    assert sigmas_of(MaxGapUCB(2, sigma=[half, 1])) == [0.5, 1.0]
    for name in maxgap.confidence.RADII:
        assert maxgap.confidence.radius(
            name, 7, delta=half, n_arms=3, sigma=half
        ) == maxgap.confidence.radius(name, 7, delta=0.5, n_arms=3, sigma=0.5)
    assert maxgap.confidence.guarantees("paper", half)
    assert Problem([0, half], half) == Problem([0, 0.5], 0.5)
    assert maxgap.problems.two_large_gaps(half) == maxgap.problems.two_large_gaps(0.5)
    assert maxgap.problems.four_arms(half, 1.0) == maxgap.problems.four_arms(0.5, 1.0)
    family = maxgap.problems.stopping_time_family
    assert family(half, half) == family(0.5, 0.5)
    large = maxgap.problems.one_large_gap
    assert large(1, 2, 1.0, half) == large(1, 2, 1.0, 0.5)
    assert hardness.lower_bound(half, 0.1, sigma=half) == hardness.lower_bound(0.5, 0.1, sigma=0.5)
    assert hardness.sample_bound([0, 1, 3], half, sigma=half) == hardness.sample_bound(
        [0, 1, 3], 0.5, sigma=0.5
    )


@pytest.mark.parametrize(
    "value",
    [
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("1e-400"),
        Fraction(1, 10**400),
        np.longdouble("1e-4000"),
        Decimal("-0.5"),
        "0.5",
        np.str_("0.5"),
        True,
        np.True_,
        None,
        pd.NA,
        0.5j,
        np.timedelta64(1),
        np.ma.masked,
        np.ma.array(0.5, mask=True),
        {0.5},
        {0: 0.5},
    ],
    ids=named,
)
def test_what_is_no_positive_number_is_no_scale_and_no_probability(value):
    for name, call in (
        ("delta", lambda: MaxGapUCB(3, delta=value)),
        ("sigma", lambda: MaxGapUCB(3, sigma=value)),
        ("sigma", lambda: MaxGapUCB(3, sigma=[Decimal(1), value, 1.0])),
        ("c must", lambda: MaxGapUCB(3, c=value)),
        ("delta", lambda: maxgap.confidence.radius("lil", 1, delta=value, n_arms=2)),
        ("sigma", lambda: maxgap.confidence.radius("lil", 1, delta=0.1, n_arms=2, sigma=value)),
        ("sigma", lambda: Problem([0, 1], value)),
        ("delta", lambda: hardness.lower_bound(0.1, value)),
        ("sigma", lambda: hardness.lower_bound(0.1, 0.1, sigma=value)),
    ):
        with pytest.raises(ValueError, match=name):
            call()


def test_a_probability_that_rounds_to_one_is_refused():
    with pytest.raises(ValueError, match="delta"):
        MaxGapUCB(3, delta=1 - Fraction(1, 10**20))
