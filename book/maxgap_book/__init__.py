"""What the chapters of the book share, and what one of them alone needs beside `maxgap`.

Figures, studies, verdicts, and the ways to print a number. A chapter finds them from whatever
folder it is opened in, because this package is installed in place, beside the other. It uses public
names of `maxgap` only: what the book does, a reader can do.
"""

__all__: list[str] = []
