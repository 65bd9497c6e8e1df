"""Neighbours -> where a map starts, from their graph alone, so that no raw data comes back in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.neighbors import KNNGraph

#: Up to this many samples all eigenvectors are found at once.
FEW = 300

#: Lanczos vectors (twice as many as are wanted, of many), rounds and precision that do for a start.
LANCZOS, MAX_ITER, TOLERANCE = 60, 500, 1e-4

#: Pairs that tell how far two parts of the graph are apart, and steps to place the parts.
DRAWS, STEPS = 20, 100

#: More parts than this (identical samples, mostly) lie anywhere: no map could show their places.
MANY_PARTS = 500

#: Noise that separates samples with the same neighbours, relative to the spread of the start.
NOISE = 1e-4


def graph_start(
    neighbors: KNNGraph,
    distances: PairwiseDistances,
    n_components: int,
    rng: np.random.RandomState,
) -> Floats:
    """Lay out the samples by the slowest modes of a random walk on their neighbour graph.

    A graph that falls apart is laid out part by part. The parts are placed by the mean distance
    between them, in the same distances that the neighbours come from.

    Parameters
    ----------
    neighbors : KNNGraph
        Nearest neighbours in ``distances``.
    distances : PairwiseDistances
        What the map is to show.
    n_components : int
        Dimensions of the map.
    rng : RandomState
        Source of randomness; the same state gives the same start.

    Returns
    -------
    start : ndarray of shape (n_samples, n_components)
        Centred, with a standard deviation of 1.
    """
    weights = _affinities(neighbors)
    part = connected_components(weights, directed=False)[1]
    order, ends = np.argsort(part, kind="stable"), np.cumsum(np.bincount(part))
    weights = weights[order][:, order]  # one square after the other along the diagonal
    members = np.split(order, ends[:-1])
    centers, radii = _place(members, distances, n_components, rng)
    start = np.empty((neighbors.n_samples, n_components))
    for some, end, center, radius in zip(members, ends, centers, radii, strict=True):
        square = slice(end - len(some), end)
        start[some] = center + radius * _layout(weights[square, square], n_components, rng)
    start = (start - start.mean(axis=0)) / start.std()
    return start + NOISE * rng.standard_normal(start.shape)


def _affinities(neighbors: KNNGraph) -> csr_matrix:
    """Weigh the edges of the graph, from 1 to a sample's nearest down to 0, and symmetrise."""
    # ⊖ adds a constant to all distances, so what counts is by how much one is longer than another.
    excess = neighbors.distances - neighbors.distances[:, :1]
    mean = excess.mean(axis=1, keepdims=True)
    weights = np.exp(-excess / np.where(mean > 0, mean, 1))
    n, k = neighbors.indices.shape
    directed = csr_matrix(
        (weights.ravel(), neighbors.indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n)
    )
    return directed + directed.T


def _layout(weights: csr_matrix, n_components: int, rng: np.random.RandomState) -> Floats:
    """Lay out one connected part of the graph in [-1, 1]."""
    size = weights.shape[0]
    if size <= n_components + 1:
        return rng.uniform(-1, 1, (size, n_components))
    root = np.sqrt(np.asarray(weights.sum(axis=1)).ravel())
    walk = diags_array(1 / root) @ weights @ diags_array(1 / root)
    vectors = _leading_vectors(walk, n_components + 1, rng)[:, 1:] / root[:, None]
    return vectors / np.abs(vectors).max(axis=0)


def _leading_vectors(walk: csr_matrix, count: int, rng: np.random.RandomState) -> Floats:
    """Eigenvectors of the largest eigenvalues, the largest first."""
    size = walk.shape[0]
    if size <= FEW:
        vectors = np.linalg.eigh(walk.toarray())[1]
    else:
        first = rng.uniform(-1, 1, size)
        ncv = min(max(LANCZOS, 2 * count), size)
        try:
            vectors = eigsh(
                walk, count, which="LA", v0=first, ncv=ncv, tol=TOLERANCE, maxiter=MAX_ITER
            )[1]
        except ArpackNoConvergence:
            # Where to start is a courtesy: a descent finds its way from anywhere.
            vectors = rng.uniform(-1, 1, (size, count))
    return vectors[:, : -count - 1 : -1]


def _place(
    members: Sequence[Indices],
    distances: PairwiseDistances,
    n_components: int,
    rng: np.random.RandomState,
) -> tuple[Floats, Floats]:
    """Return a centre for each part of the graph and the radius within which it is on its own."""
    if len(members) == 1:
        return np.zeros((1, n_components)), np.ones(1)
    centers: Floats = rng.standard_normal((len(members), n_components))
    if len(members) <= MANY_PARTS:
        between = _mean_distances(members, distances, rng)
        for _ in range(STEPS):
            centers = _less_stress(centers, between)
    nearest, _ = KDTree(centers).query(centers, k=2)
    # Layouts fill a cube: at a quarter of the way, not even their corners meet.
    return centers, nearest[:, 1] / 4


def _mean_distances(
    members: Sequence[Indices], distances: PairwiseDistances, rng: np.random.RandomState
) -> Floats:
    """Mean distance between each two parts, from a few pairs."""
    a, b = np.triu_indices(len(members), k=1)
    between = np.zeros((len(members), len(members)))
    for _ in range(DRAWS):
        drawn = np.array([rng.choice(some) for some in members])
        between[a, b] += distances.pairs(drawn[a], drawn[b]) / DRAWS
    return between + between.T


def _less_stress(places: Floats, wanted: Floats) -> Floats:
    """Move all places once so that their distances come nearer to what is wanted (SMACOF)."""
    apart = cdist(places, places)
    pull = -wanted / np.where(apart > 0, apart, 1)
    np.fill_diagonal(pull, 0)
    np.fill_diagonal(pull, -pull.sum(axis=1))
    return pull @ places / len(places)
