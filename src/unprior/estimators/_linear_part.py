"""Columns of numbers -> the part of the data that they explain linearly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats

#: Singular values below this share of the largest, times the longer side, are rounding.
ROUNDING = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class LinearPart:
    """Orthonormal directions that centred columns span.

    Made by `span`.

    Attributes
    ----------
    mean, scale : ndarray of shape (n_columns,)
        What columns are centred and divided by.
    mixing : ndarray of shape (n_columns, rank)
        Turns standardised columns into directions.
    basis : ndarray of shape (n_samples, rank)
        The directions for the samples they were learnt from: orthonormal, and of mean zero.
    """

    mean: Floats
    scale: Floats
    mixing: Floats
    basis: Floats

    def directions(self, columns: Floats) -> Floats:
        """Return the directions for other samples."""
        return (columns - self.mean) / self.scale @ self.mixing


def span(columns: Floats) -> LinearPart:
    """Find the directions that columns span beside the constant, however they are scaled.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_columns)
        Constant columns and columns that follow from others are fine.

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
    mean = columns.mean(axis=0)
    constant = columns.max(axis=0) == columns.min(axis=0)
    scale = np.where(constant, 1.0, columns.std(axis=0))
    standard = np.where(constant, 0.0, (columns - mean) / scale)
    basis, sizes, turn = np.linalg.svd(standard, full_matrices=False)
    rank = int(np.count_nonzero(sizes > ROUNDING * max(columns.shape) * sizes[0]))
    mixing = turn[:rank].T / sizes[:rank]
    return LinearPart(mean, scale, np.where(constant[:, None], 0.0, mixing), basis[:, :rank])


def squared_residual(squared: Floats, basis: Floats, strength: float) -> Floats:
    r"""Take directions out of squared distances, through their centred Gram matrix.

    With H the projection onto the basis and B the Gram matrix, the squared distances of
    :math:`(I - \eta H)\,B\,(I - \eta H)`: if the distances are those of points, the distances of
    these points without the share η of what the basis explains.

    Parameters
    ----------
    squared : ndarray of shape (n_samples, n_samples)
        Squared distances.
    basis : ndarray of shape (n_samples, rank)
        Orthonormal columns of mean zero.
    strength : float
        The share η.

    Returns
    -------
    residual : ndarray of shape (n_samples, n_samples)
        Symmetric, with a zero diagonal. Negative only for distances that no points have.
    """
    # B H without B: centring on the right falls to the basis, which is centred already.
    product = squared @ basis / -2
    product -= product.mean(axis=0)
    factor = strength * product - strength**2 / 2 * basis @ (basis.T @ product)
    change = basis @ factor.T
    change = change + change.T
    own = np.diagonal(change).copy()
    residual = squared - (own + own[:, None]) + 2 * change
    np.fill_diagonal(residual, 0)
    return residual
