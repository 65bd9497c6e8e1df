"""Random numbers as hashes of their position, which are the same on any thread."""

from __future__ import annotations

import numpy as np

from unprior.kernels._jit import njit
from unprior.kernels._splitmix import FACTORS


@njit(inline=True)
def scramble(x):  # type: ignore[no-untyped-def]
    """Mix 64 bits (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * FACTORS[0]
    x = (x ^ (x >> np.uint64(27))) * FACTORS[1]
    return x ^ (x >> np.uint64(31))
