"""Logarithms and exponentials, the same to the last bit on every processor."""

import math

import numpy as np
from scipy import stats

from maxgap.engine.elementary import exp, log_twice_normal_cdf

# -- compiled as the plain lines -------------------------------------------------------------------


def test_the_distribution_and_the_exponential_are_right_to_the_last_bits():
    z = np.concatenate([np.linspace(0.0, 9.0, 2001), [6.0, 40.0]])
    ours = np.array([log_twice_normal_cdf(float(x)) for x in z])
    np.testing.assert_allclose(ours, stats.norm.logcdf(z) + math.log(2.0), rtol=0, atol=2e-15)
    x = np.linspace(-700.0, 700.0, 1001)
    np.testing.assert_allclose([exp(float(v)) for v in x], np.exp(x), rtol=4e-16)
