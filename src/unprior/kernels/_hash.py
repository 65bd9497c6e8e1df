"""Random numbers as hashes of the place where they are used: the same on every thread."""

from __future__ import annotations

import numpy as np

from unprior.kernels._jit import njit
from unprior.kernels._splitmix import FACTORS, STEP, TIES_SEED


@njit(inline=True)
def scramble(x):  # type: ignore[no-untyped-def]
    """Scramble 64 bits (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * FACTORS[0]
    x = (x ^ (x >> np.uint64(27))) * FACTORS[1]
    return x ^ (x >> np.uint64(31))


@njit(inline=True)
def tie_order(i, j):  # type: ignore[no-untyped-def]
    """Return the number of `unprior.neighbors._ties.tie_order`."""
    first, second = np.uint64(min(i, j)), np.uint64(max(i, j))
    return scramble(scramble(first * STEP + TIES_SEED) + second * STEP)
