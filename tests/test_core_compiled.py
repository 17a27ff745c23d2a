"""What is compiled, and from where it may be called: in processes of their own."""

import os
import subprocess
import sys


def ran(code):
    """What a program prints in a process of its own, with compilation."""
    inherited = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=inherited, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


INTERNAL = """
import numpy as np
from maxgap._core.compiled import compiled, inlined, internal
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
from maxgap import simulate
from maxgap._core import contrasts
for rule in ("clusters", "paper", None):
    policy = maxgap.MaxGapElim(3, stopping=rule)
    simulate.run(policy, maxgap.Problem([0.0, 0.5, 1.0]), budget=9, rng=np.random.default_rng(1))
    policy.tell(policy.ask(), [0.0, 0.5, 1.0])
print([name for name in contrasts.__all__ if getattr(getattr(contrasts, name), "overloads", {})])
"""


def test_what_does_without_contrasts_does_not_compile_them():
    assert ran(WITHOUT_CONTRASTS) == "[]"
