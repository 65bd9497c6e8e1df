"""Unevenness of a map: how much the local density of samples varies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import polygamma

from unprior._params import Whole, check_value
from unprior.scores._distances import read_map
from unprior.scores._neighbors import MapNeighbors, search_map
from unprior.scores._rows import Estimate, estimate_mean

if TYPE_CHECKING:
    from unprior._typing import Floats

#: Number of neighbours in `report`: few, because clumps are small.
UNEVEN_NEIGHBORS = 5

#: Smallest distance relative to the median, so that duplicates have a finite logarithm.
FLOOR = 1e-3


def unevenness(Y: Any, k: int = 5, *, n_rows: int | None = None, random_state: Any = None) -> float:
    r"""Variation of the distance to the k-th map neighbour, which is large if samples form clumps.

    The standard deviation over samples of :math:`\log d_k`, the logarithm of the distance to the
    k-th nearest other. It is 0 on a perfect lattice. For samples scattered uniformly at random it
    is :math:`\sqrt{\psi_1(k)} / d` in d dimensions (:math:`\psi_1` is the trigamma function):
    0.235 for k = 5 on a flat map. Plain t-SNE maps have 0.2 to 0.5. Maps with larger values show
    samples in small clumps or threads, which is an artefact unless the data contain duplicates, or
    have dense and sparse regions, as most projections do.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    k : int, default=5
        Number of neighbours, less than the number of samples. Clumps of many more than k samples
        are not detected.
    n_rows : int, optional
        Score this many samples, drawn at random; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    unevenness : float
        0 or more; invariant to scaling, rotation and reflection of the map.

    See Also
    --------
    report : Includes it in the last row.

    Notes
    -----
    Distances are at least a thousandth of the median positive distance, so that duplicates have a
    finite logarithm.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior.scores import unevenness
    >>> rng = np.random.RandomState(0)
    >>> scatter = rng.uniform(size=(1000, 2))
    >>> round(unevenness(scatter), 2)
    0.24
    >>> clumps = scatter[rng.randint(200, size=1000)] + 0.001 * scatter
    >>> round(unevenness(clumps), 2)
    2.0
    """
    who = "unevenness"
    Y = read_map(who, Y)
    check_value(who, "k", k, Whole(1, Y.n_samples - 1))
    return estimate_unevenness(search_map(who, Y, k, n_rows, random_state), k).value


def estimate_unevenness(map_neighbors: MapNeighbors, k: int) -> Estimate:
    """Estimate the unevenness from a map's neighbours."""
    logs = _log_distances(map_neighbors.reach(k))
    variance = estimate_mean((logs - logs.mean()) ** 2, map_neighbors.n_samples)
    deviation = float(np.sqrt(variance.value))
    # Delta method: the error of a square root is that of its argument over twice the root.
    return Estimate(deviation, variance.standard_error / (2 * deviation) if deviation else 0.0)


def chance_unevenness(n_components: int, k: int) -> float:
    """Return the unevenness of samples scattered uniformly at random, ignoring edges."""
    return float(np.sqrt(polygamma(1, k))) / n_components


def _log_distances(distances: Floats) -> Floats:
    positive = distances[distances > 0]
    if not len(positive):
        return np.zeros(len(distances))
    return np.log(np.maximum(distances, FLOOR * np.median(positive)))
