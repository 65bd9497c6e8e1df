"""openTSNE's compiled repulsion, called in this one place, where its quirks are dealt with.

The kernels are private by name. They subtract Σ_j w² (y_i − y_j) / Z from the array they are given
and return Z, the sum of w over ordered pairs.
"""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats
from unprior.repulsion._exact import exact_field
from unprior.repulsion._field import Field

# Kernels divide by Z plus this.
_EPSILON = float(np.finfo(np.float64).eps)

#: openTSNE's own settings of the grid: nodes in each interval, and fewest intervals.
NODES, LEAST_INTERVALS = 3, 50

#: Coordinates from here on, and NaN, make the kernels recurse or write beyond bounds.
FARTHEST = 1e8


def interpolate(Y: Floats, interval: float) -> Field:
    """Repulsion in one or two dimensions, interpolated on a grid of the given spacing."""
    from openTSNE import _tsne

    columns = _columns_in_use(Y)
    if columns.shape[1] > 2:
        message = "fft_field: takes a map in one or two dimensions; got three."
        raise ValueError(message)
    if (easy := _without_kernel(Y)) is not None:
        return easy
    # The search for the grid's ends overlooks the largest coordinate if it comes first.
    order = np.arange(len(Y))
    first = int(columns[:, 0].argmin())
    order[[0, first]] = order[[first, 0]]
    columns = columns[order]
    gradient = np.zeros_like(columns)
    if columns.shape[1] == 1:
        normalizer = _tsne.estimate_negative_gradient_fft_1d(
            columns[:, 0], gradient[:, 0], NODES, LEAST_INTERVALS, interval
        )
    else:
        normalizer = _tsne.estimate_negative_gradient_fft_2d(
            columns, gradient, NODES, LEAST_INTERVALS, interval
        )
    # Swapping two samples is undone by swapping them again.
    return _as_field(gradient[order], normalizer)


def descend_tree(Y: Floats, theta: float, n_threads: int) -> Field:
    """Repulsion with far samples taken together by the cells of a tree."""
    from openTSNE import _tsne
    from openTSNE.quad_tree import QuadTree

    if (easy := _without_kernel(Y)) is not None:
        return easy
    columns = _columns_in_use(Y)
    gradient = np.zeros_like(columns)
    normalizer = _tsne.estimate_negative_gradient_bh(
        QuadTree(columns), columns, gradient, theta, 1.0, n_threads
    )
    return _as_field(gradient, normalizer)


def _columns_in_use(Y: Floats) -> Floats:
    """Copy the columns up to the last that is not all zero, and at least one.

    A copy, since the tree crashes on an array that it may not write to.
    """
    used = [d for d in range(Y.shape[1]) if Y[:, d].any()]
    return np.array(Y[:, : max(used, default=0) + 1], dtype=np.float64, order="C")


def _without_kernel(Y: Floats) -> Field | None:
    """Return the repulsion in a map that the kernels do not bear; None for any other map."""
    if not np.abs(Y).max() < FARTHEST:
        return exact_field(Y)
    if (Y[:1] == Y).all():
        return Field(np.zeros((len(Y), 3)), float(len(Y) * (len(Y) - 1)))
    return None


def _as_field(gradient: Floats, normalizer: float) -> Field:
    force = np.zeros((len(gradient), 3))
    force[:, : gradient.shape[1]] = -(normalizer + _EPSILON) * gradient
    return Field(force, float(normalizer))
