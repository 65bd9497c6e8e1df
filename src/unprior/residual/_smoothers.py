"""Means of the data over samples with a similar prior: over classes, or over prior neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior.geometry import draw_landmarks
from unprior.priors import Labels, Prior
from unprior.priors._reader import Reader
from unprior.residual._tied_means import TiedMeans, find_ties, join_ties

#: Prior neighbours are chosen among at most this many landmarks: time and memory are O(n).
MOST_LANDMARKS = 5000

#: Distances held in memory at a time (16 MB of float64).
BLOCK_ENTRIES = 2_000_000

#: Most weights per sample that are stored. Usually there are at most 71. Ties can make many more,
#: but then computing the weights again is quicker than the means themselves.
MOST_KEPT = 300


class Smoother(Protocol):
    """Computes means over samples with a similar prior.

    ``remember`` stores what the means need of the fitted data. A fitted sample is left out of its
    own mean; if nothing else is in it, mean and weight are zero.
    """

    @property
    def weight(self) -> Floats:
        """Sum of squared weights in each mean: 1 / k for k samples of equal weight."""

    def remember(self, points: Floats) -> Floats:
        """Return what is stored of the fitted points."""

    def means(self, memory: Floats, points: Floats) -> Floats:
        """Return the mean for each of these samples."""


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
        Whether these are the fitted samples, which are left out of their own means.
    """

    codes: Indices
    counts: Indices
    fitted: bool

    @property
    def weight(self) -> Floats:
        """One over the number of samples in each mean."""
        counts = self.counts[self.codes] - int(self.fitted)
        return np.divide(1.0, counts, out=np.zeros(len(counts)), where=counts > 0)

    def remember(self, points: Floats) -> Floats:
        """Return the sum of each class."""
        n = len(self.codes)
        members = csr_array((np.ones(n), (self.codes, np.arange(n))), shape=(len(self.counts), n))
        return members @ points

    def means(self, memory: Floats, points: Floats) -> Floats:
        """Return the mean of each sample's class, without the sample itself if it was fitted."""
        sums = memory[self.codes]
        return (sums - points if self.fitted else sums) * self.weight[:, None]


@dataclass(frozen=True, eq=False)
class NeighborMeans:
    """Weighted means over the nearest samples in the prior.

    Made by `find_neighbor_means`.

    Attributes
    ----------
    landmarks : ndarray of shape (n_landmarks,)
        The fitted samples among which neighbours are found.
    blocks : list of ndarray
        Blocks of the samples that are not tied.
    kept : list of sparse array of shape (n_in_block, n_landmarks), or None
        Weights of the landmarks in each mean, by block; None if they are too many to store.
    find : function
        Computes the weights of a block.
    tied : TiedMeans
        Means of samples whose neighbours are all at distance zero.
    weight : ndarray of shape (n_samples,)
        Sum of squared weights in each mean.
    """

    landmarks: Indices
    blocks: Sequence[Indices]
    kept: Sequence[csr_array | None]
    find: Callable[[Indices], csr_array]
    tied: TiedMeans
    weight: Floats

    def remember(self, points: Floats) -> Floats:
        """Return the points of the landmarks."""
        return points[self.landmarks]

    def means(self, memory: Floats, points: Floats) -> Floats:
        """Return the mean over the neighbours of each sample, itself left out."""
        again = [rows for rows, kept in zip(self.blocks, self.kept, strict=True) if kept is None]
        work = partial(_found_means, self.find, memory)
        found = iter(map_blocks(work, again, title="prior neighbours") if again else ())
        means = np.empty((len(self.weight), memory.shape[1]))
        means[self.tied.rows] = self.tied.means(memory)
        for rows, kept in zip(self.blocks, self.kept, strict=True):
            means[rows] = next(found) if kept is None else kept @ memory
        return means


@dataclass(frozen=True, eq=False)
class _Found:
    """Neighbours of a block: ``sets`` of the ``tied`` samples, weights of the other ``rows``.

    See `find_ties` and `NeighborMeans`.
    """

    tied: Indices
    sets: list[bytes]
    rows: Indices
    kept: csr_array | None
    weight: Floats


