"""What is compiled, and from where it may be called: in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def ran(code, **environment):
    """What a program prints in a process of its own, with compilation."""
    inherited = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


INTERNAL = """
import numpy as np
from maxgap.engine.compiled import compiled, inlined, internal
@internal
def double(x): return 2 * x
@inlined
def more(x): return double(x) + 1
@compiled
def both(x): return double(x) + more(x)
print(both(1))
for function in (double, more):
    try:
        function(1)
    except TypeError as error:
        print(error)
"""


def test_what_has_no_way_in_from_python_says_so():
    words = "is internal: compiled code alone may call it"
    assert ran(INTERNAL) == f"5\ndouble {words}\nmore {words}"


#: What runs without contrasts must not wait until they are compiled.
WITHOUT_CONTRASTS = """
import numpy as np, maxgap
from maxgap import simulate, stopping
from maxgap.contrasts import aims, certificate, look, rules
for rule in ("clusters", "paper", None):
    policy = maxgap.MaxGapElim(3, stopping=rule)
    simulate.run(policy, maxgap.Problem([0.0, 0.5, 1.0]), budget=9, rng=np.random.default_rng(1))
    policy.tell(policy.ask(), [0.0, 0.5, 1.0])
compiled = {
    name: len(code.overloads)
    for module in (aims, certificate, look, rules)
    for name, code in vars(module).items()
    if getattr(code, "__module__", "").startswith("maxgap.contrasts")
    and hasattr(code, "overloads")
}
print(len(compiled) > 30, sum(compiled.values()))
"""


def test_what_does_without_contrasts_does_not_compile_them():
    assert ran(WITHOUT_CONTRASTS) == "True 0"


#: Takes the options from numba that it does not document, before anything is compiled.
PLAIN_NUMBA = """
import numba, numba.extending
dropped, with_options, methods = set(), numba.njit, numba.extending.overload_method
def njit(*args, **options):
    for name in ("_nrt", "forceinline", "no_cpython_wrapper", "no_cfunc_wrapper"):
        if options.pop(name, None) is not None:
            dropped.add(name)
    assert set(options) <= {"cache", "nogil"}, options
    return with_options(*args, **options)
def overload_method(*args, jit_options=None, **options):
    return methods(*args, **options)
numba.njit, numba.extending.overload_method = njit, overload_method
"""

RUNS = """
import numpy as np, maxgap
problem = maxgap.Problem([0.0, 0.3, 1.5, 1.7], 0.5)
policy, rng = maxgap.MaxGapTop2UCB(4, sigma=0.5, stopping="either"), np.random.default_rng(4)
while not policy.stopped:
    arms = policy.ask()
    policy.tell(arms, [problem.means[arm] + 0.5 * rng.standard_normal() for arm in arms])
print(policy.counts.tolist(), policy.certified, policy.recommend(), policy.lower.tolist())
run = maxgap.simulate.run(maxgap.MaxGapElim(4, sigma=0.5, nested=True), problem, budget=900,
                          rng=np.random.default_rng(5))
print(run)
"""


def test_it_runs_without_the_options_that_numba_does_not_document(tmp_path):
    plain = ran(PLAIN_NUMBA + RUNS + "print(len(dropped))", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert plain == ran(RUNS) + "\n4"


#: Two processes that both find nothing kept and save the code for another type.
BOTH_SAVE = """
import numpy as np
from maxgap.statistics import first_below
first_below._cache._cache_file._load_index = dict
for kind in (np.int64, np.int32):
    first_below(np.array([[2, 1]], kind), 2, np.array([1, 2]), 0.5)
