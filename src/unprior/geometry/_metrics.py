"""Metrics between rows: distances in blocks and of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import distance
from scipy.spatial.distance import cdist
from scipy.special import rel_entr

from unprior._typing import Floats, Metric
from unprior.geometry._metric_rows import (
    as_booleans,
    as_floats,
    as_shares,
    centered_on_unit_sphere,
    on_globe,
    on_unit_sphere,
)
from unprior.geometry._sphere import arcs


def row_distances(metric: Any, U: Any, V: Any, settings: Mapping[str, Any]) -> Floats:
    """Return distances of U[0] to V[0], U[1] to V[1], ...; in a loop if there is no formula."""
    if isinstance(metric, str) and metric in FORMULAS:
        return FORMULAS[metric](U, V, **settings)
    function = getattr(distance, metric) if isinstance(metric, str) else metric
    return np.array([function(u, v, **settings) for u, v in zip(U, V, strict=True)], dtype=float)


def _squared(U: Floats, V: Floats) -> Floats:
    gap = U - V
    # NumPy sums a single long row in a different order than several rows.
    rows = np.repeat(gap, 2, axis=0) if len(gap) == 1 else gap
    return np.einsum("ij,ij->i", rows, rows)[: len(gap)]


def _minkowski(U: Floats, V: Floats, p: float, w: Floats | None = None) -> Floats:
    powers = np.abs(U - V) ** p
    return (powers if w is None else powers * w).sum(axis=1) ** (1 / p)


def _canberra(U: Floats, V: Floats) -> Floats:
    size = np.abs(U) + np.abs(V)
    # If both are zero, the term is zero.
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


@dataclass(frozen=True)
class RowMetric:
    """A metric between rows: transform the rows, compute a SciPy metric, transform the result.

    ``measure`` and ``settings`` are passed to `scipy.spatial.distance.cdist`. The transformations
    ``prepare`` and ``finish`` make other metrics accurate for close rows and zero for equal ones.
    """

    measure: Metric
    prepare: Callable[[Floats], Any] = as_floats
    finish: Callable[[Floats], Floats] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def block(self, U: Floats, V: Floats) -> Floats:
        """Return distances of every row of U to every row of V."""
        distances = cdist(self.prepare(U), self.prepare(V), self.measure, **self.settings)
        return distances if self.finish is None else self.finish(distances)

    def pairs(self, U: Floats, V: Floats) -> Floats:
        """Return distances of U[0] to V[0], U[1] to V[1], ..."""
        distances = row_distances(self.measure, self.prepare(U), self.prepare(V), self.settings)
        return distances if self.finish is None else self.finish(distances)


def _half(distances: Floats) -> Floats:
    return distances / 2


def _zero_where_nan(distances: Floats) -> Floats:
    # The divergence of almost equal rows may round to below zero, where its root would be NaN.
    return np.nan_to_num(distances, nan=0.0)


def check_returned(distances: Floats, who: str) -> Floats:
    """Refuse values returned by a function that are not distances."""
    bad = ~(np.isfinite(distances) & (distances >= 0))
    if bad.any():
        message = (
            f"{who}: 'metric' takes a function that returns a finite number of 0 or more for any "
            f"two rows; it returned {distances[bad][0]:.3g} for some."
        )
        raise ValueError(message)
    return distances


#: Metrics without parameters, by SciPy's names. On the unit sphere, the squared Euclidean distance
#: is 2 (1 − cosine), computed without cancellation.
METRICS: dict[str, RowMetric] = {
    "braycurtis": RowMetric("braycurtis"),
    "canberra": RowMetric("canberra"),
    "chebyshev": RowMetric("chebyshev"),
    "cityblock": RowMetric("cityblock"),
    "correlation": RowMetric("sqeuclidean", centered_on_unit_sphere, _half),
    "cosine": RowMetric("sqeuclidean", on_unit_sphere, _half),
    "dice": RowMetric("dice", as_booleans),
    "euclidean": RowMetric("euclidean"),
    "hamming": RowMetric("hamming"),
    "haversine": RowMetric("euclidean", on_globe, arcs),
    "jaccard": RowMetric("jaccard", as_booleans),
    "jensenshannon": RowMetric("jensenshannon", as_shares, _zero_where_nan),
    "rogerstanimoto": RowMetric("rogerstanimoto", as_booleans),
    "russellrao": RowMetric("russellrao", as_booleans),
    "sokalsneath": RowMetric("sokalsneath", as_booleans),
    "sqeuclidean": RowMetric("sqeuclidean"),
    "yule": RowMetric("yule", as_booleans),
}
SYNONYMS = {
    "chebychev": "chebyshev",
    "infinity": "chebyshev",
    "l1": "cityblock",
    "l2": "euclidean",
    "manhattan": "cityblock",
    "matching": "hamming",
    "p": "minkowski",
}
