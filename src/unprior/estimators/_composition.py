"""Whether groups of a prior differ in composition, and the clusters that they share if so.

Shifts between groups vanish once groups are aligned and moved together within clusters. If groups
then still have different shares of coarse clusters, they differ in composition, as batches do that
lack some cell types. A map independent of the prior would tear these types apart. So the map is
made independent of the prior within clusters that the groups share.
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
from unprior.estimators._residual_check import shared_by_neighbors
from unprior.priors import Labels, Prior
from unprior.priors._keep import Keep
from unprior.priors._label_sets import bias_corrected_v
from unprior.residual._smoothers import landmark_rows

#: Number of coarse clusters by which groups are compared, and of clusters within which the prior is
#: removed. Coarse ones, so that shifts of single types that are left do not count.
COARSE, SHARED = 6, 12

#: Groups differ in composition from this Cramér's V on, the largest of this many starts of k-means:
#: one start often misses a difference, and sees few where there is none. It is at most .10 in the
#: open benchmark cases of equal composition, and at least .18 in the nine of different.
DIFFERENT, STARTS = 0.12, 9

#: From this V on the difference is clear. Below, neighbours within clusters that the groups share
#: must not share more of the prior than this. Where batches differ in composition they share .00 to
#: .08; where garments or digits themselves are the prior, with a V of .19 and .16, .30 and .32.
CLEARLY, MIXED = 0.3, 0.1

#: P-value from which on a difference in shares is chance.
CHANCE = 0.001

#: Clusters are not shared by the groups from this Cramér's V on.
SEPARATE = 0.9

#: Fewest samples per group, and per cluster, to compare shares.
LEAST_IN_GROUP, LEAST_IN_CLUSTER = 20, 50


@dataclass(frozen=True, eq=False)
class Shared:
    """A fitted residual, its result, and clusters that groups share in it."""

    residual: Residual
    left: Floats
    keep: Keep


def can_be_compared(priors: Mapping[str, Prior], keep: Keep | None, metric: str) -> bool:
    """Whether to compare the composition of groups: data are features, all priors have classes.

    Kept labels that go together with a prior say themselves what to protect. Others say nothing of
    how groups differ, so that these are compared as without them.
    """
    return _have_classes(priors, metric) and not _say_what_to_protect(keep, priors)


def _have_classes(priors: Mapping[str, Prior], metric: str) -> bool:
    """Whether data are features and all priors have classes."""
    return metric != "precomputed" and all(isinstance(one, Labels) for one in priors.values())


def _say_what_to_protect(keep: Keep | None, priors: Mapping[str, Prior]) -> bool:
    """Whether kept labels go together with a prior."""
    labels = (one for one in priors.values() if isinstance(one, Labels))
    return keep is not None and any(_go_together(keep, one) for one in labels)


def _go_together(keep: Keep, groups: Labels) -> bool:
    """Whether shares of groups differ between kept classes by more than chance."""
    labeled = keep.labeled
    return bool(_beyond_chance(_counts(keep.codes[labeled], groups.codes[labeled])))


def kind_by_composition(
    X: Floats, priors: Mapping[str, Prior], keep: Keep | None, metric: str
) -> str:
    """Return the kind of residual for groups of equal composition, or for those of different."""
    if not priors or not _have_classes(priors, metric):
        return "aligned"
    equal = "aligned and clustered"
    if _say_what_to_protect(keep, priors):
        return equal
    found = compare_groups(X, priors, metric)
    if not found:
        return equal
    rows, some = _landmarks(priors, len(X))
    left = Residual("clustered", metric=metric)._fit_residual(X[rows], some)
    return equal if shared_clusters(left, some, found) is None else "clustered"


def find_shared(
    X: Floats,
    priors: Mapping[str, Prior],
    keep: Keep | None,
    metric: str,
    *,
    who: str,
    everything: str,
) -> Shared | None:
    """Return clusters shared by groups of different composition, with a warning; else None.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Data.
    priors : dict of str to Prior
        What to remove. Only groups of priors with classes can differ in composition.
    keep : Keep, optional
        Kept labels.
    metric : str
        Metric of the data.
    who : str
        The estimator that warns.
    everything : str
        How to call it so that all of the prior is removed, whatever the composition.
    """
    if not can_be_compared(priors, keep, metric):
        return None
    found = compare_groups(X, priors, metric)
    if not found:
        return None
    residual = Residual("clustered", metric=metric)
    left = residual._fit_residual(X, priors, kind="shrunken")
    codes = shared_clusters(left, priors, found)
    if codes is None:
        return None
    _warn(found, who, everything)
    return Shared(residual, left, _as_keep(codes))


def compare_groups(X: Floats, priors: Mapping[str, Prior], metric: str) -> dict[str, float]:
    """Return the priors whose groups differ in composition, with their Cramér's V."""
    rows, some = _landmarks(priors, len(X))
    if not some:
        return {}
    residual = Residual("clustered", metric=metric)
    return differ(residual._fit_residual(X[rows], some, kind="aligned and shrunken"), some)


