"""Priors -> for every sample, the mean of the data over those that the prior says are like it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from unprior._blocks import map_blocks
from unprior._landmarks import draw_landmarks
from unprior._typing import Floats, Indices
from unprior.priors import Features, Labels, Prior
from unprior.priors._metrics import RowMetric

#: Prior neighbours are sought among at most this many samples, so that time and memory are O(n).
MOST_REFERENCES = 5000

#: Distances that are held in memory at a time (16 MB of float64).
BLOCK_ENTRIES = 2_000_000


class Smoother(Protocol):
    """Takes means of data over samples that are alike in a prior.

    ``remember`` keeps of the fitted samples' data what the means are made of. ``means`` returns the
    means, and of each the sum of squared weights: one over the number of samples in it, if all
    count alike. A fitted sample has no part in its own mean; where nobody else is left, mean and
    sum are zero.
    """

    def remember(self, points: Floats) -> Floats:
        """Return what is kept of the fitted samples' points."""

    def means(self, memory: Floats, points: Floats) -> tuple[Floats, Floats]:
        """Return the mean for each of these samples, and its sum of squared weights."""


@dataclass(frozen=True, eq=False)
class ClassMeans:
    """Means over the class of each sample.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,)
        The class of each sample.
    counts : ndarray of shape (n_classes,)
        Number of fitted samples in each class.
    fitted : bool
        Whether these samples are the fitted ones, each to be left out of its mean.
    """

    codes: Indices
    counts: Indices
    fitted: bool

    def remember(self, points: Floats) -> Floats:
        """Return the sum of each class."""
        n = len(self.codes)
        members = csr_array((np.ones(n), (self.codes, np.arange(n))), shape=(len(self.counts), n))
        return members @ points

    def means(self, memory: Floats, points: Floats) -> tuple[Floats, Floats]:
        """Return the mean of each sample's class, without the sample itself if it is in there."""
        sums, counts = memory[self.codes], self.counts[self.codes]
        if self.fitted:
            sums, counts = sums - points, counts - 1
        share = np.divide(1.0, counts, out=np.zeros(len(counts)), where=counts > 0)
        return sums * share[:, None], share


@dataclass(frozen=True, eq=False)
class NeighborMeans:
    """Means over the nearest samples in the prior, nearer ones counting more.

    With r the distance to the first who is not among the k nearest, a neighbour at distance d
    counts 1 - (d / r)². Where nobody is nearer than r, all at that distance count alike.

    Attributes
    ----------
    distances : function
        Returns the distances of some samples, by their numbers, to the references.
    references : ndarray of shape (n_references,)
        The fitted samples that neighbours are sought among.
    own : ndarray of shape (n_samples,)
        Place of each sample among the references, -1 if it is none of them.
    n_neighbors : int
        The number k.
    """

    distances: Callable[[Indices], Floats]
    references: Indices
    own: Indices
    n_neighbors: int

    def remember(self, points: Floats) -> Floats:
        """Return the points of the references."""
        return points[self.references]

    def means(self, memory: Floats, points: Floats) -> tuple[Floats, Floats]:
        """Return the mean over the neighbours of each sample, itself left out."""
        n, step = len(self.own), max(1, BLOCK_ENTRIES // len(self.references))
        blocks = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
        found = map_blocks(partial(self._block, memory), blocks, title="prior neighbours")
        return np.vstack([means for means, _ in found]), np.hstack([noise for _, noise in found])

    def _block(self, memory: Floats, rows: Indices) -> tuple[Floats, Floats]:
        distances = np.array(self.distances(rows), dtype=np.float64)
        among = np.flatnonzero(self.own[rows] >= 0)
        distances[among, self.own[rows][among]] = np.inf
        weights = neighbor_weights(distances, self.n_neighbors)
        return weights @ memory, weights.power(2).sum(axis=1)


def neighbor_weights(distances: Floats, n_neighbors: int) -> csr_array:
    """Return how much each column counts in the mean of a row; rows sum to one.

    Infinite distances, of which a row has one at most, do not count.
    """
    # The farthest that there is in any case is beyond the neighbours.
    last = min(n_neighbors, distances.shape[1] - 2)
    nearest = np.partition(distances, last, axis=1)[:, : last + 1]
    radius = nearest[:, last]
    flat = nearest.min(axis=1) >= radius
    near = distances < radius[:, None]
    near[flat] = distances[flat] <= radius[flat, None]
    place = np.flatnonzero(near)
    row, column = np.divmod(place, near.shape[1])
    with np.errstate(invalid="ignore"):  # 0 / 0 among the flat ones
        ratio = distances.ravel()[place] / radius[row]
    # As a product it is positive for every ratio below one.
    weights = np.where(flat[row], 1, (1 - ratio) * (1 + ratio))
    starts = np.append(0, np.cumsum(np.count_nonzero(near, axis=1)))
    weights /= np.add.reduceat(weights, starts[:-1])[row]
    return csr_array((weights, column, starts), shape=near.shape)


def fitted_smoother(prior: Prior, n_neighbors: int) -> Smoother:
    """Make the smoother of the samples that a prior is about."""
    if isinstance(prior, Labels):
        return ClassMeans(prior.codes, prior.counts, fitted=True)
    references = reference_rows(prior.n_samples)
    own = np.full(prior.n_samples, -1)
    own[references] = np.arange(len(references))
    return NeighborMeans(lambda rows: prior.block(rows, references), references, own, n_neighbors)


def new_smoother(prior: Labels | Features, n_neighbors: int) -> Callable[[NDArray[Any]], Smoother]:
    """Return what makes the smoother of new samples of what a `Reader` has read of them."""
    if isinstance(prior, Labels):
        return partial(ClassMeans, counts=prior.counts, fitted=False)
    references = reference_rows(prior.n_samples)
    values = prior.values[references]
    return partial(_new_neighbor_means, prior.row_metric, values, references, n_neighbors)


def reference_rows(n_samples: int) -> Indices:
    """Return the samples among which prior neighbours are sought."""
    return draw_landmarks(n_samples, MOST_REFERENCES)


def _new_neighbor_means(
    metric: RowMetric, fitted: Floats, references: Indices, n_neighbors: int, new: Floats
) -> NeighborMeans:
    def distances(rows: Indices) -> Floats:
        return metric.block(new[rows], fitted)

    return NeighborMeans(distances, references, np.full(len(new), -1), n_neighbors)
