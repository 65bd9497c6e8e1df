"""Trustworthiness of a map: whether map neighbours are neighbours in the data."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._frames import match
from unprior._params import Whole, check_value
from unprior.geometry import SampleDistances
from unprior.scores._distances import check_same_samples, distances_to_all, read_data, read_map
from unprior.scores._neighbors import MapNeighbors, search_map
from unprior.scores._rows import Estimate, estimate_mean, score_rows

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices, Metric
    from unprior.scores._neighbors import Neighbors


def trustworthiness(
    X: Any,
    Y: Any,
    k: int = 15,
    *,
    metric: Metric = "euclidean",
    n_rows: int | None = None,
    random_state: Any = None,
) -> float:
    r"""How far map neighbours are also neighbours in the data: 1 if all are, about 0.5 by chance.

    With :math:`r_{ij}` the rank of j among the data neighbours of i and :math:`N_i` the k nearest
    others of i on the map, it is

    .. math:: 1 - \frac{2}{n k (2 n - 3 k - 1)} \sum_i \sum_{j \in N_i} \max(0, r_{ij} - k)

    If all rows are scored, it equals `sklearn.manifold.trustworthiness`, except that it averages
    over all orders of tied samples; its memory is linear in n instead of quadratic.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples), or Prior
        Features, distances if ``metric="precomputed"``, or a Prior.
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    k : int, default=15
        Number of neighbours, below half the number of samples.
    metric : str or callable, default="euclidean"
        Distance between rows of ``X``.
    n_rows : int, optional
        Score this many samples, drawn at random; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    trustworthiness : float
        Between 0 and 1.

    See Also
    --------
    overlap_curve : The fraction of shared neighbours at every size.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior.scores import trustworthiness
    >>> X = np.arange(12.0).reshape(6, 2) ** 2
    >>> trustworthiness(X, X[:, :1], k=2)
    1.0
    """
    who = "trustworthiness"
    X, Y = match(who, X=X, Y=Y)
    data, Y = read_data(who, "X", X, metric), read_map(who, Y)
    check_same_samples(who, {"X": data, "Y": Y})
    check_k(who, k, Y.n_samples)
    return estimate_kept(search_map(who, Y, k, n_rows, random_state), data, k)[0].value


def check_k(who: str, k: int, n_samples: int) -> None:
    """Refuse neighbourhoods of half the samples or more, for which the score is not defined."""
    check_value(who, "k", k, Whole(1, (n_samples - 1) // 2))


def chance_trustworthiness(n_samples: int, k: int) -> float:
    """Return the expected trustworthiness of a map that is unrelated to the data."""
    n = n_samples
    return 1 - (n - 1 - k) * (n - k) / ((n - 1) * (2 * n - 3 * k - 1))


def estimate_kept(
    map_neighbors: MapNeighbors, data: SampleDistances, k: int
) -> tuple[Estimate, Estimate]:
    """Estimate the trustworthiness, and the fraction of map neighbours shared with the data."""
    n = map_neighbors.n_samples
    trust, shared = score_rows(_trust_of_rows, len(map_neighbors.rows), n, map_neighbors, data, k)
    return estimate_mean(trust, n), estimate_mean(shared, n)


def _trust_of_rows(
    positions: Indices, map_neighbors: MapNeighbors, data: SampleDistances, k: int
) -> tuple[Floats, Floats]:
    n, n_rows, neighbors = map_neighbors.n_samples, len(positions), map_neighbors.at(k, positions)
    low, high = _ranks_of(distances_to_all(data, map_neighbors.rows[positions]), neighbors)
    # A neighbour has one of the data ranks low + 1 ... high, with equal probability.
    n_ranks = high - low
    beyond = _sum_to(high - k) - _sum_to(low - k)
    shared = np.clip((k - low) / n_ranks, 0, 1)
    trust = 1 - neighbors.sum(beyond / n_ranks, n_rows) * 2 / (k * (2 * n - 3 * k - 1))
    return trust, neighbors.sum(shared, n_rows) / k


def _ranks_of(distances: Floats, neighbors: Neighbors) -> tuple[Indices, Indices]:
    """Return the number of samples nearer than each neighbour, and at most as far.

    Without ties these are its rank minus one and its rank.
    """
    reach = distances[neighbors.row, neighbors.column]
    distances.sort(axis=1)  # the sample itself comes first
    starts = np.searchsorted(neighbors.row, np.arange(len(distances) + 1))
    low, high = np.empty(len(reach), dtype=np.intp), np.empty(len(reach), dtype=np.intp)
    for row, (start, stop) in enumerate(pairwise(starts.tolist())):
        low[start:stop] = np.searchsorted(distances[row], reach[start:stop], "left") - 1
        high[start:stop] = np.searchsorted(distances[row], reach[start:stop], "right") - 1
    return low, high


def _sum_to(last: Indices) -> Floats:
    """Return 1 + 2 + ... + last, or 0 where last is not positive."""
    top = np.maximum(last, 0).astype(np.float64)
    return top * (top + 1) / 2
