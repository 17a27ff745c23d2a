"""Speed, as ratios measured in one process and growth with the number of arms.

Run ``make bench``. Each row has what it asks for and what was measured. Where one
thread works, what counts is its processor time, the best of several tries, so other work on the
machine matters little; the figure's seconds and the gain of two workers need a quiet machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
from numba import njit

import maxgap
from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, RoundRobin, problems, reference, simulate

POLICIES = (RoundRobin, MaxGapElim, MaxGapUCB, MaxGapTop2UCB)

#: The Streetview figure at the published size, in a process of its own.
FIGURE = """
import sys, time
from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, RoundRobin, problems, simulate

def figure(replicates, n_jobs):
    settings = dict(delta=0.1, sigma=0.05, confidence="authors-lil", stopping=None)
    policies = {
        c.__name__: c(90, **settings) for c in (RoundRobin, MaxGapElim, MaxGapUCB, MaxGapTop2UCB)
    }
    start = time.perf_counter()
    simulate.replicate(
        policies, problems.streetview(0.05), budget=200_000, replicates=replicates, seed=1,
        n_jobs=n_jobs,
    ).errors
    return time.perf_counter() - start

figure(1, 1)
"""
PEAK = """
try:  # of this program alone
    status = open("/proc/self/status").read()
    peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
except OSError:  # not Linux
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(figure_seconds, peak / 1e6)
"""
#: Everything that is compiled: bounds, every policy, both ways to run, every noise.
COMPILE = """
import time, numpy as np, maxgap
from maxgap import simulate
start = time.process_time()
maxgap.gap_upper_bounds([0.0, 1.0], [2.0, 3.0])
problem = maxgap.Problem([0.1, 0.9])
for cls in (maxgap.RoundRobin, maxgap.SortThenSearch, maxgap.MaxGapElim, maxgap.MaxGapUCB,
            maxgap.MaxGapTop2UCB):
    policy = cls(2)
    for noise in simulate.NOISES:
        simulate.run(policy, problem, budget=50, rng=np.random.default_rng(1), noise=noise)
    policy.tell([0, 1], [0.0, 1.0])
    policy.recommend()
