"""Points and neighbours -> weights that reconstruct each sample from its neighbours, as in LLE."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse import csr_matrix

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices

#: Approximate number of coordinates of neighbours in a block of one thread.
BLOCK_ENTRIES = 4_000_000

#: A sample and its neighbours -> reconstruction weights.
Solver: TypeAlias = Callable[[int, Indices], Floats]


def reconstruction_weights(
    points: Floats,
    neighbors: Indices,
    regularization: float,
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> csr_matrix:
    r"""Reconstruct each sample from its neighbours, with weights that sum to 1.

    With G the Gram matrix of the neighbours seen from the sample, the weights w minimise
    :math:`w^\top G w + r\,\mathrm{tr}(G)\,\|w\|^2` under :math:`\sum w = 1`; they are the solution
    of :math:`(G + r\,\mathrm{tr}(G)\,I)\,w = 1`, scaled.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_axes)
        The samples.
    neighbors : ndarray of shape (n_samples, k)
        Neighbours of each sample.
    regularization : float
        The ridge r.
    n_jobs : int, optional
        Number of threads, in joblib's sense. The result does not depend on it.
    verbose : int, default=0
        1 always shows a progress bar.

    Returns
    -------
    weights : csr_matrix of shape (n_samples, n_samples)
        Each row sums to 1.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> reconstruction_weights(points, np.array([[1, 2], [0, 2], [0, 1]]), 1e-9).toarray().round(2)
    array([[ 0.  ,  1.5 , -0.5 ],
           [ 0.67,  0.  ,  0.33],
           [-2.  ,  3.  ,  0.  ]])
    """
    (n, k), solve = neighbors.shape, _choose_solver(points, neighbors, regularization)
    step = max(1, BLOCK_ENTRIES // (k * max(points.shape[1], 1)))
    blocks = [range(start, min(start + step, n)) for start in range(0, n, step)]
    solved = map_blocks(
        partial(_solve_block, solve, neighbors),
        blocks,
        title="weights",
        n_jobs=n_jobs,
        verbose=verbose,
    )
    weights = np.vstack(solved)
    starts = np.arange(0, n * k + 1, k)
    return csr_matrix((weights.ravel(), neighbors.ravel(), starts), shape=(n, n))


def _solve_block(solve: Solver, neighbors: Indices, rows: range) -> Floats:
    return np.stack([solve(i, neighbors[i]) for i in rows])


def _choose_solver(points: Floats, neighbors: Indices, regularization: float) -> Solver:
    """Return the fastest of three methods that give the same weights."""
    (n, d), k = points.shape, neighbors.shape[1]
    points = points - points.mean(axis=0)

    def by_axes(i: int, near: Indices) -> Floats:
        # With fewer axes than neighbours, G = Z Zᵀ has low rank: (Z Zᵀ + r I)⁻¹ 1 is, up to a
        # factor, 1 - Z (Zᵀ Z + r I)⁻¹ Zᵀ 1.
        Z = points[near] - points[i]
        scatter = _add_ridge(Z.T @ Z, regularization)
        weights = 1 - Z @ cho_solve(cho_factor(scatter, check_finite=False), Z.sum(axis=0))
        return weights / weights.sum()

    def by_points(i: int, near: Indices) -> Floats:
        Z = points[near] - points[i]
        return _solve(Z @ Z.T, regularization)

    if d < k:
        return by_axes
    if k**2 < n:
        return by_points
    products = points @ points.T

    def by_products(i: int, near: Indices) -> Floats:
        own = products[i, near]
        gram = products[np.ix_(near, near)] - own - own[:, None] + products[i, i]
        try:
            return _solve(gram, regularization)
        except LinAlgError:  # cancellation: close together and far from the origin
            return by_points(i, near)

    return by_products


def _add_ridge(gram: Floats, regularization: float) -> Floats:
    """Add a fraction of the trace to the diagonal, in place; for a zero matrix, of 1."""
    trace = float(np.trace(gram))
    gram.flat[:: len(gram) + 1] += regularization * (trace if trace > 0 else 1.0)
    return gram


def _solve(gram: Floats, regularization: float) -> Floats:
    factor = cho_factor(_add_ridge(gram, regularization), overwrite_a=True, check_finite=False)
    weights: Floats = cho_solve(factor, np.ones(len(gram)), check_finite=False)
    return weights / weights.sum()