def find_neighbor_means(
    distances: Callable[[Indices], Floats], landmarks: Indices, own: Indices, n_neighbors: int
) -> NeighborMeans:
    """Find the prior neighbours of all samples.

    Parameters
    ----------
    distances : function
        Returns the distances from some samples, given by index, to the landmarks.
    landmarks : ndarray of shape (n_landmarks,)
        The fitted samples among which neighbours are found.
    own : ndarray of shape (n_samples,)
        Index of each sample among the landmarks, -1 if it is not one.
    n_neighbors : int
        The number k in `neighbor_weights`.
    """
    n, step = len(own), max(1, BLOCK_ENTRIES // len(landmarks))
    blocks = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
    work = partial(_find_block, distances, own, n_neighbors)
    found = map_blocks(work, blocks, title="prior neighbours")
    rows = np.hstack([each.tied for each in found])
    sets = [members for each in found for members in each.sets]
    tied = join_ties(rows, own[rows], sets, len(landmarks))
    weight = np.empty(n)
    weight[rows] = tied.weight
    for each in found:
        weight[each.rows] = each.weight
    find = partial(_find_weights, distances, own, n_neighbors)
    untied, kept = [each.rows for each in found], [each.kept for each in found]
    return NeighborMeans(landmarks, untied, kept, find, tied, weight)


def _find_block(
    distances: Callable[[Indices], Floats], own: Indices, n_neighbors: int, rows: Indices
) -> _Found:
    block = _to_others(distances, own, rows)
    tied, sets = find_ties(block, own[rows], n_neighbors)
    # Without ties, the usual case, avoid the copy.
    weights = neighbor_weights(block[~tied] if sets else block, n_neighbors)
    kept = weights if weights.nnz <= MOST_KEPT * weights.shape[0] else None
    return _Found(rows[tied], sets, rows[~tied], kept, weights.power(2).sum(axis=1))


def _find_weights(
    distances: Callable[[Indices], Floats], own: Indices, n_neighbors: int, rows: Indices
) -> csr_array:
    return neighbor_weights(_to_others(distances, own, rows), n_neighbors)


def _to_others(distances: Callable[[Indices], Floats], own: Indices, rows: Indices) -> Floats:
    """Return distances from samples to the landmarks, infinite to themselves."""
    block = np.array(distances(rows), dtype=np.float64)
    among = np.flatnonzero(own[rows] >= 0)
    block[among, own[rows][among]] = np.inf
    return block


def _found_means(find: Callable[[Indices], csr_array], memory: Floats, rows: Indices) -> Floats:
    return find(rows) @ memory


def neighbor_weights(distances: Floats, n_neighbors: int) -> csr_array:
    """Return the weight of each column in the mean of a row; rows sum to one.

    With r the distance to the (k + 1)-th nearest, a neighbour at distance d has the weight
    1 - (d / r)². If none is nearer than r, all at distance r have the same weight. A row has at
    most one infinite distance, which has no weight.
    """
    # With few columns, r is the largest finite distance.
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
    # A product of two factors avoids cancellation near one.
    weights = np.where(flat[row], 1, (1 - ratio) * (1 + ratio))
    starts = np.append(0, np.cumsum(np.count_nonzero(near, axis=1)))
    weights /= np.add.reduceat(weights, starts[:-1])[row]
    # 32-bit indices halve the memory.
    column, starts = column.astype(np.int32), starts.astype(np.int32)
    return csr_array((weights, column, starts), shape=near.shape)


def fitted_smoother(prior: Prior, n_neighbors: int) -> Smoother:
    """Make the smoother of the fitted samples."""
    if isinstance(prior, Labels):
        return ClassMeans(prior.codes, prior.counts, fitted=True)
    landmarks = landmark_rows(prior.n_samples)
    own = np.full(prior.n_samples, -1)
    own[landmarks] = np.arange(len(landmarks))
    return find_neighbor_means(
        lambda rows: prior.block(rows, landmarks), landmarks, own, n_neighbors
    )


def new_smoother(prior: Prior, n_neighbors: int) -> Callable[[NDArray[Any]], Smoother]:
    """Return a function that makes the smoother of new samples from their prior as read."""
    if isinstance(prior, Labels):
        return partial(ClassMeans, counts=prior.counts, fitted=False)
    landmarks, reader = landmark_rows(prior.n_samples), prior.reader()
    if not reader.can_read:
        return partial(_given_neighbor_means, landmarks, n_neighbors)
    fitted = reader.read("", "", prior)[landmarks]
    return partial(_new_neighbor_means, reader, fitted, landmarks, n_neighbors)


def landmark_rows(n_samples: int) -> Indices:
    """Return the samples among which prior neighbours are found: all, or 5000 landmarks."""
    return draw_landmarks(n_samples, MOST_LANDMARKS)


def _given_neighbor_means(landmarks: Indices, n_neighbors: int, given: Floats) -> NeighborMeans:
    def distances(rows: Indices) -> Floats:
        return given[rows][:, landmarks]

    return find_neighbor_means(distances, landmarks, np.full(len(given), -1), n_neighbors)


def _new_neighbor_means(
    reader: Reader, fitted: Floats, landmarks: Indices, n_neighbors: int, new: Floats
) -> NeighborMeans:
    def distances(rows: Indices) -> Floats:
        return reader.distances(new[rows], fitted)

    return find_neighbor_means(distances, landmarks, np.full(len(new), -1), n_neighbors)
