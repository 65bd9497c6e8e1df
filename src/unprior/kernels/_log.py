"""A logarithm that compilers can vectorise, which the C library's cannot be."""

from __future__ import annotations

import numpy as np

from unprior.kernels._jit import njit

LOG_2 = 0.6931471805599453
ROOT_2 = 1.4142135623730951


@njit(inline=True)
def fast_log(x):  # type: ignore[no-untyped-def]
    """Natural logarithm of a positive, normal number, to a few units in the last place.

    Splits x = 2^e m with m near one and sums log m = 2 artanh((m - 1) / (m + 1)). Zero gives a
    finite number, so that 0 * fast_log(0) is zero.
    """
    bits = np.float64(x).view(np.uint64)
    # With the exponent of 2^52 in front, whole numbers are doubles as they stand.
    exponent = ((bits >> np.uint64(52)) & np.uint64(0x7FF)) | np.uint64(0x4330000000000000)
    e = np.uint64(exponent).view(np.float64) - 4503599627370496.0 - 1023.0
    mantissa = (bits & np.uint64(0xFFFFFFFFFFFFF)) | np.uint64(0x3FF0000000000000)
    m = np.uint64(mantissa).view(np.float64)
    above = m > ROOT_2
    m = 0.5 * m if above else m
    e = e + 1.0 if above else e
    f = (m - 1.0) / (m + 1.0)
    z = f * f
    series = 1.0 / 21.0
    series = series * z + 1.0 / 19.0
    series = series * z + 1.0 / 17.0
    series = series * z + 1.0 / 15.0
    series = series * z + 1.0 / 13.0
    series = series * z + 1.0 / 11.0
    series = series * z + 1.0 / 9.0
    series = series * z + 1.0 / 7.0
    series = series * z + 1.0 / 5.0
    series = series * z + 1.0 / 3.0
    series = series * z + 1.0
    return e * LOG_2 + 2.0 * f * series
