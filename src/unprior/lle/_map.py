"""Reconstruction weights -> the map that preserves them best: LLE's bottom eigenvectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.linalg import cho_factor, cho_solve, qr, svd
from scipy.sparse import csc_matrix, csr_matrix, identity
from scipy.sparse.linalg import splu

from unprior._typing import Floats

#: Beyond this many samples a matrix with few entries stays sparse.
MANY = 2000

#: Shift that makes the singular matrix invertible, relative to its largest entry.
SHIFT = 1e-9

#: Size of the block of vectors; up to FEW samples, all of them.
BLOCK, FEW = 40, 300

#: Change of the wanted subspace at which iteration stops, and the largest number of rounds. More
#: would be needed only if all vectors of the block had about the same error, and then none matters.
TOLERANCE, ROUNDS = 1e-10, 300

#: Vectors whose errors differ by less count as equal, and so do their linear combinations.
TIE = 1e-12

Solve: TypeAlias = Callable[[Floats], Floats]


def bottom_vectors(
    weights: csr_matrix, n_components: int, rng: np.random.RandomState
) -> tuple[Floats, Floats]:
    """Find the map that the weights reconstruct with the smallest error.

    Parameters
    ----------
    weights : csr_matrix of shape (n_samples, n_samples)
        Rows that sum to 1, from `reconstruction_weights`.
    n_components : int
        Dimensions of the map.
    rng : RandomState
        Initial vectors; the result depends on them only by rounding.

    Returns
    -------
    errors : ndarray of shape (n_components,)
        Squared error of each dimension, ascending: eigenvalues of (I - W)ᵀ (I - W).
    vectors : ndarray of shape (n_samples, n_components)
        Dimensions of mean 0 and length 1, the largest entry of each positive.

    Examples
    --------
    On a ring, where each sample is the mean of two others, the map is a circle:

    >>> import numpy as np
    >>> ring = np.roll(np.eye(6), 1, axis=0) / 2 + np.roll(np.eye(6), -1, axis=0) / 2
    >>> errors, Y = bottom_vectors(csr_matrix(ring), 2, np.random.RandomState(0))
    >>> errors, (6 * Y**2).sum(axis=1) / 2
    (array([0.25, 0.25]), array([1., 1., 1., 1., 1., 1.]))
    """
    n = weights.shape[0]
    misfit = identity(n, format="csr") - weights
    solve = _sparse_solve(misfit) if stays_sparse(n, weights.nnz // n) else _dense_solve(misfit)
    errors, vectors = _inverse_iteration(misfit, solve, n_components, rng)
    largest = np.abs(vectors).argmax(axis=0)
    return errors, vectors * np.sign(vectors[largest, np.arange(n_components)])


def stays_sparse(n_samples: int, n_neighbors: int) -> bool:
    """Whether a sparse matrix is faster: many samples with few neighbours each."""
    return n_samples > MANY and 20 * (n_neighbors + 1) ** 2 < n_samples


def _dense_solve(misfit: csr_matrix) -> Solve:
    n = misfit.shape[0]
    few = (misfit.nnz // n) ** 2 < n
    A = misfit if few else misfit.toarray()
    M = (A.T @ A).toarray() if few else A.T @ A
    M.flat[:: n + 1] += SHIFT * M.diagonal().max()
    cholesky = cho_factor(M, overwrite_a=True, check_finite=False)
    return lambda V: cho_solve(cholesky, V, check_finite=False)


def _sparse_solve(misfit: csr_matrix) -> Solve:
    M = csc_matrix(misfit.T @ misfit)
    M = M + SHIFT * M.diagonal().max() * identity(M.shape[0], format="csc")
    # Positive definite: no pivoting, and an ordering made for symmetric matrices.
    symmetric = {"SymmetricMode": True}
    factor = splu(M, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric)
    return lambda V: factor.solve(V)


def _inverse_iteration(
    misfit: csr_matrix, solve: Solve, n_components: int, rng: np.random.RandomState
) -> tuple[Floats, Floats]:
    """Return the smallest squared singular values of I - W, and their right vectors.

    Iteration is by blocks, since a disconnected graph of neighbours has several vectors with error
    0. The constant vector, which always has error 0, is projected out.
    """
    n = misfit.shape[0]
    block: Floats = rng.standard_normal((n, n - 1 if n <= FEW else BLOCK))
    before: Floats = np.zeros((n, 0))
    for _ in range(ROUNDS):
        block = qr(block - block.mean(axis=0), mode="economic")[0]
        sizes, turn = svd(misfit @ block, full_matrices=False)[1:]
        errors, block = sizes[::-1] ** 2, block @ turn[::-1].T
        wanted = block[:, :n_components]
        if np.linalg.norm(wanted - before @ (before.T @ wanted)) < TOLERANCE:
            break
        before = block[:, errors <= errors[n_components - 1] + TIE]
        block = solve(block)
    return errors[:n_components], wanted
