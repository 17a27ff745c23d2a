"""The folder ``book`` of the checkout, as if it were a package: ``maxgap._book.verdicts``.

A chapter finds the modules beside it from whatever folder it is opened in, because this package is
installed in place (``pip install -e .``) and so knows where the checkout is. Nothing else in the
package needs the book, and a wheel does not hold it.
"""

from pathlib import Path

__all__: list[str] = []

_FOLDER = Path(__file__).parent.parent / "book"

if not (_FOLDER / "verdicts.py").is_file():
    raise ImportError(
        f"there is no book in {_FOLDER.parent}: run the chapters in a clone of the repository, "
        "with the package installed from it by 'pip install -e .'"
    )

# A module with a path is a package: its modules are looked for there, and sys.path stays as it is.
__path__ = [str(_FOLDER)]
