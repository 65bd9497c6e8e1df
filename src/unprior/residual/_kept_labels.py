"""Kept labels beside priors: warn if nothing is left to remove, fill in missing labels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from unprior._typing import Floats, Indices
from unprior._warnings import ConfoundingWarning, caller_level
from unprior.geometry import as_counted
from unprior.priors import Keep, Prior
from unprior.residual._automatic import fit_residual
from unprior.residual._learn import WITH_RESIDUAL
from unprior.residual._regressors import codes_of, flat_priors

#: Labelled neighbours that vote on a missing label, and the fraction of votes that a class needs.
VOTERS, MAJORITY = 15, 0.5

#: If it is less probable than this, it is not by chance that labels of some samples determine the
#: prior.
CHANCE = 0.001


def complete_labels(
    who: str, X: Any, keep: Keep | None, priors: Mapping[str, Prior], metric: str
) -> Keep | None:
    """Fill in missing labels by `transfer_labels`; warn if nothing of a prior is left to remove."""
    if keep is not None:
        _warn_if_nothing_is_left(who, priors, keep)
    return transfer_labels(X, keep, priors, metric)


def _warn_if_nothing_is_left(who: str, priors: Mapping[str, Prior], keep: Keep) -> None:
    """Warn about priors that are the same for all samples of a kept class."""
    codes = codes_of(priors)
    for name, prior in priors.items():
        if (
            _is_constant_within(codes[name], keep)
            if name in codes
            else _never_differs_within(prior, keep)
        ):
            message = (
                f"{who}: {name!r} does not differ within classes of {keep.name!r}, so nothing "
                "of it is removed; leave 'keep' out, or give coarser labels."
            )
            warnings.warn(message, ConfoundingWarning, stacklevel=caller_level())


def _is_constant_within(classes: Indices, keep: Keep) -> bool:
    """Whether kept labels determine the prior's classes, judging by the samples that have one.

    All classes of the prior must have some. A few labels may determine it by chance, as a single
    one of each kept class does.
    """
    labeled = keep[keep.labeled]
    codes = classes[keep.labeled]
    if len(np.unique(codes)) < len(np.unique(classes)) or not labeled.determines(codes):
        return False
    n_repeated = len(codes) - len(np.unique(labeled.codes))
    by_chance = (np.bincount(classes).max() / len(classes)) ** n_repeated
    return bool(keep.labeled.all() or by_chance < CHANCE)


def _never_differs_within(prior: Prior, keep: Keep) -> bool:
    """Whether all samples of each kept class are at distance 0 in the prior; all have a label."""
    if not keep.labeled.all():
        return False
    _, first, own = np.unique(keep.codes, return_index=True, return_inverse=True)
    others = np.flatnonzero(first[own] != np.arange(keep.n_samples))
    return not prior.pairs(first[own][others], others).any()


def transfer_labels(
    X: Any, keep: Keep | None, priors: Mapping[str, Prior], metric: str
) -> Keep | None:
    """Return kept labels in which samples without a label take that of their neighbours.

    Neighbours are found in the residual that ``Residual("auto")`` chooses, so that a group of
    the prior without any label takes the labels of the others. With these labels kept, a second
    residual separates the prior from the classes, and its neighbours vote once more. A prior that
    is the same for all samples of each kept class is left in: without it, neighbours would have
    labels of any class. A sample whose neighbours disagree stays without a label, and so do all
    under metrics without a residual and those of stored data.
    """
    if keep is None or keep.labeled.all() or not keep.labeled.any():
        return keep
    if metric not in WITH_RESIDUAL or not isinstance(X, np.ndarray):  # stored
        return keep
    codes = codes_of(priors)
    classes = {n: priors[n] for n in codes if not _is_constant_within(codes[n], keep)}
    if not classes:
        return _vote(X, keep, metric, MAJORITY)
    counted, classes = as_counted("Residual", X, metric), flat_priors(classes)
    points = fit_residual(counted, classes, kind="auto", metric=metric).left
    first = _vote(points, keep, metric, 0.0)
    points = fit_residual(counted, classes, first, kind="smooth", metric=metric).left
    return _vote(points, keep, metric, MAJORITY)


def _vote(points: Floats, keep: Keep, metric: str, least: float) -> Keep:
    """Give samples without a label the most frequent one of their neighbours.

    It needs more than the least fraction of votes.
    """
    from scipy.stats import mode
    from sklearn.neighbors import NearestNeighbors

    labeled, missing = np.flatnonzero(keep.labeled), np.flatnonzero(~keep.labeled)
    k = min(VOTERS, len(labeled))
    if metric == "precomputed":
        nearest = np.argsort(points[np.ix_(missing, labeled)], axis=1, kind="stable")[:, :k]
    else:
        finder = NearestNeighbors(n_neighbors=k).fit(points[labeled])
        nearest = finder.kneighbors(points[missing], return_distance=False)
    winner, votes = mode(keep.codes[labeled][nearest], axis=1)
    clear = votes > least * k
    codes = keep.codes.copy()
    codes[missing[clear]] = winner[clear]
    return replace(keep, codes=codes)
