"""The prior of a graph: lengths of shortest paths between the nodes of samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components, dijkstra

from unprior._typing import Floats, Indices
from unprior._validation import check_numeric
from unprior.geometry import BLOCK_ENTRIES, as_rows
from unprior.priors._base import Kind, Prior, Source


@dataclass(frozen=True, eq=False, repr=False)
class Graph(Prior):
    """A graph as a prior: lengths of the shortest paths between the nodes of samples.

    Paths are found on demand.

    Attributes
    ----------
    nodes : ndarray of shape (n_samples,)
        The node of each sample.
    edges : csr_array of shape (n_nodes, n_nodes)
        Lengths of the edges, in both directions.
    unconnected : float
        The distance of samples that no path connects.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior import priors
    >>> priors.graph(np.array([[0, 2, 0], [0, 0, 5], [0, 0, 0]])).pairs([0], [2])
    array([7.])
    """

    kind: ClassVar[str] = "graph"

    nodes: Indices
    edges: csr_array
    unconnected: float

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.nodes)

    @property
    def slow_pairs(self) -> bool:
        """Whether distances of single pairs are too slow to compute at every iteration."""
        return True

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        starts, row = np.unique(self.nodes[as_rows(rows)], return_inverse=True)
        ends, col = np.unique(self.nodes[as_rows(cols)], return_inverse=True)
        if len(ends) < len(starts):
            return self.block(cols, rows).T
        lengths = np.empty((len(starts), len(ends)))
        for some, reached in self._paths_from(starts):
            lengths[some] = reached[:, ends]
        return lengths[np.ix_(row, col)]

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        starts, position = np.unique(self.nodes[as_rows(i)], return_inverse=True)
        ends = self.nodes[as_rows(j)]
        if len(np.unique(ends)) < len(starts):
            return self.pairs(j, i)
        distances = np.empty(len(ends))
        for some, reached in self._paths_from(starts):
            here = (position >= some.start) & (position < some.stop)
            distances[here] = reached[position[here] - some.start, ends[here]]
        return distances

    def _paths_from(self, starts: Indices) -> Iterator[tuple[slice, Floats]]:
        """Yield the lengths of shortest paths to all nodes from blocks of the starts."""
        step = max(1, BLOCK_ENTRIES // self.edges.shape[0])
        for first in range(0, len(starts), step):
            some = slice(first, first + step)
            reached = dijkstra(self.edges, indices=starts[some])
            reached[np.isinf(reached)] = self.unconnected
            yield some, reached

    def _take(self, rows: Indices) -> Graph:
        return replace(self, nodes=self.nodes[rows])


def graph(adjacency: Any, *, nodes: Any = None) -> Graph:
    """Make a prior from a graph.

    Parameters
    ----------
    adjacency : sparse matrix, array of shape (n_nodes, n_nodes), or networkx graph
        Non-negative lengths of the edges. Directions are ignored; if the two directions of an edge
        differ, the shorter counts. In a dense array 0 and infinity mean no edge; in a sparse matrix
        every stored entry is an edge; in a networkx graph the length is the edge's "weight", 1 by
        default.
    nodes : array-like of shape (n_samples,), default=None
        The node of each sample; several samples may share one. Node indices, or for a networkx
        graph the nodes themselves. By default all nodes in order.

    Returns
    -------
    prior : Graph
        Lengths of the shortest paths. Samples that no path connects are all equally far apart:
        twice the largest distance from one node of each component, so at least as far as any path.

    Notes
    -----
    Computing distances of pairs takes a search from each of their nodes, so few distinct nodes are
    quicker.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior import priors
    >>> chain = priors.graph(np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]]))
    >>> chain.block([0], [0, 1, 2])
    array([[0., 1., 3.]])
    """
    edges, names = read_adjacency("graph", adjacency)
    return Graph(_read_nodes(nodes, names), edges, _beyond(edges))


def _read_nodes(nodes: Any, names: dict[Any, int]) -> Indices:
    if nodes is None:
        return np.arange(len(names))
    wanted = np.asarray(nodes).tolist() if hasattr(nodes, "dtype") else list(nodes)
    for sample, node in enumerate(wanted):
        if node not in names:
            message = (
                f"graph: 'nodes' takes nodes of the graph, which has {len(names)}; got {node!r} "
                f"for sample {sample}."
            )
            raise ValueError(message)
    return np.array([names[node] for node in wanted], dtype=np.intp)


def _beyond(edges: csr_array) -> float:
    """Return an upper bound of all path lengths: a detour by one node of each component."""
    _, component = connected_components(edges, directed=False)
    _, one_of_each = np.unique(component, return_index=True)
    reached = dijkstra(edges, indices=one_of_each, min_only=True)
    return 2 * float(reached.max(initial=0)) or 1.0


def is_networkx(value: Any) -> bool:
    """Whether this is a networkx graph, without importing networkx."""
    return all(hasattr(value, name) for name in ("nodes", "edges", "adj", "is_directed"))


def read_adjacency(who: str, adjacency: Any) -> tuple[csr_array, dict[Any, int]]:
    """Return the symmetric matrix of edge lengths, and the index of each node by name."""
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
        entries = matrix.tocsr().tocoo()  # sums duplicate entries, as SciPy defines them
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
    """Return a symmetric matrix, with the least length of an edge given more than once."""
    low, high = np.minimum(i, j), np.maximum(i, j)
    order = np.lexsort((lengths, high, low))
    low, high, lengths = low[order], high[order], lengths[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(low) != 0) | (np.diff(high) != 0)
    first &= low != high
    low, high, lengths = low[first], high[first], lengths[first]
    # SciPy's shortest paths need 32-bit indices before version 1.14.
    low, high = low.astype(np.int32), high.astype(np.int32)
    rows, cols = np.concatenate((low, high)), np.concatenate((high, low))
    both = (np.concatenate((lengths, lengths)), (rows, cols))
    return coo_array(both, shape=(n_nodes, n_nodes)).tocsr()


def _make(source: Source) -> Graph:
    return graph(source.square())


GRAPH = Kind(
    "graph",
    "A.npy:graph",
    _make,
    takes="square",
    square_call="priors.graph(A)",
    recognizes=is_networkx,
    read=graph,
)
