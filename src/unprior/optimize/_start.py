"""Initial maps that do not bring the prior back.

Principal or spectral axes of the raw data show what dominates the data, which often is the prior.
Random positions contain nothing of it, and neither does `spectral_start`: near the origin the
forces of JEDI's objective are linear in the map, and its axes are those along which these forces,
prior included, spread the samples fastest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from unprior._typing import Floats, Indices
from unprior._validation import check_finite, check_numeric
from unprior.affinities import squared_block
from unprior.geometry import SampleDistances
from unprior.objectives import Problem, exact_objective

#: Standard deviation of an initial map: small, so that forces are linear in the first steps.
SPREAD = 1e-4

#: Tolerance and restarts of the eigensolver; more precision does not change the final map.
TOLERANCE, RESTARTS = 1e-2, 20

#: Size of the subset on which a large problem is solved for its start, and the number of nearest
#: samples of the subset whose mean place each other sample gets.
COARSE_SAMPLES, COARSE_NEIGHBORS = 1500, 10

#: Largest number of distances held at a time (32 MB).
BLOCK_ENTRIES = 4_000_000


def random_start(n_samples: int, n_components: int, rng: np.random.RandomState) -> Floats:
    """Draw normal noise around the origin."""
    return SPREAD * rng.standard_normal((n_samples, n_components))


def spectral_start(pulls: Floats, n_components: int, rng: np.random.RandomState) -> Floats:
    """Find the directions in which the forces stretch a tiny map most.

    Parameters
    ----------
    pulls : ndarray of shape (n_samples, n_samples)
        Symmetric m such that the gradient at a tiny map is proportional to Σ_j m_ij (y_i − y_j).
    n_components : int
        Dimensions of the map.
    rng : RandomState
        Starting vector of the eigensolver, and noise in place of axes that do not converge.

    Returns
    -------
    start : ndarray of shape (n_samples, n_components)
    """
    n_samples = len(pulls)
    others = pulls - np.diag(pulls.diagonal())
    sums = others.sum(axis=1)
    bound = np.abs(others).sum(axis=1).max()

    def forces(vector: Floats) -> Floats:
        vector = vector.ravel()
        # A shift of the whole map has no effect; the last term ranks that direction last.
        return others @ vector - sums * vector - 2 * bound * vector.mean()

    operator = LinearOperator((n_samples, n_samples), matvec=forces, dtype=np.float64)
    try:
        _, axes = eigsh(
            operator,
            k=n_components,
            which="LA",
            tol=TOLERANCE,
            maxiter=RESTARTS,
            v0=rng.standard_normal(n_samples),
        )
    except ArpackNoConvergence as stopped:
        axes = stopped.eigenvectors
    start = random_start(n_samples, n_components, rng)
    # In descending order; axes that did not converge stay random.
    start[:, : axes.shape[1]] = SPREAD * axes[:, ::-1] / axes[:, ::-1].std(axis=0)
    return start


def coarse_start(
    problem: Problem, n_components: int, rng: np.random.RandomState, emphasis: float
) -> Floats:
    """Return the spectral start of a random subset, with each other sample near its nearest there.

    The forces are exact: axes of sampled forces would be noise.
    """
    n = problem.n_samples
    if n <= COARSE_SAMPLES:
        return spectral_start(exact_objective(problem).pulls_at_origin(emphasis), n_components, rng)
    rows = np.sort(rng.permutation(n)[:COARSE_SAMPLES])
    pulls = exact_objective(problem.part(rows)).pulls_at_origin(emphasis)
    start = spectral_start(pulls, n_components, rng)
    start = _extend(problem.data, rows, start)
    return SPREAD * (start - start.mean(axis=0)) / start.std(axis=0)


def _extend(data: SampleDistances, rows: Indices, places: Floats) -> Floats:
    """Extend the places of some rows to all samples: the mean of their nearest rows."""
    extended = np.empty((data.n_samples, places.shape[1]))
    step = max(1, BLOCK_ENTRIES // len(rows))
    for start in range(0, data.n_samples, step):
        some = np.arange(start, min(data.n_samples, start + step))
        squared = squared_block(data, some, rows)
        nearest = np.argpartition(squared, COARSE_NEIGHBORS, axis=1)[:, :COARSE_NEIGHBORS]
        extended[some] = places[nearest].mean(axis=1)
    return extended


def given_start(who: str, init: Any, n_samples: int, n_components: int) -> Floats:
    """Return a checked copy of the user's initial map."""
    start = check_numeric(who, "init", init).astype(np.float64)
    if start.shape != (n_samples, n_components):
        message = (
            f"{who}: 'init' takes an array of shape ({n_samples}, {n_components}); "
            f"got {start.shape}."
        )
        raise ValueError(message)
    check_finite(who, "init", start)
    if (start == start[0]).all():
        message = (
            f"{who}: 'init' puts all samples in one place, where all forces are 0; add some noise, "
            'or use "random".'
        )
        raise ValueError(message)
    return start
