"""Figures that one place of one chapter shows, a module a chapter.

What any user of the package may want to draw is in :mod:`maxgap.figures`. Chapters keep theirs as
vectors, the same bytes at every execution.
"""

import matplotlib as mpl
from matplotlib_inline.backend_inline import set_matplotlib_formats

from maxgap.figures import STYLE

__all__: list[str] = []

mpl.rcParams["svg.hashsalt"] = "maxgap"
# Text that a figure gets later is as large as what it was made with.
mpl.rcParams["font.size"] = STYLE["font.size"]
set_matplotlib_formats("svg", metadata={"Date": None}, dpi=130)
