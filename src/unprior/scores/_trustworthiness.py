"""Data and a map to how far the map's neighbours can be trusted to be the data's."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._frames import match
from unprior._params import Whole, check_value
from unprior.geometry import SampleDistances
from unprior.scores._distances import check_same_samples, distances_to_all, read_data, read_map
from unprior.scores._map_neighbors import MapNeighbors, search_map
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
    r"""Share of map neighbourhoods free of samples that are far away in the data.

    With :math:`r_{ij}` the rank of j among the data neighbours of i and :math:`N_i` the k nearest
    others of i on the map, it is

    .. math:: 1 - \frac{2}{n k (2 n - 3 k - 1)} \sum_i \sum_{j \in N_i} \max(0, r_{ij} - k)

    1 if no neighbour on the map is new, about 0.5 by chance. On all rows it equals
    `sklearn.manifold.trustworthiness`, except that tied samples count by the mean over their
    orders; the memory it takes grows with n and not with its square.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples), or Prior
        Features, distances if ``metric="precomputed"``, or anything as a Prior.
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    k : int, default=15
        Number of neighbours, below half the number of samples.
    metric : str or callable, default="euclidean"
        Distance between rows of ``X``.
    n_rows : int, optional
        Score this many samples, drawn at random, against all; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    trustworthiness : float
        Between 0 and 1.

    See Also
    --------
    overlap_curve : Neighbours in common, at every size.

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
    return estimate_kept(who, data, Y, k, n_rows, random_state)[0].value


def check_k(who: str, k: int, n_samples: int) -> None:
    """Refuse neighbourhoods of half the samples or more: the scale of the score is for smaller."""
    check_value(who, "k", k, Whole(1, (n_samples - 1) // 2))


def chance_trustworthiness(n_samples: int, k: int) -> float:
    """Return the trustworthiness of a map that has nothing to do with the data."""
    n = n_samples
    return 1 - (n - 1 - k) * (n - k) / ((n - 1) * (2 * n - 3 * k - 1))


def estimate_kept(
    who: str,
    data: SampleDistances,
    Y: SampleDistances,
    k: int,
    n_rows: int | None,
    random_state: Any,
) -> tuple[Estimate, Estimate]:
    """Estimate the trustworthiness, and the share of map neighbours that are the data's."""
    return kept_among(search_map(who, Y, k, n_rows, random_state), data, k)


def kept_among(found: MapNeighbors, data: SampleDistances, k: int) -> tuple[Estimate, Estimate]:
    """Estimate the same two from the map's neighbours."""
    n = found.n_samples
    trust, shared = score_rows(_trust_of_rows, len(found.rows), n, found, data, k)
    return estimate_mean(trust, n), estimate_mean(shared, n)


def _trust_of_rows(
    places: Indices, found: MapNeighbors, data: SampleDistances, k: int
) -> tuple[Floats, Floats]:
    n, n_rows, neighbors = found.n_samples, len(places), found.at(k, places)
    low, high = _ranks_of(distances_to_all(data, found.rows[places]), neighbors)
    # A neighbour has one of the data ranks low + 1 ... high, each as probable.
    n_ranks = high - low
    beyond = _sum_to(high - k) - _sum_to(low - k)
    shared = np.clip((k - low) / n_ranks, 0, 1)
    trust = 1 - neighbors.sum(beyond / n_ranks, n_rows) * 2 / (k * (2 * n - 3 * k - 1))
    return trust, neighbors.sum(shared, n_rows) / k


def _ranks_of(distances: Floats, neighbors: Neighbors) -> tuple[Indices, Indices]:
    """Return how many others are nearer than each neighbour, and how many are not farther.

    Without ties, its rank less one and its rank.
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
    """1 + 2 + ... + last, and 0 where last is not positive."""
    top = np.maximum(last, 0).astype(np.float64)
    return top * (top + 1) / 2
