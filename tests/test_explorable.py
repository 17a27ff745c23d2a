"""The explorable figure: its JavaScript and the package, fed the same rewards, decide the same."""

import functools
import http.server
import json
import shutil
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import maxgap

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "book" / "_static" / "explorable"
PAGE = "book/04-three-algorithms.html"
CHROMIUM = Path("/usr/bin/chromium")
POLICIES = [maxgap.RoundRobin, maxgap.MaxGapElim, maxgap.MaxGapUCB, maxgap.MaxGapTop2UCB]
ROUNDS = 400
# Both sides take logarithms of their own C library: the last bit may differ.
EXACT = {"rtol": 0, "atol": 1e-12}

INSTANCES = {
    "seven arms": ([0.0, 0.15, 0.35, 1.25, 1.4, 2.2, 2.4], 0.4),
    "two arms": ([0.0, 0.3], 1.0),
    "tied means": ([0.0, 0.0, 1.0, 1.0], 0.5),
    "nearly tied gaps": ([0.0, 1.0, 2.05], 1.0),
    "twelve arms": (np.linspace(0, 3, 12) + (np.arange(12) > 4), 0.7),
}


def rewards_of(name):
    """A table of rewards, shape (K, rounds): the n-th reward of every arm."""
    means, sigma = INSTANCES[name]
    rng = np.random.default_rng(sum(name.encode()))
    noise = rng.standard_normal((len(means), ROUNDS))
    return np.asarray(means)[:, None] + sigma * noise, sigma


def twins():
    """Rewards under which arms share intervals to the last bit: ties in every decision."""
    rewards, sigma = rewards_of("tied means")
    return rewards[[0, 0, 2, 2]], sigma


def package_trace(cls, rewards, sigma, delta=0.1):
    """What the package holds after every round, until it stops or the table is used up."""
    policy = cls(len(rewards), delta=delta, sigma=sigma, stopping="clusters")
    rounds = []
    while not policy.stopped and policy.counts.max() < rewards.shape[1]:
        arms = policy.ask()
        policy.tell(arms, rewards[arms, policy.counts[arms]])
        bounds, certain = policy.gap_bounds(), policy.gap_lower()
        rounds.append(
            {
                "counts": policy.counts.tolist(),
                "means": policy.means.tolist(),
                "lower": policy.lower.tolist(),
                "upper": policy.upper.tolist(),
                "right": bounds.right.tolist(),
                "left": bounds.left.tolist(),
                "certain": certain.value,
                "next": policy.ask(),
                "stopped": policy.stopped,
                "top": sorted(policy.recommend().top),
            }
        )
    return rounds


def assert_same_round(ours, theirs):
    for field in ("counts", "next", "stopped", "top"):
        assert theirs[field] == ours[field], field
    for field in ("means", "lower", "upper", "right", "left", "certain"):
        np.testing.assert_allclose(theirs[field], ours[field], **EXACT, err_msg=field)


# -- the algorithms, in Node -----------------------------------------------------------------------

DRIVER = """
const { Policy } = require(process.argv[1]);
const { name, rewards, delta, sigma } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const policy = new Policy(name, rewards.length, { delta, sigma });
const rounds = [];
while (!policy.stopped && Math.max(...policy.counts) < rewards[0].length) {
  const arms = policy.ask();
  policy.tell(arms, arms.map((arm) => rewards[arm][policy.counts[arm]]));
  rounds.push({
    counts: policy.counts.slice(), means: policy.means.slice(), lower: policy.lower.slice(),
    upper: policy.upper.slice(), right: policy.bounds.right, left: policy.bounds.left,
    certain: policy.certain.value, next: policy.ask(), stopped: policy.stopped,
    top: policy.recommend(),
  });
}
console.log(JSON.stringify(rounds));
"""

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")


def node_trace(cls, rewards, sigma, delta=0.1):
    case = {"name": cls.__name__, "rewards": rewards.tolist(), "delta": delta, "sigma": sigma}
    done = subprocess.run(
        ["node", "-e", DRIVER, str(STATIC / "maxgap.js")],
        input=json.dumps(case),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@needs_node
@pytest.mark.parametrize("name", [*INSTANCES, "twins"])
@pytest.mark.parametrize("cls", POLICIES)
def test_javascript_and_package_agree_round_by_round(cls, name):
    rewards, sigma = twins() if name == "twins" else rewards_of(name)
    ours = package_trace(cls, rewards, sigma)
    theirs = node_trace(cls, rewards, sigma)
    assert len(theirs) == len(ours)
    for one, other in zip(ours, theirs, strict=True):
        assert_same_round(one, other)


def test_the_compared_runs_are_long_and_some_end_certified():
    lengths = {True: 0, False: 0}
    for name in INSTANCES:
        for cls in POLICIES:
            rounds = package_trace(cls, *rewards_of(name))
            lengths[rounds[-1]["stopped"]] += len(rounds)
    assert lengths[True] > 500
    assert lengths[False] > 3000
