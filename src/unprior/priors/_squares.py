"""Rows and columns of a prior -> squared distances, where the last digits do not matter."""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats, Indices
from unprior.priors._base import Prior
from unprior.priors._by_rows import ByRows


def squared_block(prior: Prior, rows: Indices, columns: Indices) -> Floats:
    """Squared distances of every row to every column, by matrix products where these are quicker.

    Rows that are stored have the same as those in memory, to the bit.
    """
    if not isinstance(prior, ByRows) or not prior.row_metric.is_straight:
        return np.square(prior.block(rows, columns))
    a, b = (
        np.asarray(prior.row_metric.prepare(prior.values[some]), dtype=np.float64)
        for some in (rows, columns)
    )
    middle = b.mean(axis=0)
    a, b = a - middle, b - middle
    squared = a @ b.T
    squared *= -2
    squared += np.einsum("ij,ij->i", a, a)[:, None]
    squared += np.einsum("ij,ij->i", b, b)
    return np.maximum(squared, 0, out=squared)
