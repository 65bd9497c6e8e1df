"""The logarithm that vectorises, against the C library's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unprior.kernels._log import fast_log


@given(st.floats(1e-300, 1e300))
def test_equals_the_logarithm(x):
    assert fast_log(x) == pytest.approx(np.log(x), rel=1e-14, abs=1e-15)


def test_is_zero_at_one_and_finite_at_zero():
    assert fast_log(1.0) == 0.0
    assert 0.0 * fast_log(0.0) == 0.0
