"""A sparse or dense matrix or a networkx graph -> edges in both directions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse

from unprior._typing import Floats, Indices
from unprior._validation import check_numeric


def is_networkx(value: Any) -> bool:
    """Whether this is a graph of networkx, told without importing it."""
    return all(hasattr(value, name) for name in ("nodes", "edges", "adj", "is_directed"))


def read_adjacency(who: str, adjacency: Any) -> tuple[csr_array, dict[Any, int]]:
    """Return the lengths of edges, symmetric, and the number of each node by its name."""
    if is_networkx(adjacency):
        names = {node: number for number, node in enumerate(adjacency.nodes)}
        i, j, lengths = _edges_of(adjacency, names)
    else:
        n_nodes, i, j, lengths = _entries_of(who, adjacency)
        names = {number: number for number in range(n_nodes)}
    _check_lengths(who, i, j, lengths)
    return _both_ways(i, j, lengths, len(names)), names


def _edges_of(network: Any, names: dict[Any, int]) -> tuple[Indices, Indices, Floats]:
    edges = [(names[u], names[v], w) for u, v, w in network.edges(data="weight", default=1)]
    i, j, lengths = zip(*edges, strict=True) if edges else ((), (), ())
    return np.array(i, dtype=np.intp), np.array(j, dtype=np.intp), np.array(lengths, dtype=float)


def _entries_of(who: str, adjacency: Any) -> tuple[int, Indices, Indices, Floats]:
    matrix: Any = adjacency if issparse(adjacency) else check_numeric(who, "adjacency", adjacency)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        message = f"{who}: 'adjacency' takes a square matrix; got shape {matrix.shape}."
        raise ValueError(message)
    if issparse(matrix):
        entries = matrix.tocsr().tocoo()  # sums what is stored twice, as SciPy means it
        return matrix.shape[0], entries.row, entries.col, entries.data.astype(np.float64)
    i, j = np.nonzero((matrix != 0) & ~np.isposinf(matrix))
    return matrix.shape[0], i, j, matrix[i, j].astype(np.float64)


def _check_lengths(who: str, i: Indices, j: Indices, lengths: Floats) -> None:
    bad: NDArray[np.bool_] = ~((lengths >= 0) & (lengths < np.inf))
    if bad.any():
        edge = int(bad.argmax())
        message = (
            f"{who}: 'adjacency' takes lengths of edges, finite and not negative; got "
            f"{lengths[edge]:g} between nodes {i[edge]} and {j[edge]}."
        )
        raise ValueError(message)


def _both_ways(i: Indices, j: Indices, lengths: Floats, n_nodes: int) -> csr_array:
    """Return a symmetric matrix, in which an edge given more than once has its least length."""
    low, high = np.minimum(i, j), np.maximum(i, j)
    order = np.lexsort((lengths, high, low))
    low, high, lengths = low[order], high[order], lengths[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(low) != 0) | (np.diff(high) != 0)
    first &= low != high
    low, high, lengths = low[first], high[first], lengths[first]
    rows, cols = np.concatenate((low, high)), np.concatenate((high, low))
    both = (np.concatenate((lengths, lengths)), (rows, cols))
    return coo_array(both, shape=(n_nodes, n_nodes)).tocsr()
