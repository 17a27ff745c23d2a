"""Sphinx extension: a directive that says on what machine, and with what, the book was built."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PACKAGES = ("maxgap", "numpy", "numba", "scipy", "pandas", "joblib", "matplotlib")


def processor() -> str:
    """Name of the processor, as far as the system gives one."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def facts() -> list[tuple[str, str]]:
    """What a reader needs to know to compare, in the order shown."""
    count = getattr(os, "process_cpu_count", os.cpu_count)() or 1
    return [
        ("Processor", f"{processor()} ({platform.machine()})"),
        ("Cores", str(count)),
        ("System", f"{platform.system()}, {'-'.join(platform.libc_ver()) or 'C library unknown'}"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        *((package, version(package)) for package in PACKAGES),
    ]


class Machine(SphinxDirective):
    """``{machine}``: a table of the machine and the versions of this build."""

    def run(self) -> list[nodes.Node]:
        """Make the table anew at every build."""
        self.env.note_reread()
        table = nodes.table()
        group = nodes.tgroup(cols=2)
        group += [nodes.colspec(colwidth=30), nodes.colspec(colwidth=70)]
        head, body = nodes.thead(), nodes.tbody()
        head += self.row(("What", "In this build"))
        body += [self.row(pair) for pair in facts()]
        group += [head, body]
        table += group
        return [table]

    @staticmethod
    def row(texts: tuple[str, str]) -> nodes.row:
        """One row of two cells."""
        return nodes.row("", *(nodes.entry("", nodes.paragraph(text=text)) for text in texts))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("machine", Machine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
