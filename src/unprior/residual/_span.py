"""Columns of numbers -> the directions that they span, within groups or beside kept classes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.priors._keep import Keep
from unprior.residual._frame import multiply_rows

#: Singular values below this share of the largest, times the longer side, are rounding.
ROUNDING = float(np.finfo(np.float64).eps)

#: A column that has less than this share of its spread within kept classes has none there.
NOTHING = 1e-10


@dataclass(frozen=True, eq=False)
class LinearPart:
    """Orthonormal directions that columns span, centred in each group of samples.

    Made by `span`.

    Attributes
    ----------
    means : ndarray of shape (n_groups, n_columns)
        What columns are centred by in each group.
    scale : ndarray of shape (n_columns,)
        What they are divided by.
    mixing : ndarray of shape (n_columns, rank)
        Turns standardised columns into directions.
    basis : ndarray of shape (n_samples, rank)
        The directions for the samples they were learnt from: orthonormal, and of mean zero in each
        group.
    """

    means: Floats
    scale: Floats
    mixing: Floats
    basis: Floats

    def directions(self, columns: Floats, groups: Indices) -> Floats:
        """Return the directions for other samples."""
        return multiply_rows((columns - self.means[groups]) / self.scale, self.mixing)


def span(columns: Floats, groups: Indices | None = None) -> LinearPart:
    """Find the directions that columns span beside a constant for each group.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_columns)
        Scaled in whatever way. Constant columns and columns that follow from others are fine.
    groups : ndarray of shape (n_samples,), optional
        Number of each sample's group; by default there is one group.

    Returns
    -------
    part : LinearPart

    Examples
    --------
    >>> import numpy as np
    >>> span(np.array([[0.0, 1.0, 5.0], [1.0, 3.0, 5.0], [2.0, 5.0, 5.0]])).basis.round(2)
    array([[-0.71],
           [ 0.  ],
           [ 0.71]])
    """
    if groups is None:
        groups = np.zeros(len(columns), dtype=np.intp)
    means = group_means(columns, groups)
    constant = _constant_in_groups(columns, groups)
    centred = np.where(constant, 0.0, columns - means[groups])
    scale = np.where(constant, 1.0, np.sqrt(np.mean(centred**2, axis=0)))
    basis, sizes, turn = np.linalg.svd(centred / scale, full_matrices=False)
    rank = int(np.count_nonzero(sizes > ROUNDING * max(columns.shape) * sizes.max(initial=0)))
    # Centred columns never span the constants, though rounding can make it seem so.
    rank = min(rank, len(columns) - int(np.count_nonzero(np.bincount(groups))))
    mixing = turn[:rank].T / sizes[:rank]
    return LinearPart(means, scale, np.where(constant[:, None], 0.0, mixing), basis[:, :rank])


def group_means(values: Floats, groups: Indices) -> Floats:
    """Mean of the rows of each group."""
    order, starts, sizes = _stretches(groups)
    sums = np.add.reduceat(values[order], starts, axis=0, dtype=np.float64)
    return np.asarray(sums / sizes[:, None])


def _constant_in_groups(columns: Floats, groups: Indices) -> NDArray[np.bool_]:
    order, starts, _ = _stretches(groups)
    ordered = columns[order]
    most, least = np.maximum.reduceat(ordered, starts), np.minimum.reduceat(ordered, starts)
    return np.asarray((most == least).all(axis=0))


def _stretches(groups: Indices) -> tuple[Indices, Indices, Indices]:
    """Return samples group by group, where each group begins, and how many it has."""
    sizes = np.bincount(groups)
    return np.argsort(groups, kind="stable"), np.cumsum(sizes) - sizes, sizes


def span_beside(columns: Floats, keep: Keep) -> tuple[LinearPart, Floats]:
    """Find the directions that columns span beside kept labels.

    Returns
    -------
    part : LinearPart
        What each direction is of all samples: not orthonormal, since kept classes may differ in it.
    within : ndarray of shape (n_samples, rank)
        The same without what kept classes differ by: orthonormal. The products of the data with it
        are the coefficients of a joint fit.
    """
    inner = columns - keep.part(columns)
    spread, left = columns.std(axis=0), inner.std(axis=0)
    found = span(np.where(left > NOTHING * spread, inner, 0.0))
    means = columns.mean(axis=0, keepdims=True)
    everyone = np.zeros(len(columns), dtype=np.intp)
    part = replace(found, means=means)
    return replace(part, basis=part.directions(columns, everyone)), found.basis
