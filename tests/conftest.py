"""Settings shared by all tests."""

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
