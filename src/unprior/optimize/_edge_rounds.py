"""Edges of a graph -> rounds of buckets that share no sample, so that they can run side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from unprior._typing import Indices

#: Most parts, and the square root of samples for two of them: buckets of some hundred edges.
MOST_PARTS, ROOT_FOR_TWO = 64, 16


@dataclass(frozen=True, eq=False)
class EdgeRounds:
    """Every edge once, in buckets by the parts that its ends are in.

    Samples are shuffled and cut into parts of equal size. A bucket holds the edges between two
    parts, or within one. Buckets that share no part share no sample, so that their edges can be
    visited at the same time (Gemulla et al., 2011, cut matrices like this). Nothing of it depends
    on the number of threads.

    Attributes
    ----------
    order : ndarray of shape (n_samples,)
        The samples in the order of their parts; the rest of the record counts in this order.
    heads, tails : ndarray of shape (n_edges,)
        Ends of the edges, the smaller number first, bucket after bucket.
    often : ndarray of shape (n_edges,)
        Weights, as shares of the largest: how often an edge is visited in an epoch.
    first : ndarray of shape (n_parts ** 2 + 1,)
        Where bucket p * n_parts + q begins, for p <= q.
    n_parts : int
        Number of parts, even.
    """

    order: Indices
    heads: NDArray[np.int32]
    tails: NDArray[np.int32]
    often: NDArray[np.float32]
    first: Indices
    n_parts: int

    @property
    def n_edges(self) -> int:
        """Number of edges, each counted once."""
        return len(self.heads)


def edge_rounds(graph: csr_matrix, least: float, rng: np.random.RandomState) -> EdgeRounds:
    """Cut a symmetric graph into rounds.

    Parameters
    ----------
    graph : csr_matrix of shape (n_samples, n_samples)
        Weights, the same in both directions.
    least : float
        Edges whose weight is a smaller share of the largest are left out.
    rng : RandomState
        Shuffles the samples: whatever order they come in, buckets hold about equally many edges.

    Returns
    -------
    rounds : EdgeRounds

    Examples
    --------
    >>> import numpy as np
    >>> graph = csr_matrix([[0, 1, 0.5], [1, 0, 0.1], [0.5, 0.1, 0]])
    >>> rounds = edge_rounds(graph, 0.2, np.random.RandomState(0))
    >>> sorted(rounds.often.tolist()), rounds.n_parts
    ([0.5, 1.0], 2)
    """
    n = graph.shape[0]
    order = rng.permutation(n)
    place = np.empty(n, dtype=np.int32)
    place[order] = np.arange(n, dtype=np.int32)
    edges = graph.tocoo()
    most = edges.data.max(initial=0.0)
    kept = (edges.row < edges.col) & (edges.data >= least * most) & (edges.data > 0)
    one, other = place[edges.row[kept]], place[edges.col[kept]]
    heads, tails = np.minimum(one, other), np.maximum(one, other)
    n_parts = count_parts(n)
    part = part_of_each(n, n_parts)
    bucket = part[heads] * n_parts + part[tails]
    by_bucket = np.argsort(bucket * n + heads, kind="stable")
    return EdgeRounds(
        order,
        heads[by_bucket],
        tails[by_bucket],
        (edges.data[kept][by_bucket] / most).astype(np.float32),
        np.searchsorted(bucket[by_bucket], np.arange(n_parts**2 + 1)),
        n_parts,
    )


def count_parts(n_samples: int) -> int:
    """Return into how many parts samples are cut: an even number, whatever the threads.

    Half as many threads find work at a time, and there are as many rounds: more parts make for
    more waiting.

    Examples
    --------
    >>> count_parts(100), count_parts(10_000), count_parts(1_000_000)
    (2, 12, 64)
    """
    return min(max(2 * round(math.sqrt(n_samples) / ROOT_FOR_TWO), 2), MOST_PARTS)


def part_of_each(n_samples: int, n_parts: int) -> Indices:
    """Return the part of each sample: parts follow each other, and differ by one sample at most."""
    ends = np.arange(1, n_parts + 1) * n_samples // n_parts
    return np.searchsorted(ends, np.arange(n_samples), side="right")
