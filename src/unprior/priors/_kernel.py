"""The prior of a kernel matrix: distances in its feature space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unprior._typing import Floats, Indices
from unprior._validation import ROUNDING, check_finite, check_numeric
from unprior.geometry import BLOCK_ENTRIES, as_rows
from unprior.priors._base import Kind, Prior, Source


@dataclass(frozen=True, eq=False, repr=False)
class Kernel(Prior):
    """Similarities K as a prior, read as inner products: d² = K_ii + K_jj − 2 K_ij.

    Attributes
    ----------
    matrix : ndarray of shape (n_samples, n_samples)
        The similarities, in their original precision.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.kernel([[1.0, 0.5], [0.5, 1.0]]).pairs([0], [1])
    array([1.])
    """

    kind: ClassVar[str] = "kernel"

    matrix: Floats

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.matrix)

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        i, j = np.ix_(as_rows(rows), as_rows(cols))
        return np.sqrt(np.maximum(_squared(self.matrix, i, j), 0))

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        return np.sqrt(np.maximum(_squared(self.matrix, as_rows(i), as_rows(j)), 0))

    def _take(self, rows: Indices) -> Kernel:
        return Kernel(self.matrix[np.ix_(rows, rows)])


def kernel(K: Any) -> Kernel:
    """Make a prior from a kernel matrix, that is, from similarities.

    Parameters
    ----------
    K : array-like of shape (n_samples, n_samples)
        Symmetric similarities that could be inner products, up to a constant shift; any rank.

    Returns
    -------
    prior : Kernel
        Distances √(K_ii + K_jj − 2 K_ij).

    Examples
    --------
    >>> import numpy as np
    >>> from unprior import priors
    >>> points = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> priors.kernel(points @ points.T).largest()
    5.0
    """
    K = check_numeric("kernel", "K", K)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        message = f"kernel: 'K' takes a square matrix; got shape {K.shape}."
        raise ValueError(message)
    check_finite("kernel", "K", K)
    if not K.size:
        return Kernel(K)
    slack = ROUNDING * float(np.abs(K).max())
    gap = np.abs(K - K.T)
    i, j = _where_largest(gap)
    if gap[i, j] > slack:
        message = (
            f"kernel: 'K' takes symmetric similarities; got {K[i, j]:.6g} at ({i}, {j}) and "
            f"{K[j, i]:.6g} at ({j}, {i}). Symmetrise it first, for example (K + K.T) / 2."
        )
        raise ValueError(message)
    if gap[i, j] > 0:
        K = (K + K.T) / 2
    _check_squares(K, slack)
    return Kernel(K)


def _check_squares(K: Floats, slack: float) -> None:
    """Refuse a kernel with squared distances that are negative beyond rounding errors."""
    everyone, step = np.arange(len(K)), max(1, BLOCK_ENTRIES // len(K))
    for start in range(0, len(K), step):
        rows = everyone[start : start + step]
        squared = _squared(K, rows[:, None], everyone)
        i, j = _where_largest(-squared)
        if squared[i, j] < -slack:
            message = (
                "kernel: 'K' takes similarities that could be inner products; got "
                f"K_ii + K_jj - 2 K_ij = {squared[i, j]:.3g} < 0 for samples {rows[i]} and {j}. If "
                "these are distances, pass them to priors.distances."
            )
            raise ValueError(message)


def _squared(K: Floats, i: Indices, j: Indices) -> Floats:
    diagonal = np.diagonal(K).astype(np.float64)
    return diagonal[i] + diagonal[j] - 2 * K[i, j].astype(np.float64)


def _where_largest(array: Floats) -> tuple[int, int]:
    i, j = divmod(int(array.argmax()), array.shape[1])
    return i, j


def _make(source: Source) -> Kernel:
    return kernel(source.square())


KERNEL = Kind("kernel", "K.npy:kernel", _make, takes="square", square_call="priors.kernel(K)")
