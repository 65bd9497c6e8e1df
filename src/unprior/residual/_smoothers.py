"""Priors -> for every sample, the mean of the data over those that the prior says are like it."""

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

#: Prior neighbours are sought among at most this many samples, so that time and memory are O(n).
MOST_REFERENCES = 5000

#: Distances that are held in memory at a time (16 MB of float64).
BLOCK_ENTRIES = 2_000_000

#: Weights are kept up to so many a sample. Usually there are 71 at most; where very many samples
#: are equally far there are more, but then the means take longer than to find the weights again.
MOST_KEPT = 300


class Smoother(Protocol):
    """Takes means of data over samples that are alike in a prior.

    ``remember`` keeps of the fitted samples' data what ``means`` are made of. A fitted sample has
    no part in its own mean; where nobody else is left, mean and weight are zero.
    """

    @property
    def weight(self) -> Floats:
        """Of each mean the sum of squared weights: 1 / k for k samples that count alike."""

    def remember(self, points: Floats) -> Floats:
        """Return what is kept of the fitted samples' points."""

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
        Whether these samples are the fitted ones, each to be left out of its mean.
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
        """Return the mean of each sample's class, without the sample itself if it is in there."""
        sums = memory[self.codes]
        return (sums - points if self.fitted else sums) * self.weight[:, None]


@dataclass(frozen=True, eq=False)
class NeighborMeans:
    """Means over the nearest samples in the prior, nearer ones counting more.

    Made by `find_neighbor_means`.

    Attributes
    ----------
    references : ndarray of shape (n_references,)
        The fitted samples that neighbours are sought among.
    blocks : list of ndarray
        The samples, some at a time, but for those that are tied.
    kept : list of sparse array of shape (n_in_block, n_references), or None
        For each block, how much the references count in each mean; None where they are so many that
        they are rather found again.
    find : function
        Finds this for a block.
    tied : TiedMeans
        The means of samples whose neighbours are all the same as they are.
    weight : ndarray of shape (n_samples,)
        Of each mean the sum of squared weights.
    """

    references: Indices
    blocks: Sequence[Indices]
    kept: Sequence[csr_array | None]
    find: Callable[[Indices], csr_array]
    tied: TiedMeans
    weight: Floats

    def remember(self, points: Floats) -> Floats:
        """Return the points of the references."""
        return points[self.references]

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
    """What is found of some samples: ``sets`` of the ``tied`` ones, weights of the other ``rows``.

    The attributes are explained in `find_ties` and `NeighborMeans`.
    """

    tied: Indices
    sets: list[bytes]
    rows: Indices
    kept: csr_array | None
    weight: Floats


def find_neighbor_means(
    distances: Callable[[Indices], Floats], references: Indices, own: Indices, n_neighbors: int
) -> NeighborMeans:
    """Find the neighbours of all samples and keep them, for means of many data.

    Parameters
    ----------
    distances : function
        Returns the distances of some samples, by their numbers, to the references.
    references : ndarray of shape (n_references,)
        The fitted samples that neighbours are sought among.
    own : ndarray of shape (n_samples,)
        Place of each sample among the references, -1 if it is none of them.
    n_neighbors : int
        The number k in `neighbor_weights`.
    """
    n, step = len(own), max(1, BLOCK_ENTRIES // len(references))
    blocks = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
    work = partial(_find_block, distances, own, n_neighbors)
    found = map_blocks(work, blocks, title="prior neighbours")
    rows = np.hstack([each.tied for each in found])
    sets = [members for each in found for members in each.sets]
    tied = join_ties(rows, own[rows], sets, len(references))
    weight = np.empty(n)
    weight[rows] = tied.weight
    for each in found:
        weight[each.rows] = each.weight
    find = partial(_find_weights, distances, own, n_neighbors)
    untied, kept = [each.rows for each in found], [each.kept for each in found]
    return NeighborMeans(references, untied, kept, find, tied, weight)


def _find_block(
    distances: Callable[[Indices], Floats], own: Indices, n_neighbors: int, rows: Indices
) -> _Found:
    block = _to_others(distances, own, rows)
    tied, sets = find_ties(block, own[rows], n_neighbors)
    # Mostly there are no ties, and nothing has to be copied.
    weights = neighbor_weights(block[~tied] if sets else block, n_neighbors)
    kept = weights if weights.nnz <= MOST_KEPT * weights.shape[0] else None
    return _Found(rows[tied], sets, rows[~tied], kept, weights.power(2).sum(axis=1))


def _find_weights(
    distances: Callable[[Indices], Floats], own: Indices, n_neighbors: int, rows: Indices
) -> csr_array:
    return neighbor_weights(_to_others(distances, own, rows), n_neighbors)


def _to_others(distances: Callable[[Indices], Floats], own: Indices, rows: Indices) -> Floats:
    """Return distances of samples to the references, infinite to themselves."""
    block = np.array(distances(rows), dtype=np.float64)
    among = np.flatnonzero(own[rows] >= 0)
    block[among, own[rows][among]] = np.inf
    return block


def _found_means(find: Callable[[Indices], csr_array], memory: Floats, rows: Indices) -> Floats:
    return find(rows) @ memory


def neighbor_weights(distances: Floats, n_neighbors: int) -> csr_array:
    """Return how much each column counts in the mean of a row; rows sum to one.

    With r the distance to the first who is not among the k nearest, a neighbour at distance d
    counts 1 - (d / r)². Where nobody is nearer than r, all at that distance count alike. Infinite
    distances, of which a row has one at most, do not count.
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
    # Half the memory of the indices that numpy has found.
    column, starts = column.astype(np.int32), starts.astype(np.int32)
    return csr_array((weights, column, starts), shape=near.shape)


def fitted_smoother(prior: Prior, n_neighbors: int) -> Smoother:
    """Make the smoother of the samples that a prior is about."""
    if isinstance(prior, Labels):
        return ClassMeans(prior.codes, prior.counts, fitted=True)
    references = reference_rows(prior.n_samples)
    own = np.full(prior.n_samples, -1)
    own[references] = np.arange(len(references))
    return find_neighbor_means(
        lambda rows: prior.block(rows, references), references, own, n_neighbors
    )


def new_smoother(prior: Prior, n_neighbors: int) -> Callable[[NDArray[Any]], Smoother]:
    """Return what makes the smoother of new samples, given their values as read."""
    if isinstance(prior, Labels):
        return partial(ClassMeans, counts=prior.counts, fitted=False)
    references, reader = reference_rows(prior.n_samples), prior.reader()
    if not reader.can_read:
        return partial(_given_neighbor_means, references, n_neighbors)
    fitted = reader.read("", "", prior)[references]
    return partial(_new_neighbor_means, reader, fitted, references, n_neighbors)


def reference_rows(n_samples: int) -> Indices:
    """Return the samples among which prior neighbours are sought."""
    return draw_landmarks(n_samples, MOST_REFERENCES)


def _given_neighbor_means(references: Indices, n_neighbors: int, given: Floats) -> NeighborMeans:
    def distances(rows: Indices) -> Floats:
        return given[rows][:, references]

    return find_neighbor_means(distances, references, np.full(len(given), -1), n_neighbors)


def _new_neighbor_means(
    reader: Reader, fitted: Floats, references: Indices, n_neighbors: int, new: Floats
) -> NeighborMeans:
    def distances(rows: Indices) -> Floats:
        return reader.distances(new[rows], fitted)

    return find_neighbor_means(distances, references, np.full(len(new), -1), n_neighbors)