"""


def test_processes_that_save_at_once_do_not_write_into_one_file(tmp_path):
    ran(BOTH_SAVE, NUMBA_CACHE_DIR=str(tmp_path))
    assert len([*tmp_path.rglob("statistics.first_below*.nbc")]) == 2


# -- patience --------------------------------------------------------------------------------------

#: As long as told to here, in plain Python; says how many rounds were told before it was compiled.
ROUNDS = """
import numpy as np, maxgap
from maxgap.engine import compiled, slots, state
problem = maxgap.Problem([0.0, 0.3, 1.5, 1.7], 0.5)
policy, rng = maxgap.MaxGapTop2UCB(4, sigma=0.5), np.random.default_rng(4)
seen = []
for plain in range(40):
    arms = policy.ask()
    policy.tell(arms, [problem.means[arm] + 0.5 * rng.standard_normal() for arm in arms])
    seen.append((arms, policy.counts.tolist(), policy.lower.tolist(), policy.upper.tolist()))
    n_compiled = len(getattr(state.tell, "overloads", "-"))
    if n_compiled == 0 and plain == last_plain:
        compiled.PATIENCE = 0
    print(n_compiled, seen[-1])
"""


def rounds(last_plain, before="", **environment):
    """In how many rounds `tell` was compiled, and what the rounds were."""
    printed = ran(f"{before}\nlast_plain = {last_plain}\n{ROUNDS}", **environment).splitlines()
    return sum(line[0] == "1" for line in printed), [line[2:] for line in printed]


def test_ask_and_tell_are_compiled_once_plain_python_took_long(tmp_path):
    fresh, patient = {"NUMBA_CACHE_DIR": str(tmp_path / "fresh")}, {"MAXGAP_PATIENCE": "1000"}
    n_compiled, first = rounds(-1, **patient, **fresh)
    assert n_compiled == 0
    n_compiled, then = rounds(20, **patient, **fresh)
    assert n_compiled == 19
    # Now it is kept, and used at once.
    n_compiled, kept = rounds(-1, **patient, **fresh)
    assert n_compiled == 40
    n_compiled, compiled = rounds(-1, MAXGAP_PATIENCE="0")
    assert n_compiled == 40
    assert first == then == kept == compiled == rounds(-1, NUMBA_DISABLE_JIT="1")[1]


def test_a_patience_that_is_no_number_of_seconds_is_refused():
    code = "try: import maxgap\nexcept ValueError as problem: print(problem)"
    for said in ("", "two", "-1", "nan"):
        refused = f"MAXGAP_PATIENCE must be a number of seconds from 0, got {said!r}"
        assert ran(code, MAXGAP_PATIENCE=said) == refused
    for said in ("0", "0.5", "1e3", "inf"):
        assert ran(code, MAXGAP_PATIENCE=said) == ""


def test_what_is_large_is_compiled_at_once():
    patient = "import maxgap.engine.compiled as c; c._is_kept = lambda *of: False"
    assert rounds(-1, patient, MAXGAP_PATIENCE="1000")[0] == 0
    assert rounds(-1, f"{patient}; c.LARGEST = 3", MAXGAP_PATIENCE="1000")[0] == 40


def test_plain_python_takes_the_time_of_which_there_is_patience_and_no_more():
    slow = (
        "import maxgap.engine.compiled as c, time; c._is_kept = lambda *of: False\n"
        "clock, at = time.thread_time, iter(range(10**6))\n"
        "time.thread_time = lambda: float(next(at))"  # a second goes by between two looks
    )
    assert rounds(-1, slow, MAXGAP_PATIENCE="7")[0] == 40 - 7


#: Takes what patience needs of numba and is not documented.
IMPATIENT_NUMBA = """
import numba
class Fixed(type(numba.njit(lambda: 0))):
    __class__ = property(lambda self: Fixed)
changeable = numba.njit
def njit(function=None, **options):
    if function is None:
        return lambda function: njit(function, **options)
    made = changeable(**options)(function)
    made.__class__ = Fixed
    return made
numba.njit = njit
import maxgap.engine.compiled as c
c._is_kept = lambda *of: False
"""
#: The same, of what says whether code is kept.
UNKNOWING_NUMBA = """
import maxgap.engine.compiled as c
def unknown(*of): raise AttributeError
c._is_kept = unknown
"""


def test_it_runs_without_patience_where_numba_is_another():
    results = rounds(-1, MAXGAP_PATIENCE="0")
    assert results[0] == 40
    for numba in (IMPATIENT_NUMBA, UNKNOWING_NUMBA):
        assert rounds(-1, numba, MAXGAP_PATIENCE="1000") == results


def test_what_is_compiled_from_python_is_plain_for_plain_callers_alone(tmp_path):
    code = """
