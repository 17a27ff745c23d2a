"""The core of the rerun panel: fed the same rewards, it decides as the package, to the sample."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import twins as plain_twins
from browser import engine
from strategies import clustered, evenly_spaced, scattered, state_of, two_sided

import maxgap
from maxgap import confidence, problems, simulate
from maxgap.statistics import first_below, percentile_interval, wilson_interval

ROOT = Path(__file__).parents[2]
CORE = ROOT / "book" / "_static" / "rerun" / "core.js"
POLICIES = ("RoundRobin", "MaxGapElim", "MaxGapUCB", "MaxGapTop2UCB")
RADII = ("normal-mixture", "hoeffding", "paper", "authors-lil")

DRIVER = """
// Every round of a run on given rewards, by arm and then by sample.
function trace({ policy, rewards, delta, sigma, radius, rounds }) {
  const run = new Run(policy, rewards.length, { delta, sigma, radius });
  const asked = [];
  for (let round = 0; round < rounds; round += 1) {
    const arms = Array.from(run.next.subarray(0, run.nNext));
    if (arms.some((arm) => run.counts[arm] >= rewards[arm].length)) break;
    arms.forEach((arm) => run.take(arm, rewards[arm][run.counts[arm]]));
    run.decide();
    const means = Array.from(run.means);
    const top = Array.from(run.answer()).flatMap((on, arm) => (on ? [arm] : []));
    asked.push({ arms, means, top });
  }
  return asked;
}

// A whole run on given deviates, in the order of sampling.
function looked({ policy, means, delta, sigma, radius, looks, deviates }) {
  const run = new Run(policy, means.length, { delta, sigma, radius });
  const wrong = new Uint8Array(looks.length);
  const counts = new Float64Array(looks.length * means.length);
  let at = 0;
  runOnce(run, means, sigma, leastGap(means), looks, () => deviates[at++], wrong, 0, counts);
  return { wrong: Array.from(wrong), counts: Array.from(counts) };
}

// The arms of the next round in a state put together by hand.
function decided({ policy, counts, means, lower, upper, active }) {
  const run = new Run(policy, means.length, { delta: 0.05, sigma: 1, radius: "paper" });
  const all = Object.entries({ counts, means, lower, upper, active });
  all.forEach(([name, values]) => run[name].set(values));
  run.unsampled = 0;
  run.decide();
  return { next: Array.from(run.next.subarray(0, run.nNext)), certain: run.certain || 0 };
}

