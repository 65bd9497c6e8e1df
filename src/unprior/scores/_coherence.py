"""How much of a prior map neighbours share: purity for labels, coherence for any prior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._frames import match
from unprior._params import Whole, check_value
from unprior.geometry import SampleDistances
from unprior.priors import Labels
from unprior.priors._labels import read_labels
from unprior.scores._distances import (
    check_informative,
    check_same_samples,
    quick_block,
    read_either,
    read_map,
)
from unprior.scores._neighbors import MapNeighbors, search_map
from unprior.scores._rows import Estimate, estimate_ratio, score_rows

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices
    from unprior.scores._neighbors import Neighbors


def neighbor_purity(
    Y: Any, labels: Any, k: int = 15, *, n_rows: int | None = None, random_state: Any = None
) -> float:
    r"""Fraction of map neighbours of the sample's own class, rescaled: 0 by chance, at most 1.

    With p the mean fraction of the k nearest others on the map that have the sample's label, the
    purity is :math:`(p - c) / (m - c)`. Here :math:`c` is the mean of
    :math:`(n_l - 1) / (n - 1)`, that fraction by chance in a class of :math:`n_l` samples, and
    :math:`m` the mean of :math:`\min(k, n_l - 1) / k`, its maximum: 1 unless classes have k samples
    or fewer. All are means over the scored samples. Purity is negative if neighbours are of other
    classes more often than by chance, and 0 if all samples are neighbours, k = n - 1.

    In a mean, a large class of negative purity can hide a small class of high purity;
    `class_purity` scores each class.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    labels : array-like of shape (n_samples,), or Labels
        Class of each sample.
    k : int, default=15
        Number of neighbours, less than the number of samples.
    n_rows : int, optional
        Score this many samples, drawn at random; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    purity : float
        At most 1; 0 by chance.

    See Also
    --------
    neighbor_coherence : The same for any prior; for labels the two are equal.
    class_purity : The purity of each class.

    Examples
    --------
    >>> from unprior.scores import neighbor_purity
    >>> neighbor_purity([0.0, 1.0, 10.0, 11.5], ["a", "a", "b", "b"], k=1)
    1.0
    """
    who = "neighbor_purity"
    Y, prior = read_purity(who, Y, labels, k)
    return estimate_coherence(search_map(who, Y, k, n_rows, random_state), prior, k).value


def neighbor_coherence(
    Y: Any, prior: Any, k: int = 15, *, n_rows: int | None = None, random_state: Any = None
) -> float:
    """How much nearer in the prior map neighbours are than random samples: 0 by chance, at most 1.

    One minus the mean prior distance to the k nearest others on the map over the mean prior
    distance to all others: 1 if map neighbours are identical in the prior, negative if they are
    farther apart than random samples. Neighbours tied at the k-th distance get fractional weights.
    For labels it is `neighbor_purity`, which allows for classes of fewer than k samples.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    prior : Prior or array-like
        The prior; see `unprior.priors.as_prior`.
    k : int, default=15
        Number of neighbours, less than the number of samples.
    n_rows : int, optional
        Score this many samples, drawn at random; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    coherence : float
        At most 1; 0 by chance.

    See Also
    --------
    neighbor_purity : The same for labels, as fractions of neighbours.

    Examples
    --------
    >>> from unprior.scores import neighbor_coherence
    >>> age = [20.0, 20.0, 60.0, 60.0]
    >>> neighbor_coherence([0.0, 1.0, 10.0, 11.5], age, k=1)
    1.0
    """
    who = "neighbor_coherence"
    Y, prior = match(who, Y=Y, prior=prior)
    Y, prior = read_map(who, Y), read_either(who, "prior", prior)
    _check(who, Y, "prior", prior, k)
    return estimate_coherence(search_map(who, Y, k, n_rows, random_state), prior, k).value


def read_purity(who: str, Y: Any, labels: Any, k: int) -> tuple[SampleDistances, Labels]:
    """Check a map, labels and the number of neighbours."""
    Y, labels = match(who, Y=Y, labels=labels)
    Y = read_map(who, Y)
    prior = labels if isinstance(labels, Labels) else read_labels(f"{who}: 'labels'", labels)
    _check(who, Y, "labels", prior, k)
    return Y, prior


def estimate_coherence(map_neighbors: MapNeighbors, prior: SampleDistances, k: int) -> Estimate:
    """Estimate the coherence of map neighbours in a prior; for labels, their purity."""
    n = map_neighbors.n_samples
    if isinstance(prior, Labels):
        chance, reachable = purity_bounds(prior, k)
        own = prior.codes[map_neighbors.rows]
        above_chance = own_shares(map_neighbors, prior, k) - chance[own]
        return estimate_ratio(above_chance, (reachable - chance)[own], n)
    near, far = score_rows(_near_and_far, len(map_neighbors.rows), n, map_neighbors, prior, k)
    return estimate_ratio(far - near, far, n)


def purity_bounds(labels: Labels, k: int) -> tuple[Floats, Floats]:
    """Return the chance level and the maximum of each class's same-class neighbour fraction."""
    n_others = labels.counts - 1
    return n_others / (labels.n_samples - 1), np.minimum(k, n_others) / k


def reachable(prior: SampleDistances, k: int) -> float:
    """Return the largest coherence that a map can have: 1, or less for labels with small classes.

    In classes of k samples or fewer, some neighbours are of other classes on every map.
    """
    if not isinstance(prior, Labels):
        return 1.0
    chance, most = purity_bounds(prior, k)
    per_sample = prior.counts / prior.n_samples
    span, full = per_sample @ (most - chance), per_sample @ (1 - chance)
    return float(span / full) if span > 0 else 1.0


def own_shares(map_neighbors: MapNeighbors, labels: Labels, k: int) -> Floats:
    """Return the fraction of each row's k map neighbours that are of its class."""
    codes, parts = labels.codes, []
    for positions in map_neighbors.runs():
        neighbors = map_neighbors.at(k, positions)
        alike = codes[map_neighbors.rows[positions]][neighbors.row] == codes[neighbors.column]
        parts.append(neighbors.sum(alike, len(positions)) / k)
    return np.concatenate(parts)


def mean_distances(
    rows: Indices, neighbors: Neighbors, prior: SampleDistances, k: int
) -> tuple[Floats, Floats]:
    """Return the mean prior distance of rows to their k neighbours, and to all others."""
    n = prior.n_samples
    distances = quick_block(prior, rows, np.arange(n))
    near = neighbors.sum(distances[neighbors.row, neighbors.column], len(rows)) / k
    return near, distances.sum(axis=1, dtype=np.float64) / (n - 1)


def _near_and_far(
    positions: Indices, map_neighbors: MapNeighbors, prior: SampleDistances, k: int
) -> tuple[Floats, Floats]:
    return mean_distances(map_neighbors.rows[positions], map_neighbors.at(k, positions), prior, k)


def _check(who: str, Y: SampleDistances, name: str, prior: SampleDistances, k: int) -> None:
    check_same_samples(who, {"Y": Y, name: prior})
    check_value(who, "k", k, Whole(1, Y.n_samples - 1))
    check_informative(who, name, prior)
