"""Columns of numbers -> the part of the data that they explain linearly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats
from unprior.estimators._new_samples import Reader
from unprior.estimators._regressors import Regressors, learn_regressors
from unprior.priors import Prior

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


@dataclass(frozen=True, eq=False)
class LinearModel:
    """The least-squares fit of features on what is known.

    Attributes
    ----------
    regressors : dict of str to Regressors
        How each prior is told in columns.
    part : LinearPart
        The directions that the columns span.
    coefficients : ndarray of shape (rank, n_features)
        What each direction has of the features.
    """

    regressors: Mapping[str, Regressors]
    part: LinearPart
    coefficients: Floats

    @property
    def readers(self) -> Mapping[str, Reader]:
        """What reads the priors of new samples."""
        return {name: how.reader for name, how in self.regressors.items()}

    def explained(self, X: Floats, told: Mapping[str, NDArray[Any]]) -> Floats:
        """Return what is explained of new samples, as far as it differs from the mean."""
        columns = [how.columns(told[name]) for name, how in self.regressors.items()]
        return self.part.directions(np.hstack(columns)) @ self.coefficients


def learn_linear(X: Floats, priors: Mapping[str, Prior]) -> tuple[LinearModel, Floats]:
    """Regress features on priors jointly; return the fit, and what it explains."""
    regressors, part = regress(priors)
    coefficients = part.basis.T @ (X - X.mean(axis=0, dtype=np.float64))
    return LinearModel(regressors, part, coefficients), part.basis @ coefficients


def linear_distances(D: Floats, priors: Mapping[str, Prior], strength: float) -> tuple[int, Floats]:
    """Take what priors explain linearly out of distances; return the rank, and what is left."""
    _, part = regress(priors)
    squared = squared_residual(np.square(D, dtype=np.float64), part.basis, strength)
    return part.basis.shape[1], np.sqrt(np.maximum(squared, 0))


def regress(priors: Mapping[str, Prior]) -> tuple[dict[str, Regressors], LinearPart]:
    """Tell priors in columns and find the directions that these span together."""
    told = {name: learn_regressors(prior) for name, prior in priors.items()}
    part = span(np.hstack([columns for _, columns in told.values()]))
    n_samples, rank = part.basis.shape
    if rank >= n_samples - 1:
        message = (
            f"Residual: the prior has {rank} independent columns, which explain any {n_samples} "
            "samples in full; give fewer columns or more samples."
        )
        raise ValueError(message)
    return {name: how for name, (how, _) in told.items()}, part


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
