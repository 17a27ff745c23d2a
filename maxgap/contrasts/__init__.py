"""Beyond the paper: a certificate by tests of "is this gap wider than that one", and its limit.

Theorem, proof and plain lines are in :mod:`maxgap.contrasts.plain`; what an instance demands of any
method is in :mod:`maxgap.contrasts.limits`. Imported when first used.
"""

__all__: list[str] = []
