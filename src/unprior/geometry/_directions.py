"""Rows -> rows of length 1: what the cosine distance looks at."""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats, Metric


def unit_rows(who: str, X: Floats) -> Floats:
    """Scale rows to length 1, in their precision; a row of zeros has no direction.

    Between such rows the squared Euclidean distance is twice the cosine distance, so that both have
    the same neighbours.

    Examples
    --------
    >>> unit_rows("embed", np.array([[3.0, 4.0], [0.0, 2.0]]))
    array([[0.6, 0.8],
           [0. , 1. ]])
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    if not lengths.all():
        row = int(np.argmin(lengths))
        message = (
            f"{who}: 'X' takes rows that are not all zero with metric='cosine'; row {row} is, and "
            "has no direction. Leave such samples out."
        )
        raise ValueError(message)
    return (X / lengths[:, None]).astype(X.dtype)


def as_counted(who: str, X: Floats, metric: Metric) -> Floats:
    """Return rows of length 1 if only directions count, else the rows as they are."""
    return unit_rows(who, X) if metric == "cosine" else X
