"""Hypothesis strategies shared by the tests: intervals and numbers in which ties are common."""

import numpy as np
from hypothesis import strategies as st

import maxgap

FINITE = st.floats(-1e3, 1e3, allow_nan=False, allow_infinity=False, allow_subnormal=False)
# Few values, so that ends coincide; floats hold multiples of 0.125 exactly, and those of 0.1 not.
STEPS = [1.0, 0.125, 0.1, 1e-9, 1e9]
GRIDS = st.sampled_from([step * k for step in STEPS for k in range(-4, 5)])


@st.composite
def intervals(draw, min_arms=2, max_arms=5, infinite=False):
    """Draw (lower, upper): tied, touching, nested, degenerate, identical and disjoint intervals.

    With `infinite`, some arms have one or two infinite ends, as arms never sampled do.
    """
    n_arms = draw(st.integers(min_arms, max_arms))
    if draw(st.booleans()):
        # Ends out of a small pool are often shared.
        pool = draw(st.lists(FINITE | GRIDS, min_size=1, max_size=n_arms + 2))
    else:
        step = draw(st.sampled_from(STEPS))
        pool = [step * k for k in range(-3, 4)]
    end = st.sampled_from(pool)
    pairs = []
    for _ in range(n_arms):
        low, high = sorted((draw(end), draw(end)))
        shape = draw(st.sampled_from(["free", "free", "point", "same", "touching", "inside"]))
        if shape == "point":
            high = low
        elif pairs and shape != "free":
            other_low, other_high = draw(st.sampled_from(pairs))
            if shape == "same":
                low, high = other_low, other_high
            elif shape == "touching":
                low, high = other_high, max(other_high, high)
            else:
                low = min(max(low, other_low), other_high)
                high = max(min(high, other_high), low)
        pairs.append((low, high))
    lower, upper = np.array(pairs, dtype=float).T.copy()
    if infinite:
        open_below = draw(st.lists(st.booleans(), min_size=n_arms, max_size=n_arms))
        open_above = draw(st.lists(st.booleans(), min_size=n_arms, max_size=n_arms))
        lower[open_below] = -np.inf
        upper[open_above] = np.inf
    return lower, upper


@st.composite
def coarse_intervals(draw, min_arms=2, max_arms=5):
    """Draw (lower, upper) with ends on the whole numbers 0 to 8: far apart, or equal."""
    n_arms = draw(st.integers(min_arms, max_arms))
    end = st.integers(0, 8)
    pairs = [sorted((draw(end), draw(end))) for _ in range(n_arms)]
    lower, upper = np.array(pairs, dtype=float).T.copy()
    return lower, upper


@st.composite
def estimates(draw, min_arms=2, max_arms=6):
    """Draw (means, lower, upper) with means inside their intervals, ends included."""
    lower, upper = draw(intervals(min_arms, max_arms))
    share = np.array(
        draw(
            st.lists(
                st.sampled_from([0.0, 0.5, 0.5, 1.0]) | st.floats(0, 1),
                min_size=len(lower),
                max_size=len(lower),
            )
        )
    )
    means = np.clip(lower + share * (upper - lower), lower, upper)
    return means, lower, upper


@st.composite
def symmetric_estimates(draw, min_arms=2, max_arms=6):
    """Draw (means, lower, upper) as a policy sees them: a mean and a radius for every arm."""
    n_arms = draw(st.integers(min_arms, max_arms))
    means = np.array(draw(st.lists(FINITE | GRIDS, min_size=n_arms, max_size=n_arms)))
    radius = st.sampled_from([0.0, 0.1, 0.5, 1.0]) | st.floats(0, 100)
    radii = np.array(draw(st.lists(radius, min_size=n_arms, max_size=n_arms)))
    return means, means - radii, means + radii


# What follows draws one number and makes everything of it: 20 arms drawn one by one take a hundred
# times as long.
SEEDS = st.integers(0, 2**32 - 1)


