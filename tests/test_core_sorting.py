"""The compiled stable sort."""

import numpy as np
import pytest

from maxgap._core.sorting import stable_order


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 100, 257])
def test_the_order_is_that_of_numpys_stable_sort(size):
    rng = np.random.default_rng(size)
    for ties in (2, size, 10**6):
        values = rng.integers(ties, size=size) / 7.0
        values[rng.random(size) < 0.1] = -np.inf
        assert stable_order(values).tolist() == np.argsort(values, kind="stable").tolist()
