"""Execute the chapters as on another processor too, and compare with what is stored.

Libraries choose their routines by the processor, and those differ in the last bit. On an x86-64
machine their own settings make them take the plainest routines, which is the furthest from what the
machine would choose: no AVX, no fused multiply-add. There the cells that no page shows are left out
as well: a reader who copies what he sees, in order, has all that he needs. Run as
``python tests/processors.py NOTEBOOK...``.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
PYTEST = ["-m", "pytest", "-q", "--nbval", "--nbval-current-env", "-p", "tests.stored_outputs"]
# Each kind has as many kernels as there are cores: one alone often leaves a core idle.
PYTEST += ["-n", "auto", "--dist", "loadfile"]

#: Of the C library's mathematics; names that it does not know it passes over.
GLIBC = "AVX,AVX2,FMA,FMA4,AVX2_Usable,FMA_Usable,FMA4_Usable,AVX512F"


def plain_settings() -> dict[str, str]:
    """Environment variables that make this machine a plain x86-64; none if it is another kind."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return {}
    # Only features that the processor has may be named.
    dispatched = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    tunables = [os.environ.get("GLIBC_TUNABLES", "")]
    tunables.append("glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in GLIBC.split(",")))
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(dispatched),
        "NUMBA_CPU_NAME": "x86-64",
        "NUMBA_CPU_FEATURES": "",
        "GLIBC_TUNABLES": ":".join(filter(None, tunables)),
        "OPENBLAS_CORETYPE": "Prescott",
    }


def compare(notebooks: list[str], settings: dict[str, str]) -> subprocess.Popen[str]:
    """Begin to execute the notebooks so; under other settings, only what is shown of them."""
    shown = ["--shown-alone"] if settings else []
    return subprocess.Popen(
        [sys.executable, *PYTEST, *shown, *notebooks],
        cwd=ROOT,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def main(notebooks: list[str]) -> int:
    """Compare under each kind of processor; 1 if any stored output is different."""
    kinds = {"under this machine's own instructions": dict[str, str]()}
    plain = plain_settings()
    if plain:
        kinds["as a plain x86-64"] = plain
    print(f"Executing the chapters {' and '.join(kinds)}, which takes some minutes", flush=True)
    # Side by side, so that no core is idle while the slower one ends.
    running = {kind: compare(notebooks, settings) for kind, settings in kinds.items()}
    failed = False
    for kind, process in running.items():
        output, _ = process.communicate()
        print(f"The chapters {kind}:\n{output}", flush=True)
        failed |= process.returncode != 0
    if not plain:
        print(
            "The chapters as on another processor: left out, since this machine is "
            f"{platform.machine() or 'of an unknown kind'} and only an x86-64 can be made plainer."
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
