"""Map -> sums over the pairs inside each class, for any number of classes in one loop."""

from __future__ import annotations

import numba as nb
import numpy as np

from unprior.kernels._jit import njit
from unprior.kernels._pairs import kernel


@njit(parallel=True)
def repel_within(Y, begin, end):  # type: ignore[no-untyped-def]
    """By samples, over the other rows of begin[i]:end[i]: Σ_j w² (y_i - y_j), and Σ_j w."""
    n = len(Y)
    force, total = np.zeros((n, 3)), np.zeros(n)
    for i in nb.prange(n):
        for j in range(begin[i], end[i]):
            if j != i:
                a, b, c, w = kernel(Y, i, j)
                total[i] += w
                force[i, 0] += w * w * a
                force[i, 1] += w * w * b
                force[i, 2] += w * w * c
    return force, total
