"""A map and a prior → how far from chance their coherence would be by luck alone.

Luck is the prior dealt out to the samples anew. Over all ways to do so the mean and the variance of
a sum over pairs have a closed form (N. Mantel, 1967), so that nothing is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array

from unprior.geometry import SampleDistances
from unprior.scores._neighbors import nearest
from unprior.scores._rows import score_blocks

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices
    from unprior.priors import Prior


@dataclass(frozen=True)
class PairSums:
    """What a symmetric n × n array with a zero diagonal adds up to.

    Attributes
    ----------
    total : float
        The sum of its entries.
    squares : float
        The sum of their squares.
    rows : float
        The sum of the squares of its row sums.
    """

    total: float
    squares: float
    rows: float


def sum_prior(prior: Prior) -> PairSums:
    """Add up the distances of a prior, some rows at a time."""
    total = squares = rows = 0.0
    for _, distances in prior.blocks():
        distances = distances.astype(np.float64)
        of_rows = distances.sum(axis=1)
        total += float(of_rows.sum())
        squares += float(np.einsum("ij,ij->", distances, distances))
        rows += float(of_rows @ of_rows)
    return PairSums(total, squares, rows)


def luck(Y: SampleDistances, k: int, known: PairSums) -> float:
    """Return the standard deviation of the k-neighbour coherence by luck; its mean is 0."""
    n = Y.n_samples
    variance = _variance(_sum_neighbors(Y, k), known, n)
    mean_distance = known.total / (n * (n - 1))
    # Rounding can leave a little less than nothing.
    return float(np.sqrt(max(variance, 0.0))) / (n * k * mean_distance)


def _sum_neighbors(Y: SampleDistances, k: int) -> PairSums:
    """Add up the array that holds who is how surely a neighbour of whom, made symmetric."""
    n = Y.n_samples
    parts = [*score_blocks(_neighbors_of_rows, np.arange(n), n, Y, k)]
    row, column, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
    one_way = coo_array((weight, (row, column)), shape=(n, n)).tocsr()
    both = (one_way + one_way.T) / 2
    of_rows = np.asarray(both.sum(axis=1)).ravel()
    return PairSums(float(both.sum()), float((both.data**2).sum()), float(of_rows @ of_rows))


def _neighbors_of_rows(
    rows: Indices, Y: SampleDistances, k: int
) -> tuple[Indices, Indices, Floats]:
    found = nearest(Y, rows, k)
    return rows[found.row], found.column, found.weight


def _variance(a: PairSums, b: PairSums, n: int) -> float:
    """Variance of Σ a_ij b_π(i)π(j) over all orders π of the samples.

    The square of the sum has terms of the same pair, of two pairs that share a sample, and of two
    that share none; in each sort, every entry of ``a`` meets every one of ``b`` equally often.
    """
    pairs = n * (n - 1)
    triples, quadruples = pairs * (n - 2), pairs * (n - 2) * (n - 3)
    same = 2 * a.squares * b.squares / pairs
    shared = 4 * (a.rows - a.squares) * (b.rows - b.squares) / triples
    apart = _apart(a) * _apart(b) / quadruples
    return same + shared + apart - (a.total * b.total / pairs) ** 2


def _apart(sums: PairSums) -> float:
    """Sum of products of two entries that have no row or column in common."""
    return sums.total**2 - 4 * sums.rows + 2 * sums.squares
