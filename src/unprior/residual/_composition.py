"""Whether groups of a prior differ in composition, and the clusters that they share if so.

Shifts between groups vanish once groups are aligned and moved together within clusters. If groups
then still have different shares of coarse clusters, they differ in composition, as batches do if
some lack cell types. A map independent of the prior would tear these types apart. So the map is
made independent of the prior within clusters that the groups share.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from unprior._typing import Floats, Indices
from unprior._warnings import ConfoundingWarning, caller_level
from unprior.geometry import as_counted
from unprior.priors import Keep, Prior
from unprior.priors._label_sets import bias_corrected_v
from unprior.residual._check import shared_by_neighbors
from unprior.residual._learn import FittedResidual, learn_residual
from unprior.residual._regressors import codes_of, flat_priors
from unprior.residual._smoothers import landmark_rows

#: Number of coarse clusters by which groups are compared, and of clusters within which the prior is
#: removed. The former are coarse so that remaining shifts of single types do not count.
COARSE, SHARED = 6, 12

#: Groups differ in composition from this Cramér's V on, the largest of this many starts of k-means:
#: one start often misses a difference, and seldom finds one where there is none. V is at most .10
#: in the open benchmark cases of equal composition, and at least .18 in the nine of different ones.
DIFFERENT, STARTS = 0.12, 9

#: From this V on the difference is clear. Below, neighbours within clusters that the groups share
#: must not share more of the prior than this. Where batches differ in composition they share .00 to
#: .08; where garments or digits themselves are the prior, with a V of .19 and .16, .30 and .32.
CLEARLY, MIXED = 0.3, 0.1

#: Kept labels account for a difference if V within their classes is at most this fraction of that
#: among all samples.
ACCOUNTED = 2 / 3

#: P-value above which a difference in shares counts as chance, for all starts together.
CHANCE = 0.001

#: Clusters are not shared by the groups from this Cramér's V on.
SEPARATE = 0.9

#: Fewest samples per group, and per cluster, to compare shares.
LEAST_IN_GROUP, LEAST_IN_CLUSTER = 20, 50


@dataclass(frozen=True, eq=False)
class Shared:
    """A clustered residual, and clusters that groups share in it."""

    residual: FittedResidual
    keep: Keep


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
        Kept labels. If they are associated with a prior, groups are compared, and clusters found,
        within their classes: samples of one condition may still differ in their types. Other labels
        say nothing about how groups differ, so groups are compared as if there were none.
    metric : str
        Metric of the data.
    who : str
        The estimator that warns.
    everything : str
        How to call the estimator to remove all of the prior, whatever the composition.
    """
    keep = _associated(keep, priors)
    found = _find_differences(X, priors, keep, metric)
    if not found:
        return None
    counted = as_counted("Residual", X, metric)
    residual = learn_residual(counted, flat_priors(priors), keep, kind="shrunken", metric=metric)
    _warn(found, keep, who, everything)
    return Shared(residual, _as_keep(clusters_within(residual.left, keep)))


def kind_by_composition(
    X: Floats, priors: Mapping[str, Prior], keep: Keep | None, metric: str
) -> str:
    """Return the kind of residual that suits the groups, of equal or of different composition."""
    if not priors or not _have_classes(priors, metric):
        return "aligned"
    differ = _find_differences(X, priors, _associated(keep, priors), metric)
    return "clustered" if differ else "aligned and clustered"


def _find_differences(
    X: Floats, priors: Mapping[str, Prior], keep: Keep | None, metric: str
) -> dict[str, float]:
    """Return the priors whose groups differ in composition but share clusters, with Cramér's V.

    All is learnt from landmarks: a difference of coarse clusters needs no more.
    """
    if not _have_classes(priors, metric):
        return {}
    found = compare_groups(X, priors, metric, keep)
    if not found:
        return {}
    rows, some = _landmarks(priors, len(X))
    kept = None if keep is None else keep[rows]
    left = _learn_some(X[rows], some, metric, "shrunken", kept)
    return found if are_shared(left, some, found, kept) else {}


def _have_classes(priors: Mapping[str, Prior], metric: str) -> bool:
    """Whether data are features and all priors have classes."""
    return metric != "precomputed" and len(codes_of(priors)) == len(priors)


def _associated(keep: Keep | None, priors: Mapping[str, Prior]) -> Keep | None:
    """Return kept labels if shares of some groups differ between them by more than chance."""
    if keep is None:
        return None
    labeled = keep.labeled
    for groups in codes_of(priors).values():
        if _beyond_chance([_counts(keep.codes[labeled], groups[labeled])]):
            return keep
    return None


def compare_groups(
    X: Floats, priors: Mapping[str, Prior], metric: str, keep: Keep | None = None
) -> dict[str, float]:
    """Return the priors whose groups differ in composition, with their Cramér's V.

    With kept labels it is V within their classes. A difference that they mostly account for does
    not count: such labels already say what to protect, as cell types do.
    """
    rows, some = _landmarks(priors, len(X))
    if not some:
        return {}
    mixed = _learn_some(X[rows], some, metric, "aligned and shrunken")
    codes = codes_of(some)
    found = {name: composition(mixed, groups) for name, groups in codes.items()}
    found = {name: value for name, value in found.items() if value >= DIFFERENT}
    if keep is None or not found:
        return found
    # If groups differ, alignment separates types that they share; clusters are found without it.
    left = _learn_some(X[rows], some, metric, "shrunken")
    whole, within = (
        {name: composition(left, codes[name], kept) for name in found}
        for kept in (None, keep[rows])
    )
    return {
        name: value
        for name, value in within.items()
        if value >= DIFFERENT and value > ACCOUNTED * whole[name]
    }


