"""Settings shared by all tests."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run: a test that passes once passes again. Kernels compile in the first
# example, so time says nothing.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

# What is tested is the compiled code, from the first call on.
os.environ.setdefault("MAXGAP_PATIENCE", "0")

# A shell starts what runs in its background deaf to Ctrl-C, and every process below it would be.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def chromium(request):
    """A browser, for a module whose PAGE is built."""
    # Not above: the package's own tests need no browser.
    from browser import HTML, launched

    page = request.module.PAGE
    if not (HTML / page).is_file():
        pytest.skip(f"{page} is not built")
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def home():
    """Where the built book is served."""
    from browser import HTML, served

    with served(HTML) as address:
        yield address
