"""Compiled and private: what is known of the arms, kept in order, and the words of the paper.

==========  ====================================================================================
compiled    compile with numba; a cache that is never stale
elementary  logarithms that are the same on every processor
slots       arms sorted by lower end, the slots between them, trees of their widths
state       State and Setting of a policy; a reward taken, an interval moved
order       the arms kept in order as their intervals move
words       what the paper's lines are made of: bounds, the certain gap, whom to ask
==========  ====================================================================================
"""

__all__: list[str] = []
