"""Learn a residual of a given kind: from data, priors and kept labels, what is left and a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unprior._params import Whole, check_value
from unprior._threads import one_blas_thread
from unprior._typing import Floats
from unprior.priors import Keep, Prior
from unprior.residual._linear import learn_linear, linear_distances
from unprior.residual._model import learn_smooth, smooth_distances
from unprior.residual._new_samples import Model
from unprior.residual._smoothers import landmark_rows

#: Metrics for which a residual exists.
WITH_RESIDUAL = ("euclidean", "l2", "cosine", "precomputed")


@dataclass(frozen=True, eq=False)
class FittedResidual:
    """What is left of the fitted samples, and what is needed to remove the same from new ones.

    Attributes
    ----------
    kind : str
        The kind of residual; see `learn_steps` for those that only maps use.
    left : ndarray of the shape of the data
        The residual.
    model : Model or None
        Explains new samples; None for distances and without a prior.
    rank : int or None
        Number of directions that were removed, for the kind "linear".
    n_neighbors : int or None
        Number of prior neighbours, for the other kinds.
    """

    kind: str
    left: Floats
    model: Model | None = None
    rank: int | None = None
    n_neighbors: int | None = None


def learn_residual(
    X: Floats,
    priors: Mapping[str, Prior],
    keep: Keep | None = None,
    *,
    kind: str,
    metric: str,
    n_neighbors: int | str = "auto",
    strength: float = 1.0,
) -> FittedResidual:
    """Remove from the data what the priors explain.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features) or (n_samples, n_samples)
        Features, of length 1 for the cosine metric, or distances.
    priors : dict of str to Prior
        What to remove, from `flat_priors`.
    keep : Keep, optional
        Kept labels.
    kind, metric, n_neighbors, strength
        As in `unprior.Residual`, with "auto" resolved for ``kind``.
    """
    linear = kind == "linear"
    k = None if linear else count_neighbors(n_neighbors, len(X))
    if not priors:
        return FittedResidual(kind, X.copy(), rank=0 if linear else None, n_neighbors=k)
    with one_blas_thread():
        if metric == "precomputed":
            return _of_distances(X, priors, keep, kind, k, strength)
        if k is None:
            fit, explained = learn_linear(X, priors, keep)
            return FittedResidual(kind, subtract(X, explained, strength), fit, fit.rank)
        model, explained = learn_smooth(X, priors, k, kind=kind, keep=keep)
        return FittedResidual(kind, subtract(X, explained, strength), model, n_neighbors=k)


def _of_distances(
    D: Floats,
    priors: Mapping[str, Prior],
    keep: Keep | None,
    kind: str,
    k: int | None,
    strength: float,
) -> FittedResidual:
    rank = None
    if k is None:
        rank, left = linear_distances(D, priors, strength, keep)
    else:
        left = smooth_distances(D, priors, k, strength, kind=kind, keep=keep)
    return FittedResidual(kind, left.astype(D.dtype), rank=rank, n_neighbors=k)


def subtract(X: Floats, explained: Floats, strength: float) -> Floats:
    """Remove a fraction of what is explained, in the data's precision."""
    return (X - strength * explained).astype(X.dtype)


def count_neighbors(n_neighbors: int | str, n_samples: int) -> int:
    """Return the number of prior neighbours, with "auto" resolved."""
    most = len(landmark_rows(n_samples)) - 1
    if n_neighbors == "auto":
        return round(np.sqrt(most))
    check_value("Residual", "n_neighbors", n_neighbors, Whole(1, most))
    return int(n_neighbors)
