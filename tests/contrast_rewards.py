"""Rewards for the certificate of contrasts, drawn and made by hand."""

import numpy as np


def drawn(rng):
    """Rewards, delta and sigmas; often on a grid, so that means and contrasts tie."""
    n_arms = int(rng.integers(2, 8))
    grid = rng.random() < 0.5
    means = (
        rng.integers(0, 4, n_arms) * rng.choice([0.3, 1.0, 3.0])
        if grid
        else rng.normal(0.0, 2.0, n_arms)
    )
    means = means + (rng.random(n_arms) < 0.4) * rng.choice([3.0, 6.0])
    sigmas = rng.choice([0.3, 0.7, 1.0], n_arms) if rng.random() < 0.5 else np.full(n_arms, 0.5)
    counts = rng.integers(1, rng.choice([8, 40, 80]), n_arms)
    rewards = [
        (m + s * (0.5 * rng.integers(-2, 3, n) if grid else rng.normal(size=n))).tolist()
        for m, s, n in zip(means, sigmas, counts, strict=True)
    ]
    return rewards, float(rng.choice([0.05, 0.3, 0.5])), sigmas.tolist()


def constant(steps, *values):
    """Rewards without noise, so many an arm."""
    return [
        [value] * n for value, n in zip(values, np.broadcast_to(steps, len(values)), strict=True)
    ]


def smallest(holds, values):
    """The first of increasing values for which it holds; it goes on holding."""
    found = [holds(value) for value in values]
    assert found == sorted(found)
    assert any(found)
    return values[found.index(True)]
