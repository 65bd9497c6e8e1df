"""Neighbour graphs in scanpy's format: distances and connectivities."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.sparse import csr_matrix

from unprior._threads import compiled_threads
from unprior.neighbors import KNNGraph


def scanpy_graphs(graph: csr_matrix, k: int, *, n_jobs: int | None) -> dict[str, csr_matrix]:
    """Return the "distances" and "connectivities" of the k nearest neighbours in a graph."""
    neighbors = nearest(graph, k)
    return {
        "distances": distances(neighbors),
        "connectivities": connectivities(neighbors, n_jobs),
    }


def nearest(graph: csr_matrix, k: int) -> KNNGraph:
    """Return the k nearest neighbours of each sample in a graph, excluding the sample itself."""
    n = graph.shape[0]
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    others = graph.indices != rows
    rows, columns, lengths = rows[others], graph.indices[others], graph.data[others]
    starts = np.r_[0, np.cumsum(np.bincount(rows, minlength=n))]
    order = np.lexsort((lengths, rows))
    chosen = order[np.arange(len(rows)) - starts[rows] < k]
    return KNNGraph(columns[chosen].reshape(n, k), lengths[chosen].reshape(n, k))


def distances(neighbors: KNNGraph) -> csr_matrix:
    """Return the distances to the neighbours, without self-loops."""
    return _as_matrix(neighbors.indices, neighbors.distances)


def distances_with_self(neighbors: KNNGraph) -> csr_matrix:
    """Return the distances with the sample itself first in its row, at distance zero."""
    return _as_matrix(*neighbors.with_self())


def connectivities(neighbors: KNNGraph, n_jobs: int | None) -> csr_matrix:
    """Return UMAP's edge weights, symmetric and in (0, 1]."""
    with warnings.catch_warnings(), compiled_threads(n_jobs):
        warnings.filterwarnings("ignore", "Tensorflow not installed", ImportWarning)
        from umap.umap_ import fuzzy_simplicial_set

        indices, lengths = neighbors.with_self()
        weights, _, _ = fuzzy_simplicial_set(
            np.zeros((neighbors.n_samples, 1)),
            neighbors.k + 1,  # umap-learn counts the sample itself
            None,
            "precomputed",
            knn_indices=indices,
            knn_dists=lengths.astype(np.float32),
        )
    return csr_matrix(weights)


def _as_matrix(indices: np.ndarray, lengths: np.ndarray) -> csr_matrix:
    n, k = indices.shape
    starts = np.arange(0, n * k + 1, k)
    return csr_matrix((lengths.ravel(), indices.ravel(), starts), shape=(n, n))
