"""Neighbours -> initial map from their graph alone, without the raw data and so the prior."""

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

#: Up to this many samples all eigenvectors are computed.
FEW = 300

#: Lanczos vectors (at least twice the number wanted), iterations and tolerance; enough for a start.
LANCZOS, MAX_ITER, TOLERANCE = 60, 500, 1e-4

#: Pairs drawn to estimate the distance between two components, and SMACOF iterations.
DRAWS, STEPS = 20, 100

#: More components than this (mostly identical samples) are placed at random.
MANY_COMPONENTS = 500

#: Noise that separates samples with the same neighbours, relative to the scale of the start.
NOISE = 1e-4


def graph_start(
    neighbors: KNNGraph,
    distances: PairwiseDistances,
    n_components: int,
    rng: np.random.RandomState,
) -> Floats:
    """Lay out the samples by the leading eigenvectors of a random walk on their neighbour graph.

    Connected components are laid out one by one, and placed by the mean distance between them, in
    the same distances that the neighbours come from.

    Parameters
    ----------
    neighbors : KNNGraph
        Nearest neighbours in ``distances``.
    distances : PairwiseDistances
        The distances to map.
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
    component = connected_components(weights, directed=False)[1]
    order = np.argsort(component, kind="stable")
    ends = np.cumsum(np.bincount(component))
    weights = weights[order][:, order]  # block diagonal
    members = np.split(order, ends[:-1])
    centers, radii = _place(members, distances, n_components, rng)
    start = np.empty((neighbors.n_samples, n_components))
    for some, end, center, radius in zip(members, ends, centers, radii, strict=True):
        square = slice(end - len(some), end)
        start[some] = center + radius * _layout(weights[square, square], n_components, rng)
    start = (start - start.mean(axis=0)) / start.std()
    return start + NOISE * rng.standard_normal(start.shape)


def _affinities(neighbors: KNNGraph) -> csr_matrix:
    """Weight the edges of the graph, 1 for the nearest neighbour, and symmetrise."""
    # ⊖ adds a constant to all distances, so only differences of distances count.
    excess = neighbors.distances - neighbors.distances[:, :1]
    mean = excess.mean(axis=1, keepdims=True)
    weights = np.exp(-excess / np.where(mean > 0, mean, 1))
    n, k = neighbors.indices.shape
    directed = csr_matrix(
        (weights.ravel(), neighbors.indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n)
    )
    return directed + directed.T


def _layout(weights: csr_matrix, n_components: int, rng: np.random.RandomState) -> Floats:
    """Lay out one connected component in [-1, 1]."""
    size = weights.shape[0]
    if size <= n_components + 1:
        return rng.uniform(-1, 1, (size, n_components))
    root = np.sqrt(np.asarray(weights.sum(axis=1)).ravel())
    walk = diags_array(1 / root) @ weights @ diags_array(1 / root)
    vectors = _leading_vectors(walk, n_components + 1, rng)[:, 1:] / root[:, None]
    return vectors / np.abs(vectors).max(axis=0)


def _leading_vectors(walk: csr_matrix, count: int, rng: np.random.RandomState) -> Floats:
    """Return the eigenvectors of the largest eigenvalues, in descending order."""
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
            # The start is only a convenience: a descent works from anywhere.
            vectors = rng.uniform(-1, 1, (size, count))
    return vectors[:, : -count - 1 : -1]


def _place(
    members: Sequence[Indices],
    distances: PairwiseDistances,
    n_components: int,
    rng: np.random.RandomState,
) -> tuple[Floats, Floats]:
    """Return a centre for each component and a radius within which it overlaps no other."""
    if len(members) == 1:
        return np.zeros((1, n_components)), np.ones(1)
    centers: Floats = rng.standard_normal((len(members), n_components))
    if len(members) <= MANY_COMPONENTS:
        between = _mean_distances(members, distances, rng)
        for _ in range(STEPS):
            centers = _reduce_stress(centers, between)
    nearest, _ = KDTree(centers).query(centers, k=2)
    # Layouts fill a cube: at a quarter of the distance, not even their corners overlap.
    return centers, nearest[:, 1] / 4


def _mean_distances(
    members: Sequence[Indices], distances: PairwiseDistances, rng: np.random.RandomState
) -> Floats:
    """Return the mean distance between any two components, from a few pairs."""
    a, b = np.triu_indices(len(members), k=1)
    between = np.zeros((len(members), len(members)))
    for _ in range(DRAWS):
        drawn = np.array([rng.choice(some) for some in members])
        between[a, b] += distances.pairs(drawn[a], drawn[b]) / DRAWS
    return between + between.T


def _reduce_stress(points: Floats, targets: Floats) -> Floats:
    """Do one SMACOF iteration, which moves all points towards the target distances."""
    distances = cdist(points, points)
    ratios = -targets / np.where(distances > 0, distances, 1)
    np.fill_diagonal(ratios, 0)
    np.fill_diagonal(ratios, -ratios.sum(axis=1))
    return ratios @ points / len(points)