from maxgap.engine.compiled import compiled, internal
from maxgap.engine import elementary
@internal
def double(x): return 2 * x
@compiled
def more(x): return double(x) + 1
@compiled(patient=True)
def most(x):
    if x < 0: raise ValueError(x)
    return more(x) + 1
def n(): return len(more.overloads), len(most.overloads)
print(most(1), most(x=2), n())
try: most(-1)
except ValueError as error: print(error, n())
print(more(1), most(3), n())
for function in (double,):
    try: function(1)
    except TypeError as error: print(error)
"""
    words = "double is internal: compiled code alone may call it"
    out = ran(code, MAXGAP_PATIENCE="1000", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert out == f"4 6 (0, 0)\n-1 (0, 0)\n3 8 (1, 0)\n{words}"


# -- classes from outside --------------------------------------------------------------------------

#: Lines of somebody's own, and a rule that remembers something of its own: compiled for them.
OUTSIDE = """
from typing import Any, NamedTuple

import numpy as np

import maxgap
from maxgap.engine.state import Lines, list_with_fewest


class LinesOfSomebody(Lines):
    def choose(self, state):
        state.progress[0]["n_next"] = list_with_fewest(state.arms, state.next)


class RuleOfSomebody(NamedTuple):
    bounds: bool
    proved: bool
    lines: Any

    @classmethod
    def of(cls, proved, lines):
        return cls(False, proved, lines)

    def holds(self, state):
        return state.progress[0]["total"] >= 9

    def answer(self, state):
        for arm in range(state.arms.size):
            state.arms[arm]["top"] = arm == 2


class PolicyOfSomebody(maxgap.Policy):
    rules = {"mine": (RuleOfSomebody, False)}

    def new_lines(self):
        return LinesOfSomebody(bounds=False)


def results(cls, **settings):
    policy = cls(3, sigma=0.1, **settings)
    while not policy.stopped:
        policy.tell(policy.ask(), np.arange(float(len(policy.ask()))))
    problem = maxgap.Problem([0.0, 1.0, 2.0], 0.1)
    run = maxgap.simulate.run(cls(3, sigma=0.1, **settings), problem, budget=99,
                              rng=np.random.default_rng(1))
    return policy.counts.tolist(), policy.recommend().top, run.counts.tolist(), run.split.top
"""

#: The same policy's results, with nothing from outside, in a process that cannot import it.
ROBIN = """
import numpy as np, maxgap
policy = maxgap.RoundRobin(3, sigma=0.1)
policy.tell(policy.ask(), [0.0, 1.0, 5.0])
print(policy.ask(), maxgap.simulate.run(maxgap.RoundRobin(3, sigma=0.1),
      maxgap.Problem([0.0, 1.0, 2.0], 0.1), budget=99, rng=np.random.default_rng(1)).counts)
"""


def test_code_for_a_class_from_outside_is_not_kept(tmp_path):
    cache, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "somebodys.py").write_text(OUTSIDE, encoding="utf-8")
    both = os.pathsep.join([str(elsewhere), str(ROOT)])
    mine = "import somebodys as s; print(s.results(s.PolicyOfSomebody, stopping='mine'))"
    top = "frozenset({2})"
    for _ in range(2):  # from the second on with what is kept
        found = ran(mine, PYTHONPATH=both, NUMBA_CACHE_DIR=str(cache))
        assert found == f"([3, 3, 3], {top}, [3, 3, 3], {top})"
    kept = {path: path.read_bytes() for path in cache.rglob("*.nb?")}
    assert len(kept) > 0, "nothing is tested"
    assert not [path for path, content in kept.items() if b"OfSomebody" in content]
    alone = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache)}
    assert ran(ROBIN, **alone) == ran(ROBIN)
    # What is of the package alone is kept for others, beside those from outside.
    after = {path: path.stat().st_mtime_ns for path in cache.rglob("*.nb?")}
    assert len(after) > len(kept)
    assert ran(ROBIN, **alone) == ran(ROBIN)
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*.nb?")} == after
    assert ran(mine, PYTHONPATH=both, NUMBA_CACHE_DIR=str(cache)) == found