def _landmarks(priors: Mapping[str, Prior], n_samples: int) -> tuple[Indices, dict[str, Prior]]:
    """Return landmarks and their priors, except those of which all landmarks are in one class."""
    rows = landmark_rows(n_samples)
    some = {name: prior[rows] for name, prior in priors.items()}
    return rows, {name: prior for name, prior in some.items() if not prior.is_constant()}


def differ(mixed: Floats, priors: Mapping[str, Prior]) -> dict[str, float]:
    """Return the priors whose groups differ in composition, with their Cramér's V.

    ``mixed`` is the aligned and clustered residual.
    """
    labels = {name: prior for name, prior in priors.items() if isinstance(prior, Labels)}
    found = {name: composition(mixed, prior) for name, prior in labels.items()}
    return {name: value for name, value in found.items() if value >= DIFFERENT}


def composition(mixed: Floats, groups: Labels) -> float:
    """Return Cramér's V of groups and coarse clusters; 0 if it is chance or samples are few."""
    if len(mixed) < LEAST_IN_GROUP * len(groups.classes) or len(mixed) < 2 * LEAST_IN_CLUSTER:
        return 0.0
    starts = (clusters_of(mixed, COARSE, start) for start in range(STARTS))
    return max(_beyond_chance(_counts(clusters, groups.codes)) for clusters in starts)


def _beyond_chance(counts: Floats) -> float:
    """Return Cramér's V of a table of counts; 0 if it is chance."""
    from scipy.stats import chi2_contingency

    return bias_corrected_v(counts) if chi2_contingency(counts).pvalue < CHANCE else 0.0


def shared_clusters(
    left: Floats, priors: Mapping[str, Prior], found: Mapping[str, float]
) -> Indices | None:
    """Return clusters of a clustered residual; None if the groups do not share them.

    After a large shift, which clusters do not bridge, nearly each has a single group, and nothing
    could be removed within. And if the priors are the clusters themselves, as cell types are,
    groups that fall into one cluster stay apart in it: what of their shapes differs is taken for a
    difference in composition, though not for a clear one.

    Parameters
    ----------
    left : ndarray of shape (n_samples, n_features)
        The clustered residual.
    priors : dict of str to Prior
        Priors with classes.
    found : dict of str to float
        Cramér's V of those that differ in composition.
    """
    codes = clusters_of(left, SHARED)
    labels = {name: prior for name, prior in priors.items() if isinstance(prior, Labels)}
    if max(bias_corrected_v(_counts(codes, one.codes)) for one in labels.values()) > SEPARATE:
        return None
    if max(found.values()) < CLEARLY:
        within = shared_by_neighbors(left, labels, _as_keep(codes), "euclidean")
        if max(within.values(), default=0.0) > MIXED:
            return None
    return codes


def _as_keep(clusters: Indices) -> Keep:
    """Return clusters as kept labels."""
    return Keep(clusters, np.arange(clusters.max() + 1).astype(str), "shared clusters")


def _counts(clusters: Indices, groups: Indices) -> Floats:
    """Return the number of samples of each group in each cluster, without empty ones of either."""
    counts = np.zeros((clusters.max() + 1, groups.max() + 1))
    np.add.at(counts, (clusters, groups), 1)
    return counts[np.ix_(counts.any(axis=1), counts.any(axis=0))]


def clusters_of(points: Floats, most: int, start: int = 0) -> Indices:
    """Return the cluster of every sample, by k-means of at most 5000 samples."""
    from sklearn.cluster import KMeans

    some = points[landmark_rows(len(points))]
    wanted = max(1, min(most, len(points) // LEAST_IN_CLUSTER))
    n_clusters = min(wanted, len(np.unique(some, axis=0)))
    with threadpool_limits(1):  # the order of summation depends on the number of threads
        centers = KMeans(n_clusters, n_init=1, random_state=start).fit(some).cluster_centers_
    nearest = cdist(points, centers).argmin(axis=1)
    return np.asarray(np.unique(nearest, return_inverse=True)[1])


def _warn(found: Mapping[str, float], who: str, everything: str) -> None:
    for name, value in found.items():
        message = (
            f"{who}: the groups of {name!r} seem to differ in composition (Cramér's V {value:.2f} "
            "with coarse clusters), as batches do that lack some cell types. To keep such types "
            f"apart, {name!r} is removed within clusters that the groups share, and their "
            "different shares stay. If you know the types, give them as 'keep'; to remove "
            f"everything that goes with {name!r}, take {everything}."
        )
        warnings.warn(message, ConfoundingWarning, stacklevel=caller_level())
