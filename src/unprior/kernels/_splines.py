"""Cubic B-splines: spread samples over a grid, and interpolate the grid at samples.

Along each axis, a sample lies between the second and the third of its four nodes; ``low`` is the
position of the grid's second node.
"""

from __future__ import annotations

import numba as nb
import numpy as np

from unprior.kernels._jit import njit


@njit(inline=True)
def _weights(t):  # type: ignore[no-untyped-def]
    """Return the weights of four nodes, at a fraction t from the second to the third."""
    s = 1.0 - t
    return (
        s * s * s / 6.0,
        2.0 / 3.0 - t * t * (1.0 - t / 2.0),
        2.0 / 3.0 - s * s * (1.0 - s / 2.0),
        t * t * t / 6.0,
    )


@njit(inline=True)
def _slopes(t):  # type: ignore[no-untyped-def]
    """Return the derivatives of the weights."""
    s = 1.0 - t
    return -s * s / 2.0, -t * (2.0 - 1.5 * t), s * (2.0 - 1.5 * s), t * t / 2.0


@njit()
def spread(Y, low, spacing, grid):  # type: ignore[no-untyped-def]
    """Add the splines of all samples to a grid."""
    for i in range(len(Y)):
        u, v = (Y[i, 0] - low[0]) / spacing, (Y[i, 1] - low[1]) / spacing
        a, b = int(u), int(v)
        p, q = _weights(u - a), _weights(v - b)
        for r in range(4):
            for c in range(4):
                grid[a + r, b + c] += p[r] * q[c]


@njit(parallel=True)
def read(Y, low, spacing, grid):  # type: ignore[no-untyped-def]
    """Return the interpolated value and gradient of a grid at each sample, as three columns."""
    found = np.empty((len(Y), 3))
    for i in nb.prange(len(Y)):
        u, v = (Y[i, 0] - low[0]) / spacing, (Y[i, 1] - low[1]) / spacing
        a, b = int(u), int(v)
        p, q = _weights(u - a), _weights(v - b)
        dp, dq = _slopes(u - a), _slopes(v - b)
        value, along, across = 0.0, 0.0, 0.0
        for r in range(4):
            row, slope = 0.0, 0.0
            for c in range(4):
                row += q[c] * grid[a + r, b + c]
                slope += dq[c] * grid[a + r, b + c]
            value += p[r] * row
            along += dp[r] * row
            across += p[r] * slope
        found[i, 0], found[i, 1], found[i, 2] = value, along / spacing, across / spacing
    return found
