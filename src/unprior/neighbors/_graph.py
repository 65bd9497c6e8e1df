"""Neighbours of every sample as one checked record, and in the forms other libraries use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from unprior._typing import Floats, Indices


@dataclass(frozen=True, eq=False)
class KNNGraph:
    """The k nearest neighbours of every sample, nearest first, without the sample itself.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, k)
        Neighbours of each sample.
    distances : ndarray of shape (n_samples, k)
        Distances to them, ascending in each row.
    recall : float, default=1.0
        Fraction of the true neighbours among them, as estimated on sampled queries; 1 if all pairs
        were compared.

    Examples
    --------
    >>> import numpy as np
    >>> graph = KNNGraph(np.array([[1], [0], [1]]), np.array([[1.0], [1.0], [2.0]]))
    >>> graph.to_sparse().toarray()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """

    indices: Indices
    distances: Floats
    recall: float = 1.0

    def __post_init__(self) -> None:
        problem = _first_problem(self.indices, self.distances)
        if problem:
            message = f"KNNGraph: {problem}."
            raise ValueError(message)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.indices.shape[0])

    @property
    def k(self) -> int:
        """Number of neighbours of each sample, not counting itself."""
        return int(self.indices.shape[1])

    @property
    def hubness(self) -> float:
        """Skewness of the number of times that a sample is a neighbour of others."""
        counts = np.bincount(self.indices.ravel(), minlength=self.n_samples) - self.k
        spread = np.sqrt(np.mean(counts.astype(np.float64) ** 2))
        return float(np.mean((counts / spread) ** 3)) if spread else 0.0

    def with_self(self) -> tuple[Indices, Floats]:
        """Return indices and distances with each sample as its own nearest, at distance 0."""
        samples = np.arange(self.n_samples)[:, None]
        zeros = np.zeros((self.n_samples, 1), dtype=self.distances.dtype)
        return np.hstack([samples, self.indices]), np.hstack([zeros, self.distances])

    def to_sparse(self) -> csr_matrix:
        """Return the symmetric graph of all edges, as scikit-learn's "precomputed" takes it.

        Two samples have an edge if either is among the nearest of the other; it has the same length
        in both directions. Each row is stored nearest first, beginning with the sample itself at
        distance zero, as scikit-learn and umap-learn expect. Edges between identical samples are
        stored too.
        """
        n = self.n_samples
        indices, distances = self.with_self()
        i, j, length = np.repeat(np.arange(n), self.k + 1), indices.ravel(), distances.ravel()
        places, lengths = np.r_[i * n + j, j * n + i], np.r_[length, length]
        order = np.argsort(places, kind="stable")
        places, lengths = places[order], lengths[order]
        first = np.flatnonzero(np.r_[True, places[1:] != places[:-1]])
        # The two directions of an edge may differ by rounding: both get the shorter length.
        lengths = np.minimum.reduceat(lengths, first)
        rows, columns = np.divmod(places[first], n)
        order = np.lexsort((columns != rows, lengths, rows))
        starts = np.r_[0, np.cumsum(np.bincount(rows, minlength=n))]
        return csr_matrix((lengths[order], columns[order], starts), shape=(n, n))


def _first_problem(indices: Any, distances: Any) -> str | None:
    """Say what is wrong with the arrays of a graph, None if nothing is."""
    if indices.ndim != 2 or indices.shape != distances.shape:
        return (
            f"indices and distances share one shape, (n, k); got {indices.shape}, {distances.shape}"
        )
    n, k = indices.shape
    if not 1 <= k < n:
        return f"{n} samples have 1 to {n - 1} neighbours each; got {k}"
    if indices.min() < 0 or indices.max() >= n:
        return f"neighbours are samples 0 to {n - 1}; got {indices.min()} to {indices.max()}"
    if (indices == np.arange(n)[:, None]).any():
        return "a sample is not its own neighbour; leave the column of samples themselves out"
    if not (distances[:, 1:] >= distances[:, :-1]).all() or not (distances[:, 0] >= 0).all():
        return "distances of each row ascend from 0 or more"
    return None
