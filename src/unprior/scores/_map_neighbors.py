"""A map to the nearest others of some samples on it: searched once, for all measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np
from scipy.spatial import KDTree

from unprior._typing import Floats, Indices
from unprior.geometry import METRICS, PointDistances, SampleDistances
from unprior.scores._distances import distances_to_all
from unprior.scores._neighbors import Neighbors
from unprior.scores._rows import choose_rows, score_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

#: A row's place, another sample, and their distance.
Pairs: TypeAlias = tuple[Indices, Indices, Floats]

#: With more components a tree is no quicker than all distances.
MOST_COMPONENTS = 3

#: Samples that are looked at beyond the k nearest, to see whether the last is tied, and how much
#: farther than the k-th the last of them must be to be sure that it is not.
SPARE, CLEARLY = 8, 1 + 1e-9

#: Rows whose candidates are held at a time.
STEP = 50_000


@dataclass(frozen=True, eq=False)
class MapNeighbors:
    """The k nearest others of some samples, with all that are tied for the last place.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        The samples.
    n_samples : int
        Number of samples on the map.
    k : int
        Number of neighbours that were searched; `at` takes any number up to it.
    starts : ndarray of shape (n_rows + 1,)
        Where the pairs of each row start.
    column, distance : ndarray of shape (n_pairs,)
        The other sample of each pair, and how far it is; of each row the nearest first.
    """

    rows: Indices
    n_samples: int
    k: int
    starts: Indices
    column: Indices
    distance: Floats

    def at(self, k: int, places: Indices | None = None) -> Neighbors:
        """Return the k nearest of all rows, or of a run of them: first place to last."""
        first, last = (0, len(self.rows)) if places is None else (places[0], places[-1] + 1)
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
        """Yield the places of all rows, some at a time, for what needs no more than the pairs."""
        for start in range(0, len(self.rows), STEP):
            yield np.arange(start, min(start + STEP, len(self.rows)))

    def reach(self, k: int, places: slice = slice(None)) -> Floats:
        """Distance of each row, or of some, to its k-th neighbour."""
        return self.distance[self.starts[:-1][places] + k - 1]


def search_map(
    who: str, Y: SampleDistances, k: int, n_rows: int | None, random_state: Any
) -> MapNeighbors:
    """Find the k nearest others of all samples on a map, or of some drawn at random."""
    return search_rows(Y, choose_rows(who, np.arange(Y.n_samples), n_rows, random_state), k)


def search_rows(Y: SampleDistances, rows: Indices, k: int) -> MapNeighbors:
    """Find the k nearest others of some samples on a map."""
    if is_drawn(Y):
        pairs, tied = _search_tree(Y, rows, k)
    else:
        pairs, tied = [], np.arange(len(rows))
    for part in score_blocks(_search_all, np.arange(len(tied)), Y.n_samples, rows[tied], Y, k):
        pairs.append((tied[part[0]], *part[1:]))
    row, column, distance = (np.concatenate(part) for part in zip(*pairs, strict=True))
    order = np.argsort(row, kind="stable")  # of each row the nearest stay first
    starts = np.searchsorted(row[order], np.arange(len(rows) + 1))
    return MapNeighbors(rows, Y.n_samples, k, starts, column[order], distance[order])


def is_drawn(Y: SampleDistances) -> TypeGuard[PointDistances]:
    """Whether a map has coordinates that can be drawn: up to three."""
    return (
        isinstance(Y, PointDistances)
        and Y.row_metric == METRICS["euclidean"]
        and Y.values.shape[1] <= MOST_COMPONENTS
    )


def _search_tree(Y: PointDistances, rows: Indices, k: int) -> tuple[list[Pairs], Indices]:
    """Return pairs of the rows that a tree is sure of, and the places of those it is not."""
    tree, n_asked = KDTree(Y.values.astype(np.float64)), min(k + 1 + SPARE, Y.n_samples)
    pairs: list[Pairs] = []
    tied: list[Indices] = []
    for start in range(0, len(rows), STEP):
        some = rows[start : start + STEP]
        distance, column = tree.query(tree.data[some], n_asked)
        # More samples may lie at the place of the last one that was asked for.
        unsure = (distance[:, -1] <= distance[:, k] * CLEARLY) & (n_asked < Y.n_samples)
        near = (distance <= distance[:, k, None]) & (column != some[:, None]) & ~unsure[:, None]
        pairs.append((start + np.nonzero(near)[0], column[near], distance[near]))
        tied.append(start + np.flatnonzero(unsure))
    return pairs, np.concatenate(tied)


def _search_all(places: Indices, rows: Indices, Y: SampleDistances, k: int) -> Pairs:
    """Look at the distances of some rows to all samples; return pairs, the nearest first."""
    distances = distances_to_all(Y, rows[places])
    # The sample itself, at -infinity, takes place 0.
    reach = np.partition(distances, k, axis=1)[:, k, None]
    row, column = np.nonzero((distances <= reach) & (distances > -np.inf))
    distance = distances[row, column]
    order = np.lexsort((distance, row))
    return places[row[order]], column[order], distance[order]
