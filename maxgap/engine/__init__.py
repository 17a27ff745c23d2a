"""Compiled and private: what is known of the arms, kept in order, and a round of a policy.

==========  ====================================================================================
types       names of array types
compiled    compile with numba; a cache that is never stale
elementary  logarithms that are the same on every processor
slots       arms sorted by lower end, the slots between them, and what the paper asks of these
state       what a policy knows; intervals, lines and rules; a round
runs        whole runs: draw, take, decide, and look at the answer at checkpoints
==========  ====================================================================================
"""

__all__: list[str] = []
