"""Random numbers that are hashes of where they are used, and so the same on any thread."""

from __future__ import annotations

import numpy as np

from unprior.kernels._jit import njit


@njit(inline=True)
def scramble(x):  # type: ignore[no-untyped-def]
    """Scramble 64 bits (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
