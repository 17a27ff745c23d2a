"""Processes of their own: started, looked at; and whether a study there is the one made here."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc or needs any byte names")


def assert_same(one, other):
    pd.testing.assert_frame_equal(one.errors, other.errors)
    pd.testing.assert_frame_equal(one.stops, other.stops)
    for name in ("wrong", "counts", "counts_sd", "checkpoints"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    pd.testing.assert_frame_equal(
        one.samples_to_error(0.3, resamples=50), other.samples_to_error(0.3, resamples=50)
    )


def started(code, *arguments, **pipes):
    """A process of Python, in a group of its own, whose output is read."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **pipes,
    )


def descendants(pid):
    """Processes that run below this one."""
    below = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                status = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
                if int(status[1]) == pid:
                    below += [int(entry), *descendants(int(entry))]
    return below


def runs(pid):
    try:
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
