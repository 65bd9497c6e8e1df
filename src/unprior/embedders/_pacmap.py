"""PaCMAP on given neighbours: draws its near, mid-near and further pairs, and fits the map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unprior._random import as_generator
from unprior._threads import compiled_threads
from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.neighbors import KNNGraph
from unprior.optimize._graph_start import graph_start

#: PaCMAP's defaults: neighbours per sample, and mid-near and further pairs per neighbour.
N_NEIGHBORS, MN_RATIO, FP_RATIO = 10, 0.5, 2.0

#: Extra neighbours to choose from, and the ranks whose mean distance is the local scale.
EXTRA, LOCAL = 50, slice(3, 6)

#: A mid-near pair is the second nearest of this many random samples.
DRAWN = 6


@dataclass(frozen=True)
class PaCMAP:
    """PaCMAP with pairs drawn by given distances and an initial map from them, without the data."""

    n_components: int
    params: Mapping[str, Any]
    n_jobs: int | None
    verbose: int

    reserved: ClassVar = ("distance", "n_components", "pair_FP", "pair_MN", "pair_neighbors")
    extra: ClassVar = ("init",)  # a setting of its fit

    @staticmethod
    def model() -> Any:
        """Return PaCMAP's class, or say how to install it."""
        try:
            from pacmap import PaCMAP as Model
        except ImportError as error:
            message = (
                'Confetti: embedder="pacmap" needs the package pacmap, which is not installed; '
                'pip install "unprior[pacmap]".'
            )
            raise ImportError(message) from error
        return Model

    @property
    def neighbors_wanted(self) -> int:
        """Default number of neighbours of each sample."""
        return int(self.params.get("n_neighbors", N_NEIGHBORS)) + EXTRA

    def embed(
        self, neighbors: KNNGraph, distances: PairwiseDistances, random_state: Any
    ) -> tuple[Any, Floats]:
        """Return the fitted pacmap.PaCMAP and its map."""
        rng = as_generator(random_state)
        params = {"verbose": bool(self.verbose), **self.params}
        init = params.pop("init", None)
        sizes = count_pairs(
            neighbors,
            params.pop("n_neighbors", N_NEIGHBORS),
            params.pop("MN_ratio", MN_RATIO),
            params.pop("FP_ratio", FP_RATIO),
        )
        near, middle, far = draw_pairs(neighbors, distances, sizes, rng)
        if init is None:
            init = graph_start(neighbors, distances, self.n_components, rng)
        elif isinstance(init, str):
            init = rng.standard_normal((neighbors.n_samples, self.n_components))
        fitted = self.model()(
            self.n_components,
            n_neighbors=sizes[0],
            MN_ratio=sizes[1] / sizes[0],
            FP_ratio=sizes[2] / sizes[0],
            pair_neighbors=near,
            pair_MN=middle,
            pair_FP=far,
            **params,
        )
        with compiled_threads(self.n_jobs):
            # With all pairs and an initial map given, it uses only the shape of the data.
            fitted.fit(np.eye(neighbors.n_samples, self.n_components), init=np.asarray(init))
        return fitted, fitted.embedding_


def count_pairs(
    neighbors: KNNGraph, n_neighbors: int, mn_ratio: float, fp_ratio: float
) -> tuple[int, int, int]:
    """Return the number of near, mid-near and further pairs per sample; fewer for few samples."""
    n = neighbors.n_samples
    room = int((n - 1) / (1 + mn_ratio + fp_ratio))
    near = max(1, min(n_neighbors, neighbors.k, room, n - 2))
    middle, far = round(near * mn_ratio), round(near * fp_ratio)
    return near, min(middle, n - 2), max(1, min(far, n - 1 - near))


def draw_pairs(
    neighbors: KNNGraph,
    distances: PairwiseDistances,
    sizes: tuple[int, int, int],
    rng: np.random.RandomState,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Draw near, mid-near and further pairs as PaCMAP does, each (n_samples * size, 2)."""
    n_near, n_middle, n_far = sizes
    near = scaled_nearest(neighbors, n_near)
    own = np.arange(neighbors.n_samples)[:, None]
    middle = own
    for _ in range(n_middle):
        middle = np.hstack([middle, _second_nearest(middle, distances, rng)])
    far = draw_others(np.hstack([own, near]), n_far, rng)
    return _as_pairs(near), _as_pairs(middle[:, 1:]), _as_pairs(far)


def scaled_nearest(neighbors: KNNGraph, size: int) -> Indices:
    """Return the nearest neighbours by distances scaled by the local scales of both ends."""
    typical = neighbors.distances[:, LOCAL] if neighbors.k > LOCAL.start else neighbors.distances
    local = np.maximum(typical.mean(axis=1), np.finfo(np.float32).tiny)
    scaled = neighbors.distances**2 / local[:, None] / local[neighbors.indices]
    order = np.argsort(scaled, axis=1, kind="stable")[:, :size]
    return np.take_along_axis(neighbors.indices, order, axis=1)


def _second_nearest(
    taken: Indices, distances: PairwiseDistances, rng: np.random.RandomState
) -> Indices:
    """Draw a few samples for each one, and return the second nearest of them."""
    n = len(taken)
    drawn = draw_others(taken, min(DRAWN, n - taken.shape[1]), rng)
    size = drawn.shape[1]
    lengths = distances.pairs(np.repeat(np.arange(n), size), drawn.ravel()).reshape(n, size)
    second = np.argsort(lengths, axis=1, kind="stable")[:, 1:2]
    return np.take_along_axis(drawn, second, axis=1)


def draw_others(taken: Indices, size: int, rng: np.random.RandomState) -> Indices:
    """Draw distinct samples for each row of ``taken``, none of them in the row."""
    n, n_taken = taken.shape
    drawn = rng.randint(n, size=(n, size))
    rows = np.arange(n)
    while len(rows):
        again = _repeats(np.hstack([taken[rows], drawn[rows]]))[:, n_taken:]
        row, column = np.nonzero(again)
        drawn[rows[row], column] = rng.randint(n, size=len(row))
        rows = rows[again.any(axis=1)]
    return drawn


def _repeats(rows: Indices) -> NDArray[np.bool_]:
    """Whether each entry also occurs further left in its row."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    repeats = np.zeros(rows.shape, dtype=bool)
    np.put_along_axis(repeats, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
    return repeats


def _as_pairs(partners: Indices) -> NDArray[np.int32]:
    own = np.repeat(np.arange(len(partners)), partners.shape[1])
    return np.column_stack((own, partners.ravel())).astype(np.int32)
