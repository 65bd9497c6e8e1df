"""The logarithm that vectorises, against the C library's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unprior.kernels._fast_math import fast_log, fast_power


@given(st.floats(1e-300, 1e300))
def test_equals_the_logarithm(x):
    assert fast_log(x) == pytest.approx(np.log(x), rel=1e-14, abs=1e-15)


def test_is_zero_at_one_and_finite_at_zero():
    assert fast_log(1.0) == 0.0
    assert 0.0 * fast_log(0.0) == 0.0


@given(st.floats(2.0**-20, 2.0**20, width=32), st.floats(-2, 2, width=32))
def test_equals_the_power(x, exponent):
    power = fast_power(np.float32(x), np.float32(exponent))
    assert power == pytest.approx(x**exponent, rel=2e-5)


@pytest.mark.parametrize("x", [1e-45, 1e-38, 1.0, 3e38])
@pytest.mark.parametrize("exponent", [-50.0, -1.0, 0.0, 1.0, 50.0])
def test_is_positive_and_finite_whatever_it_gets(x, exponent):
    assert 0 < fast_power(np.float32(x), np.float32(exponent)) < np.inf
