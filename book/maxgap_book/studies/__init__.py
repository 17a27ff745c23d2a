"""Policies that one chapter compares with the package's own, a module a chapter.

They show what a policy of the reader's own can be; who wants to use one copies it.
"""

__all__: list[str] = []
