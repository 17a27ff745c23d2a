"""Beyond the paper: a certificate by tests of "is this gap wider than that one".

Theorem, proof and plain lines are in :mod:`maxgap.reference.contrasts`. Imported when first used.
"""

__all__: list[str] = []
