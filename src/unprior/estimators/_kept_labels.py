"""Kept labels in estimators: warn if nothing is left to remove, fill in missing labels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from unprior._typing import Floats
from unprior._warnings import ConfoundingWarning, caller_level
from unprior.estimators._options import WITH_RESIDUAL
from unprior.priors import Labels, Prior
from unprior.priors._keep import Keep

#: Labelled neighbours that vote on a missing label, and the fraction of votes that a class needs.
VOTERS, MAJORITY = 15, 0.5

#: Probability below which labels of some samples do not tell the prior by chance.
CHANCE = 0.001


def warn_if_nothing_is_left(who: str, priors: Mapping[str, Prior], keep: Keep | None) -> None:
    """Warn of priors that are the same for all samples of a kept class."""
    if keep is None:
        return
    for name, prior in priors.items():
        if _says_nothing(prior, keep):
            message = (
                f"{who}: {name!r} does not differ within classes of {keep.name!r}, so that nothing "
                "of it is removed; leave 'keep' out, or give coarser labels."
            )
            warnings.warn(message, ConfoundingWarning, stacklevel=caller_level())


def _says_nothing(prior: Prior, keep: Keep) -> bool:
    """Whether nothing of the prior can be removed within kept classes."""
    if isinstance(prior, Labels):
        return _is_constant_within(prior, keep)
    return _never_differs_within(prior, keep)


def _is_constant_within(prior: Labels, keep: Keep) -> bool:
    """Whether kept labels tell the prior, as far as there are any; all its classes have some.

    Few labels may tell it by chance, as a single one of each kept class does.
    """
    labeled = keep[keep.labeled]
    codes = prior.codes[keep.labeled]
    if len(np.unique(codes)) < len(np.unique(prior.codes)) or not labeled.determines(codes):
        return False
    n_repeated = len(codes) - len(np.unique(labeled.codes))
    by_chance = (prior.counts.max() / prior.n_samples) ** n_repeated
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

    Neighbours are sought in the residual that ``Residual("auto")`` chooses, so that a group of the
    prior without any label takes the labels of the others. With these labels kept, a second
    residual tells the prior from the classes, and its neighbours vote once more. A prior that is
    the same for all samples of each kept class is left in: without it, neighbours would have labels
    of any class. A sample whose neighbours disagree stays without a label, and so do all under
    metrics without a residual and those of stored data.
    """
    from unprior.estimators._residual import Residual  # which calls this

    if keep is None or keep.labeled.all() or not keep.labeled.any():
        return keep
    if metric not in WITH_RESIDUAL or not isinstance(X, np.ndarray):  # stored
        return keep
    classes = {
        name: prior
        for name, prior in priors.items()
        if isinstance(prior, Labels) and not _is_constant_within(prior, keep)
    }
    if not classes:
        return _vote(X, keep, metric, MAJORITY)
    points = Residual("auto", metric=metric)._fit_residual(X, classes)
    first = _vote(points, keep, metric, 0.0)  # all get a label, or it would call this again
    points = Residual("smooth", metric=metric)._fit_residual(X, classes, first)
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
