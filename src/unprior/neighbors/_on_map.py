"""Map -> the nearest neighbours of given samples on it, by a tree."""

from __future__ import annotations

from scipy.spatial import cKDTree

from unprior._typing import Floats, Indices


def map_neighbors(Y: Floats, rows: Indices, k: int) -> tuple[Indices, Floats]:
    """Return the k nearest neighbours of given samples on a map, and their distances.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_components)
        A map of few components.
    rows : ndarray of shape (n_rows,)
        The samples.
    k : int
        Number of neighbours, less than the number of samples.

    Returns
    -------
    indices : ndarray of shape (n_rows, k)
        Nearest first.
    distances : ndarray of shape (n_rows, k)

    Examples
    --------
    >>> import numpy as np
    >>> map_neighbors(np.array([[0.0], [1.0], [3.0]]), np.array([0, 2]), 1)[0]
    array([[1],
           [1]])
    """
    distances, found = cKDTree(Y).query(Y[rows], k + 1)
    others = found != rows[:, None]
    # With many samples at one place, the sample itself need not be among its nearest.
    others[others.all(axis=1), -1] = False
    return found[others].reshape(-1, k), distances[others].reshape(-1, k)
