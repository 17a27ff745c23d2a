"""Compiled and private: what is known of the arms, kept in order, and a round of a policy.

Each module uses those before it: types, compiled, elementary, slots, state, runs.
"""
