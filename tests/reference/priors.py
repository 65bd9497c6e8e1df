"""Distances of priors, pair by pair: slow, and plain to see."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from unprior._typing import Floats

EARTH_RADIUS = 6371.0088


def all_pairs(samples: Any, distance: Callable[[Any, Any], float]) -> Floats:
    """The matrix of distances between any two of some samples."""
    return np.array([[distance(a, b) for b in samples] for a in samples], dtype=float)


def label_distance(a: object, b: object) -> float:
    return 0.0 if a == b else 1.0


def cyclic_distance(a: float, b: float, period: float) -> float:
    """The least of going there straight and once more round, either way."""
    gap = math.fmod(a - b, period)
    return min(abs(gap + turn * period) for turn in (-1, 0, 1))


def great_circle(a: tuple[float, float], b: tuple[float, float]) -> float:
    """The haversine formula, for (latitude, longitude) in degrees."""
    lat_a, lon_a, lat_b, lon_b = map(math.radians, (*a, *b))
    h = math.sin((lat_a - lat_b) / 2) ** 2
    h += math.cos(lat_a) * math.cos(lat_b) * math.sin((lon_a - lon_b) / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(min(1.0, math.sqrt(h)))


def kernel_distances(K: Floats) -> Floats:
    n = len(K)
    squared = [[K[i, i] + K[j, j] - 2 * K[i, j] for j in range(n)] for i in range(n)]
    return np.sqrt(np.maximum(squared, 0))


def shortest_paths(n_nodes: int, edges: list[tuple[int, int, float]]) -> Floats:
    """Lengths by Floyd and Warshall; infinity where there is no path."""
    D = np.full((n_nodes, n_nodes), np.inf)
    np.fill_diagonal(D, 0)
    for i, j, length in edges:
        D[i, j] = D[j, i] = min(D[i, j], length) if i != j else 0
    for k in range(n_nodes):
        D = np.minimum(D, D[:, [k]] + D[[k], :])
    return D


class RandomTree:
    """A tree of random shape and branch lengths, as Newick text and as a list of branches.

    Attributes
    ----------
    newick : str
    tips : list of str
        In the order of the text.
    distances : ndarray of shape (n_tips, n_tips)
        Path lengths between the tips.
    """

    def __init__(self, n_tips: int, rng: np.random.Generator, *, with_lengths: bool = True) -> None:
        self._rng, self._with_lengths = rng, with_lengths
        self._branches: list[tuple[int, int, float]] = []
        self._n_nodes = 0
        self.tips: list[str] = []
        self._tip_nodes: list[int] = []
        self.newick = self._grow(n_tips)[0] + ";"
        paths = shortest_paths(self._n_nodes, self._branches)
        self.distances = paths[np.ix_(self._tip_nodes, self._tip_nodes)]

    def _grow(self, n_tips: int) -> tuple[str, int]:
        node = self._n_nodes
        self._n_nodes += 1
        if n_tips == 1:
            self.tips.append(f"tip{len(self.tips)}")
            self._tip_nodes.append(node)
            return self.tips[-1], node
        texts = []
        for size in self._split(n_tips):
            text, child = self._grow(size)
            length = float(self._rng.integers(0, 5)) + float(self._rng.random() < 0.5) / 4
            length = length if self._with_lengths else 1.0
            self._branches.append((node, child, length))
            texts.append(f"{text}:{length}" if self._with_lengths else text)
        return f"({','.join(texts)})", node

    def _split(self, n_tips: int) -> list[int]:
        n_parts = int(self._rng.integers(2, min(n_tips, 4) + 1))
        cuts = np.sort(self._rng.choice(np.arange(1, n_tips), n_parts - 1, replace=False))
        return np.diff(np.concatenate(([0], cuts, [n_tips]))).tolist()
