"""Repulsion summed over all pairs, and the record that all methods return."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats


@dataclass(frozen=True)
class Field:
    """Repulsion in a map, with w = 1 / (1 + |y_i − y_j|²).

    Attributes
    ----------
    force : ndarray of shape (n_samples, 3)
        Σ_j w² (y_i − y_j).
    normalizer : float
        Z = Σ w over ordered pairs.
    """

    force: Floats
    normalizer: float


def exact_field(Y: Floats) -> Field:
    """Sum the repulsion over all pairs of a map with three columns: O(n²) time, O(n) memory."""
    from unprior.kernels._pairs import repel

    force, total = repel(Y)
    return Field(force.sum(axis=0).T, 2 * float(total.sum()))


#: Larger coordinates and NaN fit on no grid, and make trees recurse without limit.
FARTHEST = 1e8


def easy_field(Y: Floats) -> Field | None:
    """Return the repulsion of a map that diverged or is a single point; None for other maps."""
    if not np.abs(Y).max() < FARTHEST:
        return exact_field(Y)
    if (Y[:1] == Y).all():
        return Field(np.zeros((len(Y), 3)), float(len(Y) * (len(Y) - 1)))
    return None
