"""Warn if neighbours share more of a prior in the residual than in the data.

This happens where groups differ in composition: the means of batches with different cell types are
means of different types, and removing them moves the types of each batch elsewhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
from scipy.spatial.distance import cdist

from unprior._typing import Floats, Indices
from unprior._warnings import BalanceWarning, caller_level
from unprior.geometry import draw_landmarks
from unprior.priors import Keep, Prior
from unprior.priors._left_within import prepare_left

#: Largest number of samples among which neighbours are found, and the number of neighbours.
MOST_ROWS, NEIGHBORS = 2000, 15

#: Rise from which on to warn. With the linear kind, 20 random classes of 400 samples rise by .09.
RISE = 0.1


def warn_of_more(
    X: Floats, left: Floats, priors: Mapping[str, Prior], keep: Keep | None, metric: str
) -> None:
    """Warn if neighbours share more of a prior in the residual than in the data."""
    for name, (before, then) in shared_before_and_after(X, left, priors, keep, metric).items():
        if then > before + RISE:
            message = (
                f"Residual: neighbours share more of {name!r} in the residual ({then:.2f}; 0 is "
                f"chance) than in the data ({before:.2f}). Its groups may differ in composition, "
                "such as batches that lack some cell types: use kind='clustered', or give the "
                "types as 'keep'."
            )
            warnings.warn(message, BalanceWarning, stacklevel=caller_level())


def shared_before_and_after(
    X: Floats, left: Floats, priors: Mapping[str, Prior], keep: Keep | None, metric: str
) -> dict[str, tuple[float, float]]:
    """Return what neighbours share of each prior, in the data and in the residual."""
    before, then = (shared_by_neighbors(each, priors, keep, metric) for each in (X, left))
    return {name: (before[name], then[name]) for name in before}


def shared_by_neighbors(
    X: Floats, priors: Mapping[str, Prior], keep: Keep | None, metric: str
) -> dict[str, float]:
    """Return what neighbours share of each prior, 0 by chance; empty if there are too few."""
    rows = draw_landmarks(len(X), MOST_ROWS)
    k = min(NEIGHBORS, (len(rows) - 1) // 3)
    if k < 1:
        return {}
    near, everyone = _nearest(X, rows, k, metric), np.arange(len(rows))
    kept = None if keep is None else keep[rows]
    return {
        name: prepare_left(prior[rows], kept, k).among(everyone, near)
        for name, prior in priors.items()
    }


def _nearest(X: Floats, rows: Indices, k: int, metric: str) -> Indices:
    """Return the nearest neighbours of these samples among themselves."""
    D = np.array(X[np.ix_(rows, rows)]) if metric == "precomputed" else cdist(X[rows], X[rows])
    np.fill_diagonal(D, np.inf)
    return np.asarray(np.argsort(D, axis=1, kind="stable")[:, :k])
