"""A map and what is known to how much of it the map's neighbourhoods still show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._params import Whole, check_value
from unprior.priors import Labels, Prior
from unprior.priors._labels import read_labels
from unprior.scores._distances import (
    check_informative,
    check_same_samples,
    read_either,
    read_map,
)
from unprior.scores._neighbors import nearest
from unprior.scores._rows import Estimate, estimate_ratio, score_rows

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices


def knn_purity(
    Y: Any, labels: Any, k: int = 15, *, n_rows: int | None = None, random_state: Any = None
) -> float:
    r"""Share of map neighbours in the sample's own class: 0 as by chance, 1 all of them.

    With p the share of the k nearest others on the map that have the sample's label, averaged over
    samples, the purity is :math:`(p - c) / (1 - c)`, where
    :math:`c = \sum_l n_l (n_l - 1) / (n (n - 1))` is that share by chance for classes of
    :math:`n_l` samples (of the scored samples, if they are some). It is negative where classes
    avoid each other, and below 1 if a class has k samples or fewer.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    labels : array-like of shape (n_samples,), or Labels
        Class of each sample.
    k : int, default=15
        Number of neighbours, fewer than samples.
    n_rows : int, optional
        Score this many samples, drawn at random, against all; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    purity : float
        At most 1; 0 by chance.

    See Also
    --------
    neighbor_coherence : The same for any prior; for labels the two are equal.

    Examples
    --------
    >>> from unprior.scores import knn_purity
    >>> knn_purity([0.0, 1.0, 10.0, 11.5], ["a", "a", "b", "b"], k=1)
    1.0
    """
    who = "knn_purity"
    Y = read_map(who, Y)
    prior = labels if isinstance(labels, Labels) else read_labels(f"{who}: 'labels'", labels)
    _check(who, Y, "labels", prior, k)
    return estimate_coherence(who, Y, prior, k, n_rows, random_state).value


def neighbor_coherence(
    Y: Any, prior: Any, k: int = 15, *, n_rows: int | None = None, random_state: Any = None
) -> float:
    """How much nearer than random samples map neighbours are in the prior: 0 as by chance.

    One minus the mean prior distance to the k nearest others on the map over the mean prior
    distance to all others: 1 if map neighbours are identical in the prior, negative if they are
    farther apart than random samples. Neighbours tied for the last places share them.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    prior : Prior or array-like
        What is known; see `unprior.priors.as_prior`.
    k : int, default=15
        Number of neighbours, fewer than samples.
    n_rows : int, optional
        Score this many samples, drawn at random, against all; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    coherence : float
        At most 1; 0 by chance.

    See Also
    --------
    knn_purity : The same for labels, in terms of shares.

    Examples
    --------
    >>> from unprior.scores import neighbor_coherence
    >>> age = [20.0, 20.0, 60.0, 60.0]
    >>> neighbor_coherence([0.0, 1.0, 10.0, 11.5], age, k=1)
    1.0
    """
    who = "neighbor_coherence"
    Y, prior = read_map(who, Y), read_either(who, "prior", prior)
    _check(who, Y, "prior", prior, k)
    return estimate_coherence(who, Y, prior, k, n_rows, random_state).value


def estimate_coherence(
    who: str, Y: Prior, prior: Prior, k: int, n_rows: int | None, random_state: Any
) -> Estimate:
    """Estimate the coherence of a map that is read already; for labels it is the purity."""
    n = Y.n_samples
    near, far = score_rows(who, mean_distances, n, n_rows, random_state, Y, prior, k)
    return estimate_ratio(far - near, far, n)


def mean_distances(rows: Indices, Y: Prior, prior: Prior, k: int) -> tuple[Floats, Floats]:
    """Mean prior distance of some samples to their map neighbours, and to all others."""
    n = prior.n_samples
    distances = prior.block(rows, np.arange(n))
    neighbors = nearest(Y, rows, k)
    near = neighbors.sum(distances[neighbors.row, neighbors.column], len(rows)) / k
    return near, distances.sum(axis=1, dtype=np.float64) / (n - 1)


def _check(who: str, Y: Prior, name: str, prior: Prior, k: int) -> None:
    check_same_samples(who, {"Y": Y, name: prior})
    check_value(who, "k", k, Whole(1, Y.n_samples - 1))
    check_informative(who, name, prior)
