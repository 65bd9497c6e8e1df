"""A few samples and very many others to the distances between them, by matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unprior._threads import one_blas_thread
from unprior.geometry import PointDistances, SampleDistances
from unprior.geometry._metrics import METRICS

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices

#: From so many samples and columns on, products are worth it. They round more than differences do:
#: copies of a sample are some 1e-7 of the data's spread away, and no longer tied.
MANY_SAMPLES, MANY_COLUMNS = 50_000, 8


def quick_block(prior: SampleDistances, rows: Indices, others: Indices) -> Floats:
    """Distances of some samples to others, as ``prior.block`` gives them but for rounding."""
    if (
        not isinstance(prior, PointDistances)
        or prior.row_metric != METRICS["euclidean"]
        or len(others) < MANY_SAMPLES
        or prior.values.shape[1] < MANY_COLUMNS
    ):
        return prior.block(rows, others)
    some, all_others = prior.values[rows], prior.values
    if len(others) < len(all_others):
        all_others = all_others[others]
    # About the mean of a few: what is far from zero would lose digits.
    center = some.mean(axis=0, dtype=np.float64)
    A, B = some - center, all_others - center
    with one_blas_thread():
        squares = A @ B.T
    squares *= -2
    squares += np.einsum("ij,ij->i", A, A)[:, None]
    squares += np.einsum("ij,ij->i", B, B)
    np.maximum(squares, 0, out=squares)
    return np.sqrt(squares, out=squares)
