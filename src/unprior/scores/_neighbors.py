"""The k nearest others of samples, on a map or by any distances; ties get fractional weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.spatial import KDTree

from unprior._typing import Floats, Indices
from unprior.geometry import SampleDistances
from unprior.scores._distances import distances_to_all
from unprior.scores._rows import choose_rows, score_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Position of a row, index of another sample, and their distance.
Pairs: TypeAlias = tuple[Indices, Indices, Floats]

#: Most components of a map searched by a tree; with more, all distances are as quick.
MOST_COMPONENTS = 3

#: Samples found beyond the k nearest to detect ties, and the factor by which the last of them
#: must be farther than the k-th for the k-th not to be tied.
SPARE, CLEARLY = 8, 1 + 1e-9

#: Rows whose candidates are held in memory at a time.
STEP = 50_000


@dataclass(frozen=True)
class Neighbors:
    """Pairs of a row and a neighbour; the weights of a row's neighbours sum to k.

    If several samples are tied at the k-th distance, the weight of each is its probability of being
    among the k nearest when ties are broken at random.
    """

    row: Indices
    column: Indices
    weight: Floats

    def sum(self, values: Floats, n_rows: int) -> Floats:
        """Return the weighted sum of values, one for each pair, over each row's neighbours."""
        total = np.bincount(self.row, weights=self.weight * values, minlength=n_rows)
        return np.asarray(total, dtype=np.float64)


def nearest(prior: SampleDistances, rows: Indices, k: int) -> Neighbors:
    """Find the k nearest others of some samples, numbered by their position in ``rows``."""
    return share_places(distances_to_all(prior, rows), k)


def share_places(distances: Floats, k: int) -> Neighbors:
    """Find the k nearest in each row of distances, without the sample itself (at -infinity)."""
    # The sample itself comes first.
    reach = np.partition(distances, k, axis=1)[:, k, None]
    inside = (distances < reach) & (distances > -np.inf)
    at_edge = distances == reach
    share = (k - np.count_nonzero(inside, axis=1)) / np.count_nonzero(at_edge, axis=1)
    row, column = np.nonzero(inside | at_edge)
    return Neighbors(row, column, np.where(inside[row, column], 1.0, share[row]))


@dataclass(frozen=True, eq=False)
class MapNeighbors:
    """The k nearest others of some samples on a map, and all samples tied at the k-th distance.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        The samples.
    n_samples : int
        Number of samples on the map.
    k : int
        Number of neighbours found; `at` takes any number up to it.
    starts : ndarray of shape (n_rows + 1,)
        Index of the first pair of each row.
    column, distance : ndarray of shape (n_pairs,)
        The other sample of each pair and its distance; the nearest of a row come first.
    """

    rows: Indices
    n_samples: int
    k: int
    starts: Indices
    column: Indices
    distance: Floats

    def at(self, k: int, positions: Indices | None = None) -> Neighbors:
        """Return the k nearest of all rows, or of consecutive positions."""
        first, last = (
            (0, len(self.rows)) if positions is None else (positions[0], positions[-1] + 1)
        )
        starts = self.starts[first : last + 1]
        pairs = slice(starts[0], starts[-1])
        row = np.repeat(np.arange(last - first), np.diff(starts))
        distance, column = self.distance[pairs], self.column[pairs]
        reach = self.reach(k, slice(first, last))[row]
        inside, at_edge = distance < reach, distance == reach
        n_inside = np.bincount(row[inside], minlength=last - first)
        share = (k - n_inside) / np.bincount(row[at_edge], minlength=last - first)
        near, weight = inside | at_edge, np.where(inside, 1.0, share[row])
        return Neighbors(row[near], column[near], weight[near])

    def runs(self) -> Iterator[Indices]:
        """Yield the positions of all rows in blocks that fit into memory."""
        for start in range(0, len(self.rows), STEP):
            yield np.arange(start, min(start + STEP, len(self.rows)))

    def reach(self, k: int, positions: slice = slice(None)) -> Floats:
        """Return the distance of each row, or of those at ``positions``, to its k-th neighbour."""
        return self.distance[self.starts[:-1][positions] + k - 1]


def search_map(
    who: str, Y: SampleDistances, k: int, n_rows: int | None, random_state: Any
) -> MapNeighbors:
    """Find the k nearest others of all samples on a map, or of some drawn at random."""
    return search_rows(Y, choose_rows(who, np.arange(Y.n_samples), n_rows, random_state), k)


def search_rows(Y: SampleDistances, rows: Indices, k: int) -> MapNeighbors:
    """Find the k nearest others of some samples on a map."""
    points = map_points(Y)
    if points is not None:
        pairs, tied = _search_tree(points, rows, k)
    else:
        pairs, tied = [], np.arange(len(rows))
    for part in score_blocks(_search_all, np.arange(len(tied)), Y.n_samples, rows[tied], Y, k):
        pairs.append((tied[part[0]], *part[1:]))
    row, column, distance = (np.concatenate(part) for part in zip(*pairs, strict=True))
    order = np.argsort(row, kind="stable")  # keeps the nearest of each row first
    starts = np.searchsorted(row[order], np.arange(len(rows) + 1))
    return MapNeighbors(rows, Y.n_samples, k, starts, column[order], distance[order])


def map_points(Y: SampleDistances) -> Floats | None:
    """Return the coordinates of a map that can be drawn, with at most three components."""
    points = Y.euclidean_rows
    return points if points is not None and points.shape[1] <= MOST_COMPONENTS else None


def _search_tree(points: Floats, rows: Indices, k: int) -> tuple[list[Pairs], Indices]:
    """Return pairs of rows without undetected ties, and the positions of all other rows."""
    tree, n_searched = KDTree(points.astype(np.float64)), min(k + 1 + SPARE, len(points))
    pairs: list[Pairs] = []
    tied: list[Indices] = []
    for start in range(0, len(rows), STEP):
        some = rows[start : start + STEP]
        distance, column = tree.query(tree.data[some], n_searched)
        # More samples than were found may be tied with the k-th.
        unsure = (distance[:, -1] <= distance[:, k] * CLEARLY) & (n_searched < len(points))
        near = (distance <= distance[:, k, None]) & (column != some[:, None]) & ~unsure[:, None]
        pairs.append((start + np.nonzero(near)[0], column[near], distance[near]))
        tied.append(start + np.flatnonzero(unsure))
    return pairs, np.concatenate(tied)


def _search_all(positions: Indices, rows: Indices, Y: SampleDistances, k: int) -> Pairs:
    """Compute the distances of some rows to all samples; return pairs, the nearest first."""
    distances = distances_to_all(Y, rows[positions])
    # The sample itself, at -infinity, comes first.
    reach = np.partition(distances, k, axis=1)[:, k, None]
    row, column = np.nonzero((distances <= reach) & (distances > -np.inf))
    distance = distances[row, column]
    order = np.lexsort((distance, row))
    return positions[row[order]], column[order], distance[order]
