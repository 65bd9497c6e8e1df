"""Data, priors and a map to how much of what the priors do not explain the map still shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._frames import match
from unprior._params import Whole, check_value
from unprior.geometry import (
    METRICS,
    PointDistances,
    SampleDistances,
    StoredDistances,
    data_distances,
    draw_landmarks,
    on_unit_sphere,
)
from unprior.priors import Distances, parts_of
from unprior.scores._coherence import mean_distances
from unprior.scores._distances import (
    check_informative,
    check_same_samples,
    distances_to_all,
    read_data,
    read_map,
)
from unprior.scores._map_neighbors import MapNeighbors, search_map
from unprior.scores._neighbors import nearest, share_places
from unprior.scores._rows import Estimate, estimate_ratio, score_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unprior._typing import Floats, Indices, Metric

#: Of the data's variance, a smaller share than this is no rest: the prior explains everything.
NOTHING = 1e-6

#: Means over neighbours blur a prior's fine detail, which stays behind as a trace. So less than
#: this share is no rest either, if the nearest sample in a prior tells half of its variance.
TRACE, TOLD = 0.05, 1 - np.sqrt(0.5)

#: Samples that are asked for it.
MOST_ROWS = 1000


def rest_kept(
    Y: Any,
    X: Any,
    prior: Any,
    k: int = 15,
    *,
    metric: Metric = "euclidean",
    n_rows: int | None = None,
    random_state: Any = None,
) -> float:
    """Share of the data's other structure that a map keeps: 0 as by chance, 1 all of it.

    The rest is what `unprior.Residual` leaves of the data, that is, what the prior does not
    explain. Map neighbours are nearer in the rest than random samples are, by as much as the map
    keeps of it: their `neighbor_coherence` in the rest, over that of the rest's own neighbours.

    It needs no hidden label, and sees nothing but the rest: structure that goes entirely with the
    prior is invisible to it, for it is not in the rest. Of a rest that is noise in many dimensions
    no map keeps much, so compare with a plain map of the same data.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        The data: features, or distances if ``metric="precomputed"``.
    prior : Prior, array-like, or several of them in a list or dict
        What was factored out; see `unprior.priors.as_prior`.
    k : int, default=15
        Number of neighbours, at least two fewer than samples.
    metric : {"euclidean", "cosine", "precomputed"}, default="euclidean"
        Whether ``X`` holds features, of which perhaps only the directions count, or distances.
        Distances take time O(n³).
    n_rows : int, optional
        Score this many samples, drawn at random, against all; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    kept : float
        At most 1; 0 by chance, and negative if map neighbours are farther apart in the rest than
        random samples are. NaN if there is no rest to keep: the prior explains all but a millionth
        of the data's variance, or all but a twentieth of which most is still told by the nearest
        sample in the prior, or the samples are fewer than four.

    See Also
    --------
    kept_within : What a map keeps among samples that are alike in the prior; no residual is needed.
    neighbor_coherence : The same for a prior.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior.scores import rest_kept
    >>> rng = np.random.RandomState(0)
    >>> batch, X = np.repeat(["a", "b"], 100), rng.normal(size=(200, 2))
    >>> X[:, 0] += 8 * (batch == "b")
    >>> round(rest_kept(X, X, batch), 2)
    0.86
    >>> unrelated = rng.normal(size=(200, 2))
    >>> abs(rest_kept(unrelated, X, batch)) < 0.05
    True
    """
    who = "rest_kept"
    X, Y, prior = match(who, X=X, Y=Y, prior=prior)
    Y, data = read_map(who, Y), read_data(who, "X", X, metric)
    check_same_samples(who, {"Y": Y, "X": data})
    check_value(who, "k", k, Whole(1, Y.n_samples - 2))
    _check_residual(who, data)
    known = parts_of(prior, Y.n_samples, who=who)
    for name, part in known.items():
        check_informative(who, name, part)
    rest = find_rest(data, known)
    if rest is None:
        return float("nan")
    return estimate_rest(who, Y, rest, k, n_rows, random_state).value


def for_residual(data: SampleDistances) -> tuple[Floats, str] | None:
    """Return data as `Residual` takes them, with its word for the metric; None if it does not."""
    if isinstance(data, Distances):
        return data.matrix, "precomputed"
    if isinstance(data, PointDistances) and data.row_metric == METRICS["euclidean"]:
        return data.values, "euclidean"
    if isinstance(data, PointDistances) and data.row_metric == METRICS["cosine"]:
        return on_unit_sphere(data.values), "euclidean"
    return None


def find_rest(
    data: SampleDistances, priors: Mapping[str, SampleDistances]
) -> SampleDistances | None:
    """Return data without what the priors explain; None if that is nothing, or not to be had."""
    from unprior.estimators import Residual
    from unprior.estimators._base import MIN_SAMPLES

    taken = for_residual(data)
    if taken is None or data.n_samples < MIN_SAMPLES:
        return None
    values, metric = taken
    unit = _unit(values)
    scatter = _scatter(values / unit, metric)
    if not scatter:
        return None
    left = Residual("smooth", metric=metric)._fit_residual(values, dict(priors))
    rest, share = data_distances(left, metric), _scatter(left / unit, metric) / scatter
    if share <= NOTHING or rest.is_constant():
        return None
    return None if share < TRACE and _told(rest, priors) > TOLD else rest


def estimate_rest(
    who: str,
    Y: SampleDistances,
    rest: SampleDistances,
    k: int,
    n_rows: int | None,
    random_state: Any,
) -> Estimate:
    """Estimate the share of the rest that a map, read already, keeps."""
    return rest_among(search_map(who, Y, k, n_rows, random_state), rest, k)


def rest_among(found: MapNeighbors, rest: SampleDistances, k: int) -> Estimate:
    """Estimate the share of the rest that map neighbours keep."""
    n = found.n_samples
    on_map, at_best = score_rows(_approach, len(found.rows), n, found, rest, k)
    return estimate_ratio(on_map, at_best, n)


def _approach(
    places: Indices, found: MapNeighbors, rest: SampleDistances, k: int
) -> tuple[Floats, Floats]:
    """How much nearer in the rest than all others the map's neighbours are, and the rest's own."""
    rows = found.rows[places]
    distances = distances_to_all(rest, rows)
    own = share_places(distances, k)
    distances[np.isneginf(distances)] = 0  # a sample itself
    far = distances.sum(axis=1) / (rest.n_samples - 1)
    near, nearest_ = (
        each.sum(distances[each.row, each.column], len(rows)) / k
        for each in (found.at(k, places), own)
    )
    # Over the same mean distance to all others, these are the two coherences.
    return far - near, far - nearest_


def _told(rest: SampleDistances, priors: Mapping[str, SampleDistances]) -> float:
    """How much nearer in the rest than random samples the nearest one in a prior is, at most."""
    rows = draw_landmarks(rest.n_samples, MOST_ROWS)
    near_and_far = (
        mean_distances(rows, nearest(prior, rows, 1), rest, 1) for prior in priors.values()
    )
    return max(1 - near.mean() / far.mean() for near, far in near_and_far)


def _unit(values: Floats) -> float:
    """Return a power of two near the largest number, so that squares neither over- nor underflow.

    To divide by it loses nothing.
    """
    largest = float(np.abs(values).max(initial=0.0))
    return 2.0 ** np.floor(np.log2(largest)) if largest else 1.0


def _scatter(values: Floats, metric: str) -> float:
    """Return the variance of features or distances, up to a constant factor."""
    if metric == "precomputed":
        return float(np.square(values, dtype=np.float64).mean())
    return float(values.var(axis=0, dtype=np.float64).sum())


def _check_residual(who: str, data: SampleDistances) -> None:
    if isinstance(data, StoredDistances):
        message = (
            f"{who}: 'X' takes data in memory; got an array on disk or on a cluster. Give some of "
            "its rows, with the same ones of 'Y' and 'prior'."
        )
        raise ValueError(message)
    if for_residual(data) is None:
        got = f"the metric {data.metric!r}" if isinstance(data, PointDistances) else data.kind
        message = (
            f"{who}: 'X' takes features with metric 'euclidean' or 'cosine', or distances; got "
            f"{got}. Compute all distances first and give them with metric='precomputed'."
        )
        raise ValueError(message)
