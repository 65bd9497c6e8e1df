"""Data and classes of a prior -> whether the classes differ in composition, and shared clusters.

A shift between groups is gone once all groups have one mean and one covariance: the aligned
residual. If groups still have different shares of its coarse clusters, they differ in composition,
such as batches that lack some types of cells. A map that is independent of the prior would tear
these types apart. So then the clusters of the clustered residual, which the groups share, are kept:
the map is made independent of the prior within each.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from unprior._typing import Floats, Indices
from unprior._warnings import ConfoundingWarning, caller_level
from unprior.estimators._residual import Residual
from unprior.priors import Labels, Prior
from unprior.priors._keep import Keep
from unprior.priors._label_sets import bias_corrected_v
from unprior.residual._smoothers import reference_rows

#: Clusters of the aligned residual by which groups are compared, and those that are kept. With
#: coarse ones, what small shifts of single types leave does not count.
COARSE, KEPT_CLUSTERS = 6, 12

#: Groups differ in composition from this Cramér's V on. Of 25 open benchmark cases of other
#: families, the largest is .20; of nine of different composition, the smallest two are .16, .28.
DIFFERENT = 0.25

#: Clusters are the groups' own, not shared, from this Cramér's V on.
ALONE = 0.9

#: Samples that a group has on average, and a cluster: fewer tell nothing of shares.
LEAST_IN_GROUP, LEAST_IN_CLUSTER = 20, 50


@dataclass(frozen=True, eq=False)
class Shared:
    """A residual within clusters that groups share, the data it leaves, and the clusters."""

    residual: Residual
    left: Floats
    keep: Keep


def find_shared(
    X: Floats, aligned: Floats, priors: Mapping[str, Prior], metric: str
) -> Shared | None:
    """Return the clusters that groups of different composition share; None if groups do not differ.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Data.
    aligned : ndarray of shape (n_samples, n_features)
        Their aligned residual.
    priors : dict of str to Prior
        What is to be removed. Only classes can differ in composition.
    metric : str
        That of the data.
    """
    if metric == "precomputed" or not all(isinstance(one, Labels) for one in priors.values()):
        return None
    found = differ(aligned, priors)
    if not found:
        return None
    residual = Residual("clustered", metric=metric)
    left = residual._fit_residual(X, priors)
    codes = shared_clusters(left, priors)
    if codes is None:
        return None
    keep = Keep(codes, np.arange(codes.max() + 1).astype(str), "shared clusters")
    _warn(found)
    return Shared(residual, left, keep)


def differ(aligned: Floats, priors: Mapping[str, Prior]) -> dict[str, float]:
    """Return the priors whose classes differ in composition, and how far."""
    labels = {name: prior for name, prior in priors.items() if isinstance(prior, Labels)}
    found = {name: composition(aligned, prior) for name, prior in labels.items()}
    return {name: value for name, value in found.items() if value >= DIFFERENT}


def shared_clusters(left: Floats, priors: Mapping[str, Prior]) -> Indices | None:
    """Return clusters of a clustered residual; None if each of them has a single group.

    Groups that differ by a large shift are not brought together by it. Their clusters are then
    their own, and there is nothing to remove within them.
    """
    codes = clusters_of(left, KEPT_CLUSTERS)
    labels = [prior for prior in priors.values() if isinstance(prior, Labels)]
    alone = max(_association(codes, one) for one in labels)
    return None if alone > ALONE else codes


def composition(aligned: Floats, groups: Labels) -> float:
    """Return how far the groups differ in their shares of coarse clusters (Cramér's V)."""
    if len(aligned) < LEAST_IN_GROUP * len(groups.classes) or len(aligned) < 2 * LEAST_IN_CLUSTER:
        return 0.0
    return _association(clusters_of(aligned, COARSE), groups)


def _association(clusters: Indices, groups: Labels) -> float:
    """Return the corrected Cramér's V of clusters and groups."""
    counts = np.zeros((clusters.max() + 1, len(groups.classes)))
    np.add.at(counts, (clusters, groups.codes), 1)
    return bias_corrected_v(counts)


def clusters_of(points: Floats, most: int) -> Indices:
    """Return the cluster of every sample, by k-means of 5000 samples at most."""
    from sklearn.cluster import KMeans

    some = points[reference_rows(len(points))]
    wanted = max(1, min(most, len(points) // LEAST_IN_CLUSTER))
    n_clusters = min(wanted, len(np.unique(some, axis=0)))
    with threadpool_limits(1):  # several would add up in another order
        centers = KMeans(n_clusters, n_init=1, random_state=0).fit(some).cluster_centers_
    nearest = cdist(points, centers).argmin(axis=1)
    return np.asarray(np.unique(nearest, return_inverse=True)[1])


def _warn(found: Mapping[str, float]) -> None:
    for name, value in found.items():
        message = (
            f"IndependentTSNE: the groups of {name!r} seem to differ in composition (Cramér's V "
            f"{value:.2f} with coarse clusters), such as batches that lack some cell types. What "
            "sets them apart as a whole stays on the map; the prior is removed within clusters "
            "that the groups share. If you know the types, give them as 'keep'; to remove all that "
            "goes with the prior, take IndependentTSNE(residual='aligned')."
        )
        warnings.warn(message, ConfoundingWarning, stacklevel=caller_level())
