"""How well a map keeps the data's neighbours within strata: samples with similar priors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._frames import match
from unprior._params import Whole, check_value
from unprior.geometry import SampleDistances, draw_landmarks
from unprior.priors import Features
from unprior.scores._distances import (
    check_same_samples,
    distances_to,
    read_data,
    read_map,
    read_priors,
)
from unprior.scores._neighbors import share_places
from unprior.scores._rows import Estimate, choose_rows, estimate_ratio, score_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unprior._typing import Floats, Indices, Metric

#: Most strata of the priors without classes, crossed, and samples each stratum should have.
MOST_STRATA, STRATUM_SIZE = 12, 30

#: A sample has at most 1 / NEIGHBOR_SHARE of its stratum's other samples as neighbours.
NEIGHBOR_SHARE = 3


def cut_strata(priors: Iterable[SampleDistances]) -> Indices:
    """Return the stratum of each sample, numbered from 0: the priors' classes or ranges, crossed.

    Examples
    --------
    >>> from unprior import priors
    >>> cut_strata([priors.labels(["a", "b", "a", "b"])])
    array([0, 1, 0, 1])
    """
    priors = [*priors]
    n, n_ranges = priors[0].n_samples, sum(prior.class_codes is None for prior in priors)
    most = min(max(n // STRATUM_SIZE, 2), MOST_STRATA)
    each = max(2, round(most ** (1 / max(n_ranges, 1))))
    strata = np.zeros(n, dtype=np.intp)
    for prior in priors:
        codes = _codes(prior, each)
        strata = np.unique(strata * (codes.max() + 1) + codes, return_inverse=True)[1]
    return strata


def _codes(prior: SampleDistances, n_strata: int) -> Indices:
    if prior.class_codes is not None:
        return prior.class_codes
    if isinstance(prior, Features) and prior.values.shape[1] == 1:
        values = prior.values[:, 0]
        few = np.unique(values)
        if len(few) <= n_strata:
            return np.searchsorted(few, values)
        edges = np.quantile(values, np.arange(1, n_strata) / n_strata)
        # Quantiles coincide where many samples have the same value.
        return np.unique(np.searchsorted(edges, values, side="right"), return_inverse=True)[1]
    landmarks = draw_landmarks(prior.n_samples, n_strata)
    to_landmarks = prior.block(landmarks, np.arange(prior.n_samples))
    return np.unique(to_landmarks.argmin(axis=0), return_inverse=True)[1]


def kept_within(
    Y: Any,
    X: Any,
    prior: Any,
    k: int = 15,
    *,
    metric: Metric = "euclidean",
    n_rows: int | None = None,
    random_state: Any = None,
) -> float:
    """How well a map keeps the data's neighbourhoods among samples with similar priors.

    Samples are split into strata, within each of which the prior is (nearly) constant: classes of
    labels, up to twelve ranges of a number, or the regions around up to twelve landmarks. Within
    its stratum, a sample's neighbours on the map are compared with random samples by their distance
    in the data. The score is how much nearer they are, relative to the data's own neighbours in the
    stratum: 0 by chance, 1 if all is kept.

    The prior cannot contribute to the score, and no residual is involved, so it favours no method.
    It needs no hidden labels. It does not show whether strata are aligned with each other: a map
    of each class by itself scores 1.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples), or Prior
        The data: features, distances if ``metric="precomputed"``, or a Prior.
    prior : Prior, array-like, or several of them in a list or dict
        The prior that was factored out; see `unprior.priors.as_prior`. The strata of several priors
        are crossed.
    k : int, default=15
        Number of neighbours; in small strata at most a third of the other samples.
    metric : str or callable, default="euclidean"
        Distance between rows of ``X``.
    n_rows : int, optional
        Score this many samples, drawn at random; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    kept : float
        At most 1; 0 by chance. NaN if no stratum has four samples, or if all samples of a stratum
        are equally far apart in the data.

    See Also
    --------
    report : Warns about maps that score below 0.45.
    rest_kept : How much is kept of a residual, across strata.

    Notes
    -----
    The score depends on the data: on 18 cases plain t-SNE kept 0.5 to 0.98, and a third of noise in
    30 dimensions. So compare with a plain map of the same data.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior.scores import kept_within
    >>> rng = np.random.RandomState(0)
    >>> batch, X = np.repeat(["a", "b"], 100), rng.normal(size=(200, 2))
    >>> X[:, 0] += 8 * (batch == "b")
    >>> kept_within(X, X, batch)
    1.0
    >>> round(kept_within(X[:, :1], X, batch), 2)
    0.53
    >>> unrelated = rng.normal(size=(200, 2))
    >>> abs(kept_within(unrelated, X, batch)) < 0.05
    True
    """
    who = "kept_within"
    X, Y, prior = match(who, X=X, Y=Y, prior=prior)
    Y, data = read_map(who, Y), read_data(who, "X", X, metric)
    check_same_samples(who, {"Y": Y, "X": data})
    check_value(who, "k", k, Whole(1, Y.n_samples - 1))
    strata = cut_strata(read_priors(who, prior, Y.n_samples).values())
    return estimate_within(who, Y, data, strata, k, n_rows, random_state).value


def estimate_within(
    who: str,
    Y: SampleDistances,
    data: SampleDistances,
    strata: Indices,
    k: int,
    n_rows: int | None,
    random_state: Any,
) -> Estimate:
    """Estimate what a map keeps of the data within strata; NaN if there is nothing to keep."""
    population = large_enough(strata)
    if not len(population):
        return Estimate(float("nan"), 0.0)
    rows = choose_rows(who, population, n_rows, random_state)
    on_map, at_best = np.empty(len(rows)), np.empty(len(rows))
    for stratum in np.unique(strata[rows]):
        members, here = np.flatnonzero(strata == stratum), strata[rows] == stratum
        parts = score_blocks(_approach, rows[here], len(members), members, Y, data, k)
        on_map[here], at_best[here] = (np.concatenate(part) for part in zip(*parts, strict=True))
    if not at_best.any():
        return Estimate(float("nan"), 0.0)
    return estimate_ratio(on_map, at_best, len(population))


def large_enough(strata: Indices) -> Indices:
    """Return the samples whose strata are large enough to be scored."""
    return np.flatnonzero(np.bincount(strata)[strata] > NEIGHBOR_SHARE)


def _approach(
    rows: Indices, members: Indices, Y: SampleDistances, data: SampleDistances, k: int
) -> tuple[Floats, Floats]:
    """Return how much nearer in the data than others of the stratum the map's neighbours are.

    The second array is the same for the data's own neighbours.
    """
    n_rows, n_others = len(rows), len(members) - 1
    n_near = min(k, n_others // NEIGHBOR_SHARE)
    distances = distances_to(data, rows, members)
    on_map = share_places(distances_to(Y, rows, members), n_near)
    at_best = share_places(distances, n_near)
    distances[np.isneginf(distances)] = 0  # a sample itself
    far = distances.sum(axis=1) / n_others
    near, nearest = (
        each.sum(distances[each.row, each.column], n_rows) / n_near for each in (on_map, at_best)
    )
    return far - near, far - nearest
