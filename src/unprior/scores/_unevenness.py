"""A map to how unevenly samples are spread on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import polygamma

from unprior._params import Whole, check_value
from unprior.scores._distances import read_map
from unprior.scores._map_neighbors import MapNeighbors, search_map
from unprior.scores._rows import Estimate, estimate_mean

if TYPE_CHECKING:
    from unprior._typing import Floats

#: Neighbours that `report` looks at: few, as clumps are small.
UNEVEN_NEIGHBORS = 5

#: Samples at the same place count as this share of the median distance apart.
FLOOR = 1e-3


def unevenness(Y: Any, k: int = 5, *, n_rows: int | None = None, random_state: Any = None) -> float:
    r"""Spread of the distances to the k-th map neighbour, which small clumps make large.

    The standard deviation over samples of :math:`\log d_k`, the logarithm of the distance to the
    k-th nearest other. It is 0 on a perfect lattice. Samples scattered at random with one density
    have :math:`\sqrt{\psi_1(k)} / d` in d dimensions (:math:`\psi_1` is the trigamma function):
    0.235 for k = 5 on a flat map. Plain t-SNE maps have 0.2 to 0.5. Maps that have more draw
    samples as small clumps or along threads, which is an artefact unless the data hold duplicates,
    or they are as dense here as they are thin there, like most projections.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    k : int, default=5
        Number of neighbours, fewer than samples. Clumps of many more samples than that look even
        from within; a larger k sees them.
    n_rows : int, optional
        Score this many samples, drawn at random, against all; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    unevenness : float
        0 or more; it does not change if the map is scaled, turned or flipped.

    See Also
    --------
    report : Has it as its last row.

    Notes
    -----
    Samples at the same place have no logarithm of their distance. Distances count as at least a
    thousandth of their median (of the median of those above 0).

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


def estimate_unevenness(found: MapNeighbors, k: int) -> Estimate:
    """Estimate the unevenness from a map's neighbours."""
    logs = _log_distances(found.reach(k))
    variance = estimate_mean((logs - logs.mean()) ** 2, found.n_samples)
    deviation = float(np.sqrt(variance.value))
    # The error of a root is that of its square over twice the root.
    return Estimate(deviation, variance.standard_error / (2 * deviation) if deviation else 0.0)


def chance_unevenness(n_components: int, k: int) -> float:
    """Return the unevenness of samples scattered at random with one density, without edges."""
    return float(np.sqrt(polygamma(1, k))) / n_components


def _log_distances(distances: Floats) -> Floats:
    apart = distances[distances > 0]
    if not len(apart):
        return np.zeros(len(distances))
    return np.log(np.maximum(distances, FLOOR * np.median(apart)))
