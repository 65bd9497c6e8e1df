"""Kept labels in estimators: warn if nothing is left to remove, fill in missing labels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from unprior._typing import Floats
from unprior._warnings import ConfoundingWarning, caller_level
from unprior.priors import Labels, Prior
from unprior.priors._keep import Keep

#: Labelled neighbours that vote on a missing label, and the fraction of votes that a class needs.
VOTERS, MAJORITY = 15, 0.5


def warn_if_nothing_is_left(who: str, priors: Mapping[str, Prior], keep: Keep | None) -> None:
    """Warn of priors that are the same for all samples of a kept class."""
    if keep is None or not keep.labeled.all():
        return
    for name, prior in priors.items():
        if isinstance(prior, Labels) and keep.determines(prior.codes):
            message = (
                f"{who}: {name!r} does not differ within classes of {keep.name!r}, so that nothing "
                "of it is removed; leave 'keep' out, or give coarser labels."
            )
            warnings.warn(message, ConfoundingWarning, stacklevel=caller_level())


def transfer_labels(
    X: Floats, keep: Keep | None, priors: Mapping[str, Prior], metric: str
) -> Keep | None:
    """Return kept labels in which samples without a label take that of their neighbours.

    Neighbours are sought in the residual that ``Residual("auto")`` chooses, so that a group of the
    prior without any label takes the labels of the others. A sample whose neighbours disagree stays
    without a label.
    """
    from scipy.stats import mode
    from sklearn.neighbors import NearestNeighbors

    from unprior.estimators._residual import Residual  # which calls this

    if keep is None or keep.labeled.all() or not keep.labeled.any():
        return keep
    classes = {name: prior for name, prior in priors.items() if isinstance(prior, Labels)}
    points = Residual("auto", metric=metric)._fit_residual(X, classes) if classes else X
    labeled, missing = np.flatnonzero(keep.labeled), np.flatnonzero(~keep.labeled)
    k = min(VOTERS, len(labeled))
    if metric == "precomputed":
        nearest = np.argsort(points[np.ix_(missing, labeled)], axis=1, kind="stable")[:, :k]
    else:
        finder = NearestNeighbors(n_neighbors=k).fit(points[labeled])
        nearest = finder.kneighbors(points[missing], return_distance=False)
    winner, votes = mode(keep.codes[labeled][nearest], axis=1)
    clear = votes > MAJORITY * k
    codes = keep.codes.copy()
    codes[missing[clear]] = winner[clear]
    return replace(keep, codes=codes)
