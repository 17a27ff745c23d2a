"""Figures that one place of one chapter shows, a module a chapter.

What any user of the package may want to draw is in :mod:`maxgap.figures`.
"""

__all__: list[str] = []