function simulated(setting) {
  const { wrong, counts } = maxgapRerun.simulate(setting);
  const n = setting.looks.length;
  const rows = Array.from(wrong);
  return { wrong: maxgapRerun.summed(wrong, n), rows, counts: Array.from(counts) };
}
function table(radius, nArms, delta, sigma) {
  return Array.from(maxgapRerun.radii({ radius, delta, sigma }, nArms, 3000)).slice(1, 3001);
}
function deviates(n, ...stream) {
  const normal = maxgapRerun.normals(...stream);
  return Array.from({ length: n }, normal);
}
function statistics({ wrong, looks, level }) {
  const { summed, firstBelow, resampled, percentiles, wilson, nonIncreasing } = maxgapRerun;
  const runs = wrong.length / looks.length;
  const counts = summed(wrong, looks.length);
  const finite = (x) => (x === Infinity ? null : x);
  const drawn = resampled(Uint8Array.from(wrong), looks.length, 400, 1).map((row) =>
    firstBelow(Array.from(row), runs, looks, level));
  return { counts, until: finite(firstBelow(counts, runs, looks, level)),
    ends: percentiles(drawn).map(finite), wilson: counts.map((count) => wilson(count, runs)),
    curve: nonIncreasing(counts, runs) };
}
function call(name, ...all) { return maxgapRerun[name](...all); }
"""


@pytest.fixture(scope="module")
def javascript():
    with engine([CORE], DRIVER) as call:
        yield call


def table_of_rewards(name):
    """Rewards, (K, samples), and sigma: on a grid, and with twins, arms tie to the last bit."""
    rng = np.random.default_rng(sum(name.encode()))
    if name == "streetview":
        problem = problems.streetview(0.05)
        return problem.means[:, None] + 0.05 * rng.standard_normal((90, 300)), 0.05
    if name == "two large gaps":
        problem = problems.two_large_gaps(0.1, 0.05)
        return problem.means[:, None] + 0.05 * rng.standard_normal((24, 300)), 0.05
    if name == "twins":
        rewards = rng.standard_normal((4, 400)) + np.array([0, 1.0, 2.5, 3.0])[:, None]
        return rewards[[0, 0, 1, 2, 2, 3, 3]], 1.0
    if name == "a grid":  # means of few values: ties everywhere
        return np.repeat([0.0, 0.5, 0.5, 1.5, 2.0, 2.0, 3.0], 200).reshape(7, 200), 0.5
    if name == "all alike":
        return np.zeros((5, 60)), 1.0
    return np.array([0.0, 0.3])[:, None] + rng.standard_normal((2, 2000)), 1.0  # two arms


INSTANCES = ("streetview", "two large gaps", "twins", "a grid", "all alike", "two arms")


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("policy", POLICIES)
def test_it_asks_for_the_same_arms_round_by_round(policy, radius, name, javascript):
    rewards, sigma = table_of_rewards(name)
    settings = {"delta": 0.1, "sigma": sigma}
    ours = getattr(maxgap, policy)(len(rewards), confidence=radius, stopping=None, **settings)
    case = {"policy": policy, "rewards": rewards.tolist(), "radius": radius, "rounds": 1500}
    theirs = javascript("trace", case | settings)
    assert len(theirs) >= 60
    for one in theirs:
        arms = ours.ask()
        assert one["arms"] == arms
        ours.tell(arms, rewards[arms, ours.counts[arms]])
        assert one["means"] == ours.means.tolist()
        assert set(one["top"]) == ours.recommend().top
    asked = ours.ask()
    spent = len(theirs) < 1500
    assert not spent or (ours.counts[asked] >= rewards.shape[1]).any()


@pytest.mark.parametrize("policy", POLICIES)
def test_it_decides_as_the_plain_twin_in_any_state(policy, javascript):
    shapes = (clustered, two_sided, evenly_spaced, scattered)
    certain = 0
    for seed in range(250):
        (means, lower, upper), counts = state_of(seed, shapes)
        n_arms = len(counts)
        plain = plain_twins.Plain(policy, n_arms, stopping=None)
        plain.counts, plain.mean, plain.lower, plain.upper = counts, means, lower, upper
        if seed % 3 == 0:  # some arms have gone before
            plain.active = set(range(0, n_arms, 2)) | {1}
        state = {"policy": policy, "active": [int(a in plain.active) for a in range(n_arms)]}
        plain.decide()
        state |= {"counts": counts.tolist(), "means": means.tolist()}
        found = javascript("decided", state | {"lower": lower.tolist(), "upper": upper.tolist()})
        assert found["next"] == plain.next
        if policy == "MaxGapElim":
            assert max(found["certain"], 0) == plain_twins.certain_gap(means, lower, upper)[0]
            certain += found["certain"] > 0
    assert policy != "MaxGapElim" or 50 < certain < 200


@pytest.mark.parametrize("radius", RADII)
def test_radii_are_those_of_the_package_to_the_last_bit(radius, javascript):
    n = np.arange(1, 3001)
    for n_arms, delta, sigma in ((2, 0.05, 1.0), (24, 0.1, 0.05), (100, 0.31, 0.7)):
        ours = confidence.radius(radius, n, delta=delta, n_arms=n_arms, sigma=sigma)
        assert javascript("table", radius, n_arms, delta, sigma) == ours.tolist()
        assert javascript("call", "isProved", radius, sigma) == confidence.guarantees(radius, sigma)


def test_a_radius_is_said_to_be_proved_only_where_it_is(javascript):
    for sigma in (0.05, 0.7, 0.5**0.5, 0.71, 1.0, 4.0):
        for radius in RADII:
            said = javascript("call", "isProved", radius, sigma)
            assert said == confidence.guarantees(radius, sigma)


@pytest.mark.parametrize("policy", POLICIES)
def test_it_looks_at_the_answer_in_the_middle_of_a_round_too(policy, javascript):
    problem = problems.two_large_gaps(0.2, 0.3)
    looks = [5, 23, 24, 31, 47, 48, 100, 101, 333, 600]
    deviates = np.random.default_rng(4).standard_normal(600)
    settings = {"delta": 0.1, "sigma": 0.3}
    ours = getattr(maxgap, policy)(24, confidence="authors-lil", stopping=None, **settings)
    sums, counts = np.zeros(24), np.zeros(24, dtype=int)
    wrong, seen, total = [], [], 0
    while total < 600:
        for arm in ours.ask():
            reward = problem.means[arm] + 0.3 * deviates[total]
            sums[arm] += reward
            counts[arm] += 1
            total += 1
            if total in looks:
                top = None
                if counts.all():
                    top = plain_twins.widest_empirical_split(sums / counts)
                wrong.append(int(top != problem.top))
                seen += counts.tolist()
            if total == 600:
                break
        else:
            arms = ours.ask()
            last = deviates[total - len(arms) : total]
            ours.tell(arms, problem.means[arms] + 0.3 * last)
    case = {"policy": policy, "means": problem.means.tolist(), "radius": "authors-lil"}
    case |= {"looks": looks, "deviates": deviates.tolist()} | settings
    assert javascript("looked", case) == {"wrong": wrong, "counts": seen}
    assert 0 < sum(wrong) < len(looks)


def test_of_equal_largest_gaps_any_is_right_and_of_equal_means_none(javascript):
    case = {"policy": "RoundRobin", "means": [0.0, 1.0, 2.0], "delta": 0.1, "sigma": 0.1}
    case |= {"radius": "paper", "looks": [3], "deviates": [0.0, 1.0, 0.0]}
    assert javascript("looked", case)["wrong"] == [0]
    case |= {"means": [0.0, 0.0, 2.0], "sigma": 1.0, "deviates": [0.0, 0.0, -2.0]}
    assert javascript("looked", case)["wrong"] == [0]  # all alike: the last arm, as the package
    case |= {"means": [2.0, 0.0, 0.0], "deviates": [-2.0, 0.0, 0.0]}
    assert javascript("looked", case)["wrong"] == [1]


# -- its own noise --------------------------------------------------------------------------------


def test_deviates_are_standard_normal_and_streams_differ(javascript):
    from scipy import stats

    streams = [
        javascript("deviates", 40_000, *key) for key in ((1, 0, 0), (1, 0, 1), (1, 1, 0), (2, 0, 0))
    ]
    for values in streams:
        assert stats.kstest(values, "norm").pvalue > 1e-4
        lagged = np.corrcoef(values[:-1], values[1:])[0, 1]
        assert abs(lagged) < 0.02
    together = np.corrcoef(streams)
    assert np.abs(together - np.eye(4)).max() < 0.02
    first = [javascript("deviates", 1, 7, 2, run)[0] for run in range(4000)]
    assert stats.kstest(first, "norm").pvalue > 1e-4
    assert streams[0] == javascript("deviates", 40_000, 1, 0, 0)


def test_a_link_to_an_experiment_leads_to_the_same_noise_next_year(javascript):
    first = [1.365372506797079, 2.2439839273015063, 0.9293077922072435]
    assert javascript("deviates", 3, 1, 0, 0) == pytest.approx(first, rel=1e-12)
    later = [-0.21474868482933063, -1.9265192641236923, 0.4869349920217993]
    assert javascript("deviates", 3, 7, 2, 3_000_119) == pytest.approx(later, rel=1e-12)


def test_a_run_is_the_same_whoever_asks_for_it(javascript):
    problem = problems.two_large_gaps(0.1, 0.05)
    case = {"policy": "MaxGapUCB", "means": problem.means.tolist(), "sigma": 0.05, "delta": 0.1}
    case |= {"radius": "authors-lil", "looks": [100, 200], "seed": 3}
    together = javascript("simulated", case | {"first": 5, "runs": 6})
    apart = [javascript("simulated", case | {"first": 5 + k, "runs": 1}) for k in range(6)]
    assert together["rows"] == [bit for one in apart for bit in one["rows"]]
    assert together["counts"] == np.sum([one["counts"] for one in apart], axis=0).tolist()
    assert sum(together["counts"]) == 6 * 300


def overlap(wrong, runs, stored):
    """Whether the 95% interval of so many wrong answers meets one of per cents, "22 (16-31)"."""
    low, high = (100 * end for end in wilson_interval(wrong, runs))
    share, lowest, highest = (float(x) for x in re.findall(r"[\d.]+", stored))
    assert lowest <= share <= highest
    return low <= highest + 0.5 and high >= lowest - 0.5


def printed(chapter, table):
    """The stored text of a table of a chapter, by the name it has there."""
    cells = json.loads((ROOT / "book" / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    (cell,) = (
        c for c in cells if c["metadata"].get("mystnb", {}).get("figure", {}).get("name") == table
    )
    return "".join(cell["outputs"][0]["data"]["text/plain"])


@pytest.mark.parametrize("policy", POLICIES)
def test_two_large_gaps_errs_as_the_book_has_stored_it(policy, javascript):
    problem = problems.two_large_gaps(0.1, 0.05)
    case = {"policy": policy, "means": problem.means.tolist(), "sigma": 0.05, "delta": 0.1}
    case |= {"radius": "authors-lil", "looks": [400], "seed": 1, "first": 0, "runs": 1000}
    (wrong,) = javascript("simulated", case)["wrong"]
    records = (ROOT / "book" / "records" / "two-large-gaps.json").read_text(encoding="utf-8")
    assert overlap(wrong, 1000, json.loads(records)["two-gaps-curves"][policy])


@pytest.mark.parametrize("policy", ["RoundRobin", "MaxGapUCB", "MaxGapTop2UCB"])
def test_streetview_errs_as_the_book_has_stored_it(policy, javascript):
    problem = problems.streetview(0.05)
    case = {"policy": policy, "means": problem.means.tolist(), "sigma": 0.05, "delta": 0.1}
    case |= {"radius": "authors-lil", "looks": [30_000, 60_000], "seed": 1, "first": 0, "runs": 100}
    found = javascript("simulated", case)["wrong"]
    text = printed("streetview", "tab-streetview-error")
    (row,) = (line for line in text.splitlines() if line.startswith(policy + " "))
    stored = re.findall(r"\d+ \(\d+-\d+\)", row)[:2]
    for wrong, at_look in zip(found, stored, strict=True):
        assert overlap(wrong, 100, at_look)


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("policy", POLICIES[1:])
def test_samples_of_the_arms_are_those_of_the_package_on_average(policy, radius, javascript):
    problem = problems.two_large_gaps(0.2, 1.0)
    settings = {"delta": 0.1, "sigma": 1.0}
    looks, runs = [2_000, 40_000], 60
    case = {"policy": policy, "means": problem.means.tolist(), "radius": radius, "looks": looks}
    found = javascript("simulated", case | settings | {"seed": 9, "first": 0, "runs": runs})
    theirs = np.reshape(found["counts"], (2, 24)) / runs
    ours = simulate.replicate(
        {0: getattr(maxgap, policy)(24, confidence=radius, stopping=None, **settings)},
        problem,
        budget=looks[-1],
        checkpoints=looks,
        replicates=runs,
        seed=9,
    )
    error = ours.counts_sd[0] * np.sqrt(2 / runs)
    assert (np.abs(theirs - ours.counts[0]) < 5 * error + 0.5).all()


# -- statistics -----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.2, 0.05, 0.01])
def test_curves_are_read_off_as_the_package_does(level, javascript):
    rng = np.random.default_rng(int(1000 * level))
    missed = 0
    for _ in range(40):
        n = int(rng.integers(2, 30))
        error = 0.6 * np.exp(-rng.uniform(0, 0.4) * np.arange(n))
        wrong = rng.random((120, n)) < error
        looks = np.cumsum(rng.integers(1, 50, n))
        case = {"wrong": wrong.astype(int).ravel().tolist(), "looks": looks.tolist()}
        found = javascript("statistics", case | {"level": level})
        counts = wrong.sum(axis=0)
        assert found["counts"] == counts.tolist()
        ours = first_below(counts[None, :], 120, looks, level)[0]
        missed += np.isinf(ours)
        assert (np.inf if found["until"] is None else found["until"]) == pytest.approx(ours)
        ends = np.transpose(wilson_interval(counts, 120))
        assert np.allclose(found["wilson"], ends, atol=1e-12)
        assert (np.diff(found["curve"]) <= 1e-15).all()
        assert np.mean(found["curve"]) == pytest.approx(wrong.mean())  # pooling keeps the sum
        # The bootstrap of the package draws other runs: its ends are near.
        drawn = rng.multinomial(120, np.full(120, 1 / 120), size=400) @ wrong.astype(np.int64)
        low, high = percentile_interval(first_below(drawn, 120, looks, level)[None, :])
        theirs = [np.inf if end is None else end for end in found["ends"]]
        steps = 4 * np.diff(looks).max()
        for one, other in zip(theirs, (low[0], high[0]), strict=True):
            assert np.isinf(one) or np.isinf(other) or abs(one - other) <= steps
    assert level == 0.2 or missed > 3


def test_a_ratio_follows_the_package_s_convention(javascript):
    ratio = "((base, other) => maxgapRerun.timesFewer(base, other === null ? Infinity : other))"
    assert javascript(ratio, 600, 100) == 6
    assert javascript(ratio, 600, None) == 0
    assert javascript("call", "percentiles", list(range(1, 41))) == [1, 39]
    ours = percentile_interval(np.arange(1.0, 401.0)[None, :])[:, 0].tolist()
    assert javascript("call", "percentiles", list(range(1, 401))) == ours