def _learn_some(
    X: Floats, priors: Mapping[str, Prior], metric: str, kind: str, keep: Keep | None = None
) -> Floats:
    """Return what is left of some samples."""
    counted = as_counted("Residual", X, metric)
    return learn_residual(counted, flat_priors(priors), keep, kind=kind, metric=metric).left


def _landmarks(priors: Mapping[str, Prior], n_samples: int) -> tuple[Indices, dict[str, Prior]]:
    """Return landmarks and their priors, except priors of which all landmarks have one class."""
    rows = landmark_rows(n_samples)
    some = {name: prior[rows] for name, prior in priors.items()}
    return rows, {name: prior for name, prior in some.items() if not prior.is_constant()}


def composition(mixed: Floats, groups: Indices, keep: Keep | None = None) -> float:
    """Return Cramér's V of groups and coarse clusters; 0 if it is chance or samples are few.

    ``mixed`` is a residual in which groups share clusters. With kept labels, tables of their
    classes are pooled.
    """
    parts = [rows for rows in _parts(len(mixed), keep) if _are_enough(groups[rows])]
    if not parts:
        return 0.0
    found = []
    for start in range(STARTS):
        clusters = clusters_of(mixed, COARSE, start)
        tables = [_counts(clusters[rows], groups[rows]) for rows in parts]
        found.append(_beyond_chance(tables, CHANCE / STARTS))
    return max(found)


def _are_enough(codes: Indices) -> bool:
    """Whether there are enough samples to compare groups."""
    fewest = max(LEAST_IN_GROUP * len(np.unique(codes)), 2 * LEAST_IN_CLUSTER)
    return len(codes) >= fewest


def _parts(n_samples: int, keep: Keep | None) -> list[Indices]:
    """Return the samples of every kept class; without kept labels, all samples."""
    return [np.arange(n_samples)] if keep is None else [rows for _, rows in keep.members()]


def _beyond_chance(tables: Sequence[Floats], chance: float = CHANCE) -> float:
    """Return Cramér's V of tables of counts, pooled; 0 if it is chance."""
    from scipy.stats import chi2, chi2_contingency

    tests = [chi2_contingency(counts) for counts in tables]
    statistic, freedom = sum(test.statistic for test in tests), sum(test.dof for test in tests)
    by_chance = freedom == 0 or chi2.sf(statistic, freedom) >= chance
    return 0.0 if by_chance else bias_corrected_v(*tables)


def are_shared(
    left: Floats,
    priors: Mapping[str, Prior],
    found: Mapping[str, float],
    keep: Keep | None = None,
) -> bool:
    """Whether groups that differ in composition share clusters of a clustered residual.

    After a large shift, which clusters do not bridge, nearly every cluster holds a single group,
    and nothing could be removed within it. And if the groups are themselves clusters, such as cell
    types, those that fall into one cluster stay apart in it: their different shapes then look like
    a difference in composition, though not like a clear one.

    Parameters
    ----------
    left : ndarray of shape (n_samples, n_features)
        The clustered residual.
    priors : dict of str to Prior
        Priors with classes.
    found : dict of str to float
        Cramér's V of those that differ in composition.
    keep : Keep, optional
        Kept labels, each of whose classes is divided into clusters.
    """
    codes, parts = clusters_within(left, keep), _parts(len(left), keep)
    for groups in codes_of(priors).values():
        tables = (_counts(codes[rows], groups[rows]) for rows in parts)
        if bias_corrected_v(*tables) > SEPARATE:
            return False
    if max(found.values()) >= CLEARLY:
        return True
    within = shared_by_neighbors(left, priors, _as_keep(codes), "euclidean")
    return max(within.values(), default=0.0) <= MIXED


def clusters_within(left: Floats, keep: Keep | None = None) -> Indices:
    """Return the cluster of every sample within its kept class; -1 without a label."""
    codes = np.full(len(left), -1, dtype=np.intp)
    for rows in _parts(len(left), keep):
        codes[rows] = codes.max() + 1 + clusters_of(left[rows], SHARED)
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


def _warn(found: Mapping[str, float], keep: Keep | None, who: str, everything: str) -> None:
    also, give = "", "give them as 'keep'"
    if keep is not None:
        also, give = f", also within classes of {keep.name!r}", "add them to 'keep'"
    for name, value in found.items():
        message = (
            f"{who}: the groups of {name!r} seem to differ in composition{also} (Cramér's V "
            f"{value:.2f} with coarse clusters), as batches do if some lack cell types. To keep "
            f"such types apart, {name!r} is removed within clusters that the groups share, and "
            f"their different shares stay. If you know the types, {give}; to remove everything "
            f"associated with {name!r}, use {everything}."
        )
        warnings.warn(message, ConfoundingWarning, stacklevel=caller_level())
