"""Two arrays of rows -> distances row by row, in the metrics worth a formula of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import distance
from scipy.special import rel_entr

from unprior._typing import Floats


def row_distances(metric: Any, U: Any, V: Any, settings: Mapping[str, Any]) -> Floats:
    """Distances of U[0] to V[0], U[1] to V[1], ...; a metric without a formula takes a loop."""
    if isinstance(metric, str) and metric in FORMULAS:
        return FORMULAS[metric](U, V, **settings)
    function = getattr(distance, metric) if isinstance(metric, str) else metric
    return np.array([function(u, v, **settings) for u, v in zip(U, V, strict=True)], dtype=float)


def _squared(U: Floats, V: Floats) -> Floats:
    gap = U - V
    # NumPy adds up a single row of many thousand columns in another order than one of several.
    rows = np.repeat(gap, 2, axis=0) if len(gap) == 1 else gap
    return np.einsum("ij,ij->i", rows, rows)[: len(gap)]


def _minkowski(U: Floats, V: Floats, p: float, w: Floats | None = None) -> Floats:
    powers = np.abs(U - V) ** p
    return (powers if w is None else powers * w).sum(axis=1) ** (1 / p)


def _canberra(U: Floats, V: Floats) -> Floats:
    size = np.abs(U) + np.abs(V)
    # Where both are zero they are equal, and their term is zero.
    return (np.abs(U - V) / np.where(size > 0, size, 1)).sum(axis=1)


def _jaccard(U: NDArray[np.bool_], V: NDArray[np.bool_]) -> Floats:
    return (U ^ V).sum(axis=1) / np.maximum((U | V).sum(axis=1), 1)


def _jensen_shannon(U: Floats, V: Floats) -> Floats:
    middle = (U + V) / 2
    divergence = (rel_entr(U, middle) + rel_entr(V, middle)).sum(axis=1) / 2
    return np.sqrt(np.maximum(divergence, 0))


FORMULAS: dict[str, Callable[..., Floats]] = {
    "braycurtis": lambda U, V: np.abs(U - V).sum(axis=1) / np.abs(U + V).sum(axis=1),
    "canberra": _canberra,
    "chebyshev": lambda U, V: np.abs(U - V).max(axis=1),
    "cityblock": lambda U, V: np.abs(U - V).sum(axis=1),
    "euclidean": lambda U, V: np.sqrt(_squared(U, V)),
    "hamming": lambda U, V: (U != V).mean(axis=1),
    "jaccard": _jaccard,
    "jensenshannon": _jensen_shannon,
    "minkowski": _minkowski,
    "sqeuclidean": _squared,
}
