"""Distances of data and priors -> the strengths at which ⊖ leaves them uncorrelated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from unprior._typing import Floats


def uncorrelated_strengths(data: Floats, known: Sequence[Floats]) -> Floats:
    """Return the strengths λ at which linear ⊖ leaves data uncorrelated with what is known.

    ``data`` and ``known`` are scaled distances of the same pairs. For one prior, λ is
    2 cov(D^X, D^Z) / var(D^Z), or 0 where that is negative; for several, the non-negative
    least-squares solution, since a negative λ would add a prior instead of factoring it out.
    """
    regressors = np.column_stack([(distances - distances.mean()) / 2 for distances in known])
    # The small triangular system has the same solution as the one with a row for every pair.
    q, r = np.linalg.qr(regressors)
    return nnls(r, q.T @ (data - data.mean()))[0]
