"""Logarithm and power that can be vectorised, faster than those of the C library."""

from __future__ import annotations

import numpy as np

from unprior.kernels._jit import njit

LOG_2 = 0.6931471805599453
ROOT_2 = 1.4142135623730951


@njit(inline=True)
def fast_log(x):  # type: ignore[no-untyped-def]
    """Return the logarithm of a positive, normal number, to a few units in the last place.

    Splits x = 2^e m with m near one and sums log m = 2 artanh((m - 1) / (m + 1)). Zero gives a
    finite number, so that 0 * fast_log(0) is zero.
    """
    bits = np.float64(x).view(np.uint64)
    # With the exponent of 2^52, the bits of an integer are those of a double.
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


@njit(inline=True)
def fast_power(x, exponent):  # type: ignore[no-untyped-def]
    """Return x to the exponent for a positive float32, to 2e-5 of it where |exponent log2 x| < 40.

    Splits x = 2^e (1 + m), sums polynomials for log2(1 + m) and for the power of two, and puts the
    exponent back. Results stay within 2^-126 and 2^127.
    """
    bits = np.float32(x).view(np.int32)
    e = np.float32((bits >> np.int32(23)) - np.int32(127))
    mantissa = (bits & np.int32(0x7FFFFF)) | np.int32(0x3F800000)
    m = np.int32(mantissa).view(np.float32) - np.float32(1.0)
    series = np.float32(-0.03459521)
    series = series * m + np.float32(0.14643361)
    series = series * m + np.float32(-0.30338966)
    series = series * m + np.float32(0.46930169)
    series = series * m + np.float32(-0.72044237)
    series = series * m + np.float32(1.44268325)
    y = np.float32(exponent) * (e + m * series)
    y = min(max(y, np.float32(-126.0)), np.float32(126.99))
    whole = np.floor(y)
    r = y - whole
    series = np.float32(0.01277613)
    series = series * r + np.float32(0.05342158)
    series = series * r + np.float32(0.24065429)
    series = series * r + np.float32(0.69313360)
    series = series * r + np.float32(1.0)
    shifted = (np.int32(whole) + np.int32(127)) << np.int32(23)
    return series * np.int32(shifted).view(np.float32)
