"""The paper line by line: slow, obvious, and an oracle for the fast code.

Nothing here comes from the rest of the package, so that a test that holds the two equal means
something; the types of the answers, `GapBounds` and `GapLowerBound`, are one. Three independent
roads lead to the upper bounds: the paper's procedure (Algorithm 4), its mixed integer programme
(equations 14 to 17), and a brute force over configurations that uses neither. Algorithms 1 to 3
stand in their files in :mod:`maxgap.policies`, on `Estimates`.

Equation, lemma and algorithm numbers are the paper's, counted through its appendices. "Right"
always means towards larger means. Arms are numbered 0 to K - 1.

Examples
--------
>>> gap_upper_bounds(lower=[0, 2, 5], upper=[1, 3, 6]).either.tolist()
[3.0, 4.0, 4.0]
"""

from maxgap.reference import bounds, brute_force, estimates, integer_programme, noise_free
from maxgap.reference.bounds import *
from maxgap.reference.brute_force import *
from maxgap.reference.estimates import *
from maxgap.reference.integer_programme import *
from maxgap.reference.noise_free import *

__all__ = [
    *estimates.__all__,
    *bounds.__all__,
    *brute_force.__all__,
    *integer_programme.__all__,
    *noise_free.__all__,
]