def clustered(rng, max_arms=20):
    """(means, lower, upper) of up to 20 arms in one to four clusters, often far apart.

    All ends are whole multiples of a step, so that ties are common; inside a cluster intervals are
    equal, overlapping, touching or disjoint.
    """
    n_arms = rng.integers(2, max_arms + 1)
    n_clusters = rng.integers(1, min(4, n_arms) + 1)
    apart, spacing = rng.choice([0, 3, 12, 100, 100]), rng.choice([0, 1, 3, 3])
    centre = apart * (np.arange(n_arms) * n_clusters // n_arms) + spacing * np.arange(n_arms)
    centre = rng.permutation(centre)
    widest = rng.choice([0, 0, 1, 3])
    below, above = rng.integers(0, widest + 1, (2, n_arms))
    share = rng.choice([0.0, 0.25, 0.5, 1.0], n_arms)
    if rng.random() < 0.5:  # as a policy's intervals are
        above, share = below, 0.5
    step = rng.choice(STEPS)
    lower, upper = step * (centre - below), step * (centre + above)
    return np.clip(lower + share * (upper - lower), lower, upper), lower, upper


def evenly_spaced(rng, max_arms=20):
    """(means, lower, upper) of arms in steps of one, all as wide: every slot ties."""
    means = rng.permutation(rng.integers(2, max_arms + 1)).astype(float)
    half = rng.choice([0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 2.5])
    return means, means - half, means + half


def two_sided(rng, max_arms=20):
    """(means, lower, upper) of two clusters of narrow intervals, most of them touching no other.

    The gap between the clusters is certain, and often known to be the largest.
    """
    n_arms = rng.integers(2, max_arms + 1)
    n_below = rng.integers(1, n_arms)
    centre = rng.permutation(
        4.0 * np.arange(n_arms) + rng.choice([0, 9, 30]) * (np.arange(n_arms) >= n_below)
    )
    below, above = rng.integers(0, rng.choice([2, 2, 2, 4]), (2, n_arms))
    return centre, centre - below, centre + above


def scattered(rng, max_arms=20):
    """(means, lower, upper) of arms anywhere, their intervals of any width."""
    n_arms = rng.integers(2, max_arms + 1)
    means = rng.normal(size=n_arms) * rng.choice([1.0, 10.0])
    below, above = rng.exponential(rng.choice([0.01, 0.3, 2.0]), (2, n_arms))
    return means, means - below, means + above


def state_of(seed, shapes=(clustered, two_sided, evenly_spaced, scattered)):
    """An estimate and counts; two arms, mostly neighbours in rank, lead by a factor of up to 1000.

    The same seed gives the same state.
    """
    rng = np.random.default_rng(seed)
    estimate = shapes[rng.integers(len(shapes))](rng)
    n_arms = estimate[0].size
    counts = rng.integers(1, 5, n_arms)
    if rng.random() < 0.7:
        pair = np.argsort(estimate[0], kind="stable")[rng.integers(0, n_arms - 1) :][:2]
    else:
        pair = rng.permutation(n_arms)[:2]
    counts[pair] *= rng.choice([1, 3, 20, 80, 1000, 1000])
    return estimate, counts


def numbers(min_size=2, max_size=30):
    """Draw a list of finite numbers: any magnitude, or evenly spaced and tied ones."""
    any_float = st.floats(allow_nan=False, allow_infinity=False)
    return st.one_of(
        st.lists(any_float, min_size=min_size, max_size=max_size),
        st.lists(FINITE | GRIDS, min_size=min_size, max_size=max_size),
        st.tuples(FINITE, st.sampled_from([1e-9, 0.1, 1.0, 3.0])).flatmap(
            lambda line: st.lists(
                st.integers(0, 12).map(lambda k: line[0] + line[1] * k),
                min_size=min_size,
                max_size=max_size,
            )
        ),
    )


def drawn_intervals(rng, n_arms, equal):
    """Intervals around means that lie far apart and close together; all as wide, or not."""
    means = np.cumsum(rng.exponential(1, n_arms) * rng.choice([0.3, 1, 3], n_arms))
    half = np.full(n_arms, 0.5) if equal else np.exp(rng.standard_normal(n_arms)) / 2
    return means - half, means + half


def instance(n_arms, seed):
    """Means in random order with one large gap somewhere; noise equal or unequal."""
    rng = np.random.default_rng([n_arms, seed])
    gaps = rng.uniform(0.1, 0.4, n_arms - 1)
    gaps[rng.integers(n_arms - 1)] = 1.5
    means = rng.permutation(np.append(0.0, gaps.cumsum()))
    return maxgap.Problem(means, 0.15 if seed % 2 else rng.uniform(0.05, 0.2, n_arms))
