"""The standard deviation of the coherence of a map and a prior under random permutations.

The mean and variance of a sum over pairs over all permutations of the samples have a closed form
(N. Mantel, 1967), so no permutations are drawn.
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
    """Sums over a symmetric n × n array with a zero diagonal.

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
    """Return the sums over the distances of a prior, computed in blocks."""
    total = squares = rows = 0.0
    for _, distances in prior.blocks():
        distances = distances.astype(np.float64)
        of_rows = distances.sum(axis=1)
        total += float(of_rows.sum())
        squares += float(np.einsum("ij,ij->", distances, distances))
        rows += float(of_rows @ of_rows)
    return PairSums(total, squares, rows)


def chance_deviation(Y: SampleDistances, k: int, prior: PairSums) -> float:
    """Return the standard deviation of the k-neighbour coherence by chance; its mean is 0."""
    n = Y.n_samples
    variance = _variance(_sum_neighbors(Y, k), prior, n)
    mean_distance = prior.total / (n * (n - 1))
    # The variance may round to below zero.
    return float(np.sqrt(max(variance, 0.0))) / (n * k * mean_distance)


def _sum_neighbors(Y: SampleDistances, k: int) -> PairSums:
    """Return the sums over the symmetrised matrix of neighbour weights."""
    n = Y.n_samples
    parts = [*score_blocks(_neighbors_of_rows, np.arange(n), n, Y, k)]
    row, column, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
    weights = coo_array((weight, (row, column)), shape=(n, n)).tocsr()
    weights = (weights + weights.T) / 2
    of_rows = np.asarray(weights.sum(axis=1)).ravel()
    return PairSums(float(weights.sum()), float((weights.data**2).sum()), float(of_rows @ of_rows))


def _neighbors_of_rows(
    rows: Indices, Y: SampleDistances, k: int
) -> tuple[Indices, Indices, Floats]:
    neighbors = nearest(Y, rows, k)
    return rows[neighbors.row], neighbors.column, neighbors.weight


def _variance(a: PairSums, b: PairSums, n: int) -> float:
    """Return the variance of Σ a_ij b_π(i)π(j) over all permutations π of the samples.

    The square of the sum has terms of the same pair, of two pairs that share a sample, and of two
    disjoint pairs; in each group, entries of ``a`` and ``b`` are combined equally often.
    """
    pairs = n * (n - 1)
    triples, quadruples = pairs * (n - 2), pairs * (n - 2) * (n - 3)
    same = 2 * a.squares * b.squares / pairs
    shared = 4 * (a.rows - a.squares) * (b.rows - b.squares) / triples
    disjoint = _disjoint(a) * _disjoint(b) / quadruples
    return same + shared + disjoint - (a.total * b.total / pairs) ** 2


def _disjoint(sums: PairSums) -> float:
    """Return the sum of products of two entries without a common row or column."""
    return sums.total**2 - 4 * sums.rows + 2 * sums.squares
