"""Data and strata -> candidates: for every sample its nearest in each stratum, and who names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.distances._strata import Strata
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.neighbors._per_stratum import nearest_per_stratum
from unprior.priors import Prior

#: Candidates in a stratum: so many times its share of the neighbours, and so many more. On eight
#: cases of 1000 samples maps scored .55 with 2 and 3, .60 with 6 and 12, .63 with 10 and 12.
BY_SHARE, MORE = 10.0, 12

#: Of many samples fewer, in proportion: so many candidates in all, but no less for each sample.
MOST_CANDIDATES, LEAST = 20_000_000, 100


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of samples among which neighbours are chosen. Every pair stands in both rows.

    Attributes
    ----------
    starts : ndarray of shape (n_samples + 1,)
        Where the row of each sample begins.
    columns : ndarray of shape (n_pairs,), int32
        The other samples, in ascending order in each row.
    squares : ndarray of shape (n_pairs,), float32
        Squared data distances.
    recall : float
        Share of the nearest in each stratum that were found.
    """

    starts: Indices
    columns: NDArray[np.int32]
    squares: NDArray[np.float32]
    recall: float

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.starts) - 1

    @property
    def arrays(self) -> tuple[Indices, NDArray[np.int32], NDArray[np.float32]]:
        """The pairs as compiled loops take them."""
        return self.starts, self.columns, self.squares

    def nearest(self, k: int, lengths: Floats) -> KNNGraph:
        """Return the k nearest of every sample by some lengths of the pairs."""
        from unprior.kernels._balance import nearest_pairs

        indices = np.empty((self.n_samples, k), dtype=np.intp)
        distances = np.empty((self.n_samples, k))
        nearest_pairs(self.starts, self.columns, lengths, indices, distances)
        return KNNGraph(indices, distances, self.recall)


def find_candidates(
    data: Prior,
    strata: Sequence[Strata],
    k: int,
    *,
    scale: float = 1.0,
    plain: bool = False,
    exact: bool = False,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Candidates:
    """Find the candidates for k neighbours.

    Parameters
    ----------
    data : Prior
        The data as distances.
    strata : sequence of Strata
        Those of each prior.
    k : int
        Neighbours that are to be chosen for each sample.
    scale : float, default=1.0
        What data distances are divided by.
    plain : bool, default=False
        Whether the k nearest of all are candidates, too.
    exact : bool, default=False
        Whether to look at all pairs, however many they are.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar at once.

    Returns
    -------
    candidates : Candidates
    """
    from unprior.kernels._balance import count_pairs, pair_both_ways, sort_rows

    threads: dict[str, Any] = {"n_jobs": n_jobs, "verbose": verbose}
    found, recalls = [], []
    for one in strata:
        counts = _counts(one, k, len(strata))
        nearest = nearest_per_stratum(data, one.codes, counts, exact=exact, **threads)
        found.append((nearest.indices, nearest.distances))
        recalls.append(nearest.recall)
    if plain:
        graph = find_neighbors(data, min(k, data.n_samples - 1), exact=exact, **threads)
        found.append((graph.indices.astype(np.int32), graph.distances.astype(np.float32)))
        recalls.append(graph.recall)
    indices, lengths = (np.hstack(each) for each in zip(*found, strict=True))
    lengths = np.square(lengths / np.float32(scale))
    starts = np.r_[0, np.cumsum(count_pairs(indices))]
    columns, squares = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    pair_both_ways(indices, lengths, starts, columns, squares)
    counts = np.empty(data.n_samples, dtype=np.int64)
    sort_rows(starts, columns, squares, counts)
    kept = _kept(starts, counts)
    return Candidates(np.r_[0, np.cumsum(counts)], columns[kept], squares[kept], min(recalls))


def _counts(strata: Strata, k: int, n_priors: int) -> Indices:
    """Return how many candidates every sample has in each stratum."""
    shares = k * strata.sizes() / strata.n_samples
    wanted = BY_SHARE * shares + MORE
    room = max(LEAST, MOST_CANDIDATES / strata.n_samples) / n_priors
    fewer = min(1.0, room / wanted.sum())
    # Never less than a stratum's share of the neighbours, and one to choose among.
    return np.ceil(np.maximum(fewer * wanted, shares + 1)).astype(int)


def _kept(starts: Indices, counts: Indices) -> NDArray[np.bool_]:
    """Return which places are filled, of rows that are filled from their beginning."""
    change = np.zeros(starts[-1] + 1, dtype=np.int8)
    np.add.at(change, starts[:-1], 1)
    np.add.at(change, starts[:-1] + counts, -1)
    return np.cumsum(change, dtype=np.int8)[:-1] > 0
