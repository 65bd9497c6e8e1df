"""How much a map keeps of the rest: the part of the data that the priors do not explain."""

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
    power_of_two,
)
from unprior.priors import Distances
from unprior.residual import flat_priors, learn_residual
from unprior.scores._coherence import mean_distances
from unprior.scores._distances import (
    check_same_samples,
    distances_to_all,
    read_data,
    read_map,
    read_priors,
)
from unprior.scores._neighbors import MapNeighbors, nearest, search_map, share_places
from unprior.scores._rows import Estimate, estimate_ratio, score_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unprior._typing import Floats, Indices, Metric
    from unprior.priors import Prior

#: Fraction of the data's variance below which there is no rest: the prior explains everything.
NOTHING = 1e-6

#: Smoothing over neighbours leaves some of a prior's fine detail in the residual. So a rest below
#: this fraction does not count either, if the nearest sample in a prior predicts half its variance.
TRACE, PREDICTED = 0.05, 1 - np.sqrt(0.5)

#: Samples used to test that, and the fewest that have a rest.
MOST_ROWS, FEWEST = 1000, 4


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
    """How much a map keeps of what the prior does not explain in the data: 0 by chance, 1 all.

    The rest is what `unprior.Residual` leaves of the data: what the prior does not explain. The
    score is the `neighbor_coherence` of map neighbours in the rest, divided by the coherence of
    the rest's own neighbours.

    It needs no hidden labels. Structure that is fully confounded with the prior is not in the rest
    and does not count. No map keeps much of a rest that is noise in many dimensions, so compare
    with a plain map of the same data.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        The data: features, or distances if ``metric="precomputed"``.
    prior : Prior, array-like, or several of them in a list or dict
        The prior that was factored out; see `unprior.priors.as_prior`.
    k : int, default=15
        Number of neighbours, at most the number of samples minus two.
    metric : {"euclidean", "cosine", "precomputed"}, default="euclidean"
        Distance between rows of ``X``, or "precomputed" if it holds distances, which take O(n³)
        time.
    n_rows : int, optional
        Score this many samples, drawn at random; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    kept : float
        At most 1; 0 by chance, and negative if map neighbours are farther apart in the rest than
        random samples. NaN if there is no rest: the prior explains all but a millionth of the
        data's variance, or all but a twentieth which the nearest sample in the prior mostly
        predicts, or there are fewer than four samples.

    See Also
    --------
    kept_within : What a map keeps among samples with similar priors; needs no residual.
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
    rest = find_rest(data, read_priors(who, prior, Y.n_samples))
    if rest is None:
        return float("nan")
    return estimate_rest(search_map(who, Y, k, n_rows, random_state), rest, k).value


def for_residual(data: SampleDistances) -> tuple[Floats, str] | None:
    """Return the values and metric to fit a `Residual` to the data; None if it cannot be fitted."""
    if isinstance(data, Distances):
        return data.matrix, "precomputed"
    if data.euclidean_rows is not None:
        return data.euclidean_rows, "euclidean"
    if isinstance(data, PointDistances) and data.row_metric == METRICS["cosine"]:
        return on_unit_sphere(data.values), "euclidean"
    return None


def find_rest(data: SampleDistances, priors: Mapping[str, Prior]) -> SampleDistances | None:
    """Return the part of the data that the priors do not explain; None if there is none."""
    fittable = for_residual(data)
    if fittable is None or data.n_samples < FEWEST:
        return None
    values, metric = fittable
    unit = power_of_two(values)
    scatter = _scatter(values / unit, metric)
    if not scatter:
        return None
    left = learn_residual(values, flat_priors(priors), kind="smooth", metric=metric).left
    rest, fraction = data_distances(left, metric), _scatter(left / unit, metric) / scatter
    if fraction <= NOTHING or rest.is_constant():
        return None
    return None if fraction < TRACE and _predicted(rest, priors) > PREDICTED else rest


def estimate_rest(map_neighbors: MapNeighbors, rest: SampleDistances, k: int) -> Estimate:
    """Estimate how much of the rest map neighbours keep."""
    n = map_neighbors.n_samples
    on_map, at_best = score_rows(_approach, len(map_neighbors.rows), n, map_neighbors, rest, k)
    return estimate_ratio(on_map, at_best, n)


def _approach(
    positions: Indices, map_neighbors: MapNeighbors, rest: SampleDistances, k: int
) -> tuple[Floats, Floats]:
    """Return how much nearer in the rest map neighbours, and its own, are than other samples."""
    rows = map_neighbors.rows[positions]
    distances = distances_to_all(rest, rows)
    own = share_places(distances, k)
    distances[np.isneginf(distances)] = 0  # a sample itself
    far = distances.sum(axis=1) / (rest.n_samples - 1)
    near, nearest_ = (
        each.sum(distances[each.row, each.column], len(rows)) / k
        for each in (map_neighbors.at(k, positions), own)
    )
    # Divided by the mean distance to all others, these are the two coherences.
    return far - near, far - nearest_


def _predicted(rest: SampleDistances, priors: Mapping[str, SampleDistances]) -> float:
    """Return the largest coherence in the rest of the nearest samples in a prior."""
    rows = draw_landmarks(rest.n_samples, MOST_ROWS)
    near_and_far = (
        mean_distances(rows, nearest(prior, rows, 1), rest, 1) for prior in priors.values()
    )
    return max(1 - near.mean() / far.mean() for near, far in near_and_far)


def _scatter(values: Floats, metric: str) -> float:
    """Return the variance of features or distances, up to a constant factor."""
    if metric == "precomputed":
        return float(np.square(values, dtype=np.float64).mean())
    return float(values.var(axis=0, dtype=np.float64).sum())


def _check_residual(who: str, data: SampleDistances) -> None:
    if isinstance(data, StoredDistances):
        message = (
            f"{who}: 'X' takes data in memory; got an array on disk or on a cluster. Give a subset "
            "of its rows, and the same rows of 'Y' and 'prior'."
        )
        raise ValueError(message)
    if for_residual(data) is None:
        got = f"the metric {data.metric!r}" if isinstance(data, PointDistances) else data.kind
        message = (
            f"{who}: 'X' takes features with metric 'euclidean' or 'cosine', or distances; got "
            f"{got}. Compute all distances first and give them with metric='precomputed'."
        )
        raise ValueError(message)
