"""Where a descent begins: anywhere that does not bring the prior back.

Principal or spectral axes of the raw data show first what dominates the data, which is what the
prior tells. Random positions know nothing. `spectral_start` knows the data without the prior: near
the origin the forces of JEDI's objective are linear in the map, and its axes are those along which
these very forces, prior included, spread the samples fastest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from unprior._typing import Floats
from unprior._validation import check_finite, check_numeric

#: Spread of a starting map: small, so that the first steps see the forces undistorted.
SPREAD = 1e-4

# A start need not be exact: digits beyond these change no final map.
_TOLERANCE, _RESTARTS = 1e-2, 20


def random_start(n_samples: int, n_components: int, rng: np.random.RandomState) -> Floats:
    """Draw normal noise around the origin."""
    return SPREAD * rng.standard_normal((n_samples, n_components))


def spectral_start(pulls: Floats, n_components: int, rng: np.random.RandomState) -> Floats:
    """Find the directions that forces stretch the most near the origin.

    Parameters
    ----------
    pulls : ndarray of shape (n_samples, n_samples)
        Symmetric m for which the gradient at a tiny map is proportional to Σ_j m_ij (y_i − y_j).
    n_components : int
        Dimensions of the map.
    rng : RandomState
        Where the search for directions begins, and what is not found.

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
        # Shifting a whole map moves nothing; the last term ranks that direction last.
        return others @ vector - sums * vector - 2 * bound * vector.mean()

    operator = LinearOperator((n_samples, n_samples), matvec=forces, dtype=np.float64)
    try:
        _, axes = eigsh(
            operator,
            k=n_components,
            which="LA",
            tol=_TOLERANCE,
            maxiter=_RESTARTS,
            v0=rng.standard_normal(n_samples),
        )
    except ArpackNoConvergence as stopped:
        axes = stopped.eigenvectors
    start = random_start(n_samples, n_components, rng)
    # The strongest first; those that were not found stay random.
    start[:, : axes.shape[1]] = SPREAD * axes[:, ::-1] / axes[:, ::-1].std(axis=0)
    return start


def given_start(who: str, init: Any, n_samples: int, n_components: int) -> Floats:
    """Return a copy of the user's array, checked."""
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
            f"{who}: 'init' puts all samples in one place, which no force leaves; add some noise, "
            'or use "random".'
        )
        raise ValueError(message)
    return start
