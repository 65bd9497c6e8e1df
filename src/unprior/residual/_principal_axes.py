"""Features or distances <-> coordinates on the principal axes of the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.utils.extmath import randomized_svd

from unprior._typing import Floats

#: Multiplies rows by a matrix. New samples use `multiply_rows`, so that the result for a row does
#: not depend on the other rows.
Product = Callable[[Floats, Floats], Floats]

#: Number of leading axes that are treated one by one; all others are treated together.
MOST_AXES = 50

#: Axes whose eigenvalue is below this fraction of the largest are rounding errors.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """The principal axes of features.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
        Mean of the fitted features.
    axes : ndarray of shape (n_features, n_axes)
        Orthonormal columns, sorted by decreasing variance.
    """

    mean: Floats
    axes: Floats

    @property
    def n_axes(self) -> int:
        """Number of axes."""
        return int(self.axes.shape[1])

    def points(self, X: Floats, multiply: Product = np.matmul) -> Floats:
        """Return coordinates on the axes; if some axes are missing, followed by the rest of X."""
        centred = X - self.mean
        along = multiply(centred, self.axes)
        if self.n_axes == len(self.mean):
            return along
        return np.hstack([along, centred - multiply(along, self.axes.T)])

    def vectors(self, points: Floats, multiply: Product = np.matmul) -> Floats:
        """Turn differences between points back into differences between features."""
        along, rest = points[:, : self.n_axes], points[:, self.n_axes :]
        turned = multiply(along, self.axes.T)
        return turned + rest if rest.size else turned


def multiply_rows(rows: Floats, matrix: Floats) -> Floats:
    """Multiply rows by a matrix; each row has the same bits whatever other rows there are."""
    from unprior.kernels._to_fitted import multiply_rows as product

    rows = np.ascontiguousarray(rows, dtype=np.float64)
    return np.asarray(product(rows, np.ascontiguousarray(matrix, dtype=np.float64)))


def find_axes(X: Floats) -> PrincipalAxes:
    """Find the principal axes of features, at most the first 50 if there are more features."""
    mean = X.mean(axis=0, dtype=np.float64)
    centred = X - mean
    if X.shape[1] <= MOST_AXES:
        return PrincipalAxes(mean, np.linalg.eigh(centred.T @ centred)[1][:, ::-1])
    _, _, axes = randomized_svd(centred, min(MOST_AXES, len(X) - 1), random_state=0)
    return PrincipalAxes(mean, axes.T)


def from_distances(squared: Floats) -> tuple[Floats, int, int]:
    """Turn squared distances into coordinates by classical scaling of the centred Gram matrix.

    Returns
    -------
    points : ndarray of shape (n_samples, n_coordinates)
        Real coordinates, sorted by decreasing variance, then imaginary ones. A squared distance is
        that in the real coordinates minus that in the imaginary ones. Distances between points of a
        Euclidean space have no imaginary coordinates.
    n_real : int
        Number of real axes.
    n_axes : int
        Number of axes to treat one by one, all of them real.
    """
    gram = squared / -2
    gram -= gram.mean(axis=0)
    gram -= gram.mean(axis=1, keepdims=True)
    lengths, axes = np.linalg.eigh((gram + gram.T) / 2)
    rounding = ROUNDING * np.abs(lengths).max()
    real, imaginary = np.flatnonzero(lengths > rounding)[::-1], np.flatnonzero(lengths < -rounding)
    kept = np.append(real, imaginary)
    return axes[:, kept] * np.sqrt(np.abs(lengths[kept])), len(real), min(MOST_AXES, len(real))


def to_distances(points: Floats, n_real: int) -> Floats:
    """Return squared distances between points with real and imaginary coordinates."""
    real, imaginary = points[:, :n_real], points[:, n_real:]
    gram = real @ real.T - imaginary @ imaginary.T
    own = np.diagonal(gram).copy()
    squared = own + own[:, None] - 2 * gram
    squared = (squared + squared.T) / 2
    np.fill_diagonal(squared, 0)
    return squared
