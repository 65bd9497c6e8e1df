"""A metric's name or function, and the rows it is for -> distances in blocks and in pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from unprior._typing import Floats, Metric
from unprior.geometry._metric_rows import (
    as_booleans,
    as_floats,
    as_shares,
    centered_on_unit_sphere,
    on_globe,
    on_unit_sphere,
)
from unprior.geometry._row_pairs import row_distances
from unprior.geometry._sphere import arcs


@dataclass(frozen=True)
class RowMetric:
    """Distances between rows: prepare the rows, measure, finish.

    ``measure`` is what `scipy.spatial.distance.cdist` takes, with ``settings``. Preparing and
    finishing turn other metrics into one that is accurate for close rows and zero for equal ones.
    """

    measure: Metric
    prepare: Callable[[Floats], Any] = as_floats
    finish: Callable[[Floats], Floats] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def block(self, U: Floats, V: Floats) -> Floats:
        """Distances of every row of U to every row of V."""
        distances = cdist(self.prepare(U), self.prepare(V), self.measure, **self.settings)
        return distances if self.finish is None else self.finish(distances)

    def pairs(self, U: Floats, V: Floats) -> Floats:
        """Distances of U[0] to V[0], U[1] to V[1], ..."""
        distances = row_distances(self.measure, self.prepare(U), self.prepare(V), self.settings)
        return distances if self.finish is None else self.finish(distances)


def _half(distances: Floats) -> Floats:
    return distances / 2


def _zero_where_nan(distances: Floats) -> Floats:
    # Rounding can make the divergence of almost equal rows negative, and its root NaN.
    return np.nan_to_num(distances, nan=0.0)


def check_returned(distances: Floats, who: str) -> Floats:
    """Refuse what a function returned that is no distance."""
    bad = ~(np.isfinite(distances) & (distances >= 0))
    if bad.any():
        message = (
            f"{who}: 'metric' takes a function that returns a finite number of 0 or more for any "
            f"two rows; it returned {distances[bad][0]:.3g} for some."
        )
        raise ValueError(message)
    return distances


#: Metrics that need no more than the two rows, by SciPy's names. On the unit sphere the squared
#: Euclidean distance is twice one minus the cosine, without the cancellation.
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
