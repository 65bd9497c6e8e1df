"""Features or distances -> points on the data's own principal axes, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.utils.extmath import randomized_svd

from unprior._typing import Floats

#: Rows times a matrix. Of new samples, each row is to be rounded the same in any company.
Product = Callable[[Floats, Floats], Floats]

#: Axes that are looked at one by one; all others are looked at together.
MOST_AXES = 50

#: Axes with a smaller share of the largest eigenvalue are rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Frame:
    """The principal axes of features.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
        What points are relative to.
    axes : ndarray of shape (n_features, n_axes)
        Orthonormal columns, the axis of the largest variance first.
    """

    mean: Floats
    axes: Floats

    @property
    def n_axes(self) -> int:
        """Number of axes."""
        return int(self.axes.shape[1])

    def points(self, X: Floats, multiply: Product = np.matmul) -> Floats:
        """Return coordinates on the axes; if these are not all, the rest of X beside them."""
        centred = X - self.mean
        along = multiply(centred, self.axes)
        if self.n_axes == len(self.mean):
            return along
        return np.hstack([along, centred - multiply(along, self.axes.T)])

    def vectors(self, points: Floats, multiply: Product = np.matmul) -> Floats:
        """Return differences between points as differences between features."""
        along, rest = points[:, : self.n_axes], points[:, self.n_axes :]
        turned = multiply(along, self.axes.T)
        return turned + rest if rest.size else turned


def multiply_rows(rows: Floats, matrix: Floats) -> Floats:
    """Return rows times a matrix, every row to the same bits whatever other rows there are."""
    from unprior.kernels._to_fitted import multiply_rows as product

    rows = np.ascontiguousarray(rows, dtype=np.float64)
    return np.asarray(product(rows, np.ascontiguousarray(matrix, dtype=np.float64)))


def find_frame(X: Floats) -> Frame:
    """Find the principal axes of features, of many the first 50 alone."""
    mean = X.mean(axis=0, dtype=np.float64)
    centred = X - mean
    if X.shape[1] <= MOST_AXES:
        return Frame(mean, np.linalg.eigh(centred.T @ centred)[1][:, ::-1])
    _, _, axes = randomized_svd(centred, min(MOST_AXES, len(X) - 1), random_state=0)
    return Frame(mean, axes.T)


def place(squared: Floats) -> tuple[Floats, int, int]:
    """Place samples by their squared distances, on the axes of the centred Gram matrix.

    Returns
    -------
    points : ndarray of shape (n_samples, n_coordinates)
        Real coordinates first, the axis of the largest variance first. Squared distances are those
        of the real coordinates less those of the imaginary ones, of which there are some only if no
        points have the distances.
    n_real : int
        Number of real axes.
    n_axes : int
        Number of axes that are looked at one by one; all are real.
    """
    gram = squared / -2
    gram -= gram.mean(axis=0)
    gram -= gram.mean(axis=1, keepdims=True)
    lengths, axes = np.linalg.eigh((gram + gram.T) / 2)
    rounding = ROUNDING * np.abs(lengths).max()
    real, imaginary = np.flatnonzero(lengths > rounding)[::-1], np.flatnonzero(lengths < -rounding)
    kept = np.append(real, imaginary)
    return axes[:, kept] * np.sqrt(np.abs(lengths[kept])), len(real), min(MOST_AXES, len(real))


def squared_distances(points: Floats, n_real: int) -> Floats:
    """Return the squared distances of points, as `place` has found them, or what became of them."""
    real, imaginary = points[:, :n_real], points[:, n_real:]
    gram = real @ real.T - imaginary @ imaginary.T
    own = np.diagonal(gram).copy()
    squared = own + own[:, None] - 2 * gram
    squared = (squared + squared.T) / 2
    np.fill_diagonal(squared, 0)
    return squared
