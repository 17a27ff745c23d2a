"""Do forecasts come true? ``python benchmarks/forecasts.py [repeats ratings_of_an_arm]``.

Three sets of arms with the means and spreads of real ratings: tables are drawn from them, the
forecast of each is held to what it then really takes, asking as told.
"""

import copy
import sys

import numpy as np

import maxgap

#: Bounds, means, standard deviations; where a bound is all that fits the spread, rewards are 0/1.
SETS = {
    "odours": ((0, 15), [0.66, 1.82, 2.52, 3.85, 6.95], [1.32, 2.41, 3.39, 3.78, 3.58]),
    "films": (
        (0.5, 5),
        [2.75, 2.91, 3.05, 3.20, 3.25, 3.95, 4.05, 4.15, 4.26, 4.49],
        [1.00, 0.95, 0.93, 1.14, 1.02, 0.90, 0.92, 0.76, 0.87, 0.70],
    ),
    "views": ((0, 1), [0.334, 0.461, 0.735, 0.898], None),
}


def rewards_of(rng, bounds, mean, sd, size):
    """Beta on the bounds, with this mean and standard deviation."""
    low, high = bounds
    share = (mean - low) / (high - low)
    if sd is None:
        return low + (high - low) * (rng.random(size) < share)
    strength = share * (1 - share) * ((high - low) / sd) ** 2 - 1
    return low + (high - low) * rng.beta(share * strength, (1 - share) * strength, size)


def taken(policy, draw):
    """How many more rewards until it stops, asked for a few at a time."""
    n = 0
    while not policy.stopped and n < 3_000_000:
        for arm in policy.ask():
            size = max(1, int(policy.counts[arm]) // 20)
            policy.tell([arm] * size, draw(arm, size))
            n += size
    return n


def main(repeats: int, n: int) -> None:
    for name, (bounds, means, sds) in SETS.items():
        for stopping in ("either", "clusters", "contrasts"):
            ratios, held = [], 0
            for repeat in range(repeats):
                rng = np.random.default_rng([repeat, n])

                def draw(arm, size, rng=rng, bounds=bounds, means=means, sds=sds):
                    return rewards_of(rng, bounds, means[arm], sds and sds[arm], size)

                arms = np.repeat(np.arange(len(means)), n)
                rewards = np.concatenate([draw(arm, n) for arm in range(len(means))])
                found = maxgap.split(arm=arms, reward=rewards, bounds=bounds, stopping=stopping)
                if found.certified:
                    continue
                truth = np.median([taken(copy.copy(found.policy()), draw) for _ in range(3)])
                ratios.append(found.more.median / truth)
                held += found.more.low <= truth <= found.more.high
            low, median, high = np.quantile(ratios, [0.25, 0.5, 0.75], method="inverted_cdf")
            print(
                f"{name:<7}{stopping:<10} forecast / truth {median:5.2f}, half of them "
                f"{low:.2f} to {high:.2f}; in the range {held} of {len(ratios)}"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or (20, 60)))