print(time.process_time() - start)
"""


def main() -> None:
    """Measure, and print one table."""
    rows: list[tuple[str, str, str, str]] = []

    def row(what: str, measured: float, unit: str, most: float, *, at_least: bool = False) -> None:
        good = measured >= most if at_least else measured <= most
        target = f"{'>=' if at_least else '<='} {most:g}"
        rows.append((what, f"{measured:.3g} {unit}".strip(), target, "yes" if good else "NO"))
        print(".", end="", file=sys.stderr, flush=True)

    # MaxGapElim samples whole rounds at first: a small budget makes it look cheap.
    for budget, targets in ((200_000, (3, 8, 20, 20)), (1_000_000, (3, 20, 20, 20))):
        costs = costs_of_a_sample(budget)
        for name, most in zip(costs, targets, strict=True):
            what = f"one sample of {name}, 90 arms, budget {budget:,}, against one normal deviate"
            row(what, costs[name], "x", most)

    ratio, growth, seconds = gap_bounds()
    row(
        "gap_upper_bounds, 1,000 arms: the paper's procedure against it",
        ratio,
        "x",
        1000,
        at_least=True,
    )
    row("gap_upper_bounds: exponent of growth, 1e3 to 1e6 arms", growth, "", 1.15)
    row("gap_upper_bounds, 1,000,000 arms", seconds, "s", 1.5)
    for what, exponent in growth_of_a_round().items():
        row(f"MaxGapUCB, {what}: exponent of growth, 1e2 to 1e5 arms", exponent, "", 1.1)
    exponent, milliseconds = one_rating_at_a_time()
    what = "one rating at a time while all intervals overlap"
    row(f"MaxGapUCB, {what}: exponent of growth, 1e3 to 16e3 arms", exponent, "", 1.1)
    row(f"MaxGapUCB, {what}, 16,000 arms", milliseconds, "ms", 1)

    seconds, megabytes = figure_at_published_size()
    row("Streetview figure, 4 policies x 120 runs x 200,000, two workers", seconds, "s", 12)
    row("its peak memory", megabytes, "MB", 400)
    row("two workers against one", speedup_of_two_workers(), "x", 1.7, at_least=True)

    row("import maxgap", import_seconds(), "s", 1)
    cold, warm = compile_seconds()
    row("compiling everything from cold", cold, "s", 30)
    row("the same with the cache", warm, "s", 3)

    print(file=sys.stderr)
    load = f"; load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    print(f"{os.cpu_count()} processors{load}")
    rows.insert(0, ("what", "measured", "target", "met"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        print(line.rstrip())


def best(function: Callable[[], object], tries: int, clock: Callable[[], float]) -> float:
    """The least time that a call took."""
    times = []
    for _ in range(tries):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


@njit(cache=True)
def _sum_of_normals(rng: np.random.Generator, n: int) -> float:
    total = 0.0
    for _ in range(n):
        total += rng.standard_normal()
    return total


def costs_of_a_sample(budget: int) -> dict[str, float]:
    """Time of one sample of each policy on Streetview over that of one normal deviate."""
    rng = np.random.default_rng(1)
    problem = problems.streetview(0.05)
    _sum_of_normals(rng, 10)
    settings = {"delta": 0.1, "sigma": 0.05, "confidence": "authors-lil", "stopping": None}
    policies = {cls.__name__: cls(90, **settings) for cls in POLICIES}
    costs = dict.fromkeys(policies, np.inf)
    deviate = np.inf
    for policy in policies.values():  # compiles, and leaves the radii in a table
        simulate.run(policy, problem, budget=budget, rng=np.random.default_rng(0))
    # In turn, so that a slow spell of the machine meets all of them.
    for k in range(12 if budget < 1_000_000 else 4):
        n = 2_000_000
        seconds = best(lambda n=n: _sum_of_normals(rng, n), 1, time.thread_time)
        deviate = min(deviate, seconds / n)
        for name, policy in policies.items():
            run_rng = np.random.default_rng(k % 4)
            seconds = best(
                lambda p=policy, r=run_rng: simulate.run(p, problem, budget=budget, rng=r),
                1,
                time.thread_time,
            )
            costs[name] = min(costs[name], seconds / budget)
    return {name: cost / deviate for name, cost in costs.items()}


def random_intervals(n_arms: int) -> tuple[np.ndarray, np.ndarray]:
    """Intervals that touch a few hundred others where there are many arms."""
    rng = np.random.default_rng(n_arms)
    centre = rng.uniform(0, 1, n_arms)
    half = rng.uniform(0, min(0.1, 100 / n_arms), n_arms)
    return centre - half, centre + half


def gap_bounds() -> tuple[float, float, float]:
    """Gain over the literal procedure at 1,000 arms; exponent of growth; seconds at a million."""
    seconds = {}
    for n_arms in (10**3, 10**4, 10**5, 10**6):
        ends = random_intervals(n_arms)
        maxgap.gap_upper_bounds(*ends)
        tries = max(3, 10**6 // n_arms // 5)
        seconds[n_arms] = best(lambda e=ends: maxgap.gap_upper_bounds(*e), tries, time.thread_time)
    ends = random_intervals(1000)
    literal = best(lambda: reference.gap_upper_bounds(*ends), 1, time.thread_time)
    growth = np.polyfit(np.log(list(seconds)), np.log(list(seconds.values())), 1)[0]
    return literal / seconds[10**3], float(growth), seconds[10**6]


def growth_of_a_round() -> dict[str, float]:
    """Exponents of growth of the time of one round: of early rounds, and of one that moves all."""
    sizes, early, whole = (10**2, 10**3, 10**4, 10**5), [], []
    for n_arms in sizes:
        rng = np.random.default_rng(n_arms)
        means = rng.uniform(0, 1, n_arms)
        # Narrow intervals: then few arms share the highest bound, and a round is cheap.
        rounds = 200
        times_early, times_whole = [], []
        for _ in range(3):
            policy = MaxGapUCB(n_arms, sigma=1 / n_arms, stopping=None)
            every_arm = np.arange(n_arms)
            times_whole.append(_timed_tell(policy, every_arm, means, rng, n_arms))
            seconds = 0.0
            for _ in range(rounds):
                asked = np.array(policy.ask())
                seconds += _timed_tell(policy, asked, means, rng, n_arms)
            times_early.append(seconds / rounds)
            times_whole.append(_timed_tell(policy, every_arm, means, rng, n_arms))
        early.append(min(times_early))
        whole.append(min(times_whole[1::2]))
    logs = np.log(sizes)
    return {
        "a round of the arms asked for": float(np.polyfit(logs, np.log(early), 1)[0]),
        "a round of all arms": float(np.polyfit(logs, np.log(whole), 1)[0]),
    }


def _timed_tell(
    policy: MaxGapUCB, arms: np.ndarray, means: np.ndarray, rng: np.random.Generator, n_arms: int
) -> float:
    rewards = means[arms] + rng.standard_normal(arms.size) / n_arms
    start = time.thread_time()
    policy.tell(arms, rewards)
    return time.thread_time() - start


def one_rating_at_a_time() -> tuple[float, float]:
    """Exponent of growth of the time of a tell, and milliseconds at the largest size."""
    sizes, seconds = (1_000, 4_000, 16_000), []
    for n_arms in sizes:
        rng = np.random.default_rng(n_arms)
        policy = MaxGapUCB(n_arms, sigma=1.0)
        policy.tell(range(n_arms), rng.standard_normal(n_arms))
        told = list(
            zip(rng.integers(n_arms, size=200).tolist(), rng.standard_normal(200), strict=True)
        )

        def tell(policy: MaxGapUCB = policy, told: list[tuple[int, float]] = told) -> None:
            for arm, reward in told:
                policy.tell(arm, reward)

        seconds.append(best(tell, 5, time.thread_time) / len(told))
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    return float(exponent), 1000 * seconds[-1]


def in_a_new_process(code: str, **environment: str) -> list[float]:
    """The numbers that a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(word) for word in done.stdout.split()]


def figure_at_published_size() -> tuple[float, float]:
    """Seconds and megabytes of all runs behind the Streetview figure, best of three."""
    code = f"{FIGURE}\nfigure_seconds = figure(120, 2)\n{PEAK}"
    seconds, megabytes = zip(*(in_a_new_process(code) for _ in range(3)), strict=True)
    return min(seconds), max(megabytes)


def speedup_of_two_workers() -> float:
    """Time with one worker over time with two, on a quarter of the figure; each best of three."""
    code = (
        f"{FIGURE}\n"
        "times = [(figure(32, 1), figure(32, 2)) for _ in range(3)]\n"
        "print(*map(min, zip(*times)))\n"
    )
    one, two = in_a_new_process(code)
    return one / two


def import_seconds() -> float:
    """Processor time of the import in a fresh process, best of five."""
    code = (
        "import time; start = time.process_time()\n"
        "import maxgap; print(time.process_time() - start)\n"
    )
    return min(in_a_new_process(code)[0] for _ in range(5))


def compile_seconds() -> tuple[float, float]:
    """Processor time of first calls with an empty cache, and in the next process."""
    with tempfile.TemporaryDirectory() as folder:
        return tuple(in_a_new_process(COMPILE, NUMBA_CACHE_DIR=folder)[0] for _ in range(2))


if __name__ == "__main__":
    main()
