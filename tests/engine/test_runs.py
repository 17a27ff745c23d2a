"""Whole compiled runs against the plain twins, which draw the same rewards and share no code."""

import warnings
from collections import Counter

import numpy as np
import pytest
import twins
from strategies import instance

from maxgap import MaxGapElim, MaxGapTop2UCB, MaxGapUCB, RoundRobin, SortThenSearch, simulate

CLASSES = [RoundRobin, SortThenSearch, MaxGapElim, MaxGapUCB, MaxGapTop2UCB]
RULES = ["clusters", "paper", "literal", None]
# Round robin has no rule in the paper, sorting none in the published scripts. Under the proved rule
# these two sample only around the largest gap, and what the rule waits for is settled seldom.
NEVER = {(RoundRobin, "literal")}
SELDOM = {(MaxGapUCB, "clusters"), (SortThenSearch, "clusters")}


def test_a_short_run_of_every_policy_under_every_rule():
    # The next test in small and all at once, so that what is badly broken fails soon.
    problem = instance(5, 1)
    for cls in CLASSES:
        for rule in RULES:
            settings = {"sigma": problem.sigmas, "stopping": rule}
            run = simulate.run(
                cls(5, **settings), problem, budget=130, rng=np.random.default_rng(1)
            )
            plain = twins.Plain(cls.__name__, 5, **settings)
            twins.plain_run(plain, problem, 130, np.random.default_rng(1))
            assert run.counts.tolist() == plain.counts.tolist()
            assert (run.stopped, run.certified) == (plain.stopped, plain.proved)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("cls", CLASSES)
def test_compiled_runs_are_those_of_the_plain_twin_until_they_stop(cls, rule):
    ends = Counter()
    never = rule is None or (cls, rule) in NEVER
    for n_arms in (2, 3, 4, 6, 9, 13, 20):
        for seed in range(1 if never else 3):
            problem = instance(n_arms, seed)
            settings = {"delta": 0.1, "sigma": problem.sigmas, "stopping": rule}
            settings["nested"] = seed == 2
            if cls is MaxGapUCB:
                settings["c"] = 2.0
            budget = 12 * n_arms if never else 60 * n_arms + 50
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # nested intervals may cross
                run = simulate.run(
                    cls(n_arms, **settings), problem, budget=budget, rng=np.random.default_rng(seed)
                )
            plain = twins.plain_run(
                twins.Plain(cls.__name__, n_arms, **settings),
                problem,
                budget,
                np.random.default_rng(seed),
            )
            assert run.counts.tolist() == plain.counts.tolist()
            assert (run.stopped, run.certified) == (plain.stopped, plain.proved)
            assert run.samples == plain.counts.sum()
            assert run.split.top == plain.answer()
            assert run.correct == (plain.answer() == problem.top)
            ends["stopped"] += run.stopped
            leaders = set(np.argsort(run.counts)[-2:].tolist())
            ends["stopped with other leaders"] += run.stopped and not leaders & {0, 1}
    if never:
        assert ends["stopped"] == 0
    elif (cls, rule) not in SELDOM:
        assert ends["stopped"] >= 6
        assert ends["stopped with other leaders"] > 0 or cls in (RoundRobin, SortThenSearch)
