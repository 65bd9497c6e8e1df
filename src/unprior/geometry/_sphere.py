"""Points on the unit sphere: from angles or by scaling rows, and the arcs between them."""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats, Metric


def unit_vectors(latitudes: Floats, longitudes: Floats) -> Floats:
    """Return points on the unit sphere, shape (n, 3), from angles in radians."""
    ring = np.cos(latitudes)
    return np.column_stack(
        (ring * np.cos(longitudes), ring * np.sin(longitudes), np.sin(latitudes))
    )


def arcs(chords: Floats) -> Floats:
    """Return the angles in radians between points on the unit sphere, from their distances."""
    return 2 * np.arcsin(np.minimum(chords / 2, 1))


def unit_rows(who: str, X: Floats) -> Floats:
    """Scale rows to length 1 in their precision; refuse rows of zeros.

    The squared Euclidean distance between such rows is twice the cosine distance, so both have the
    same neighbours.

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
            f"{who}: 'X' takes rows that are not all zero with metric='cosine'; row {row} is all "
            "zero. Leave such samples out."
        )
        raise ValueError(message)
    return (X / lengths[:, None]).astype(X.dtype)


def as_counted(who: str, X: Floats, metric: Metric) -> Floats:
    """Return rows of length 1 for the cosine metric, otherwise the rows unchanged."""
    return unit_rows(who, X) if metric == "cosine" else X
