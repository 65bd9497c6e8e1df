"""Distances between samples by a metric between their rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from unprior._typing import Floats, Indices, Metric
from unprior.geometry._base import BLOCK_ENTRIES, SampleDistances, as_rows
from unprior.geometry._farthest import farthest_pair
from unprior.geometry._metrics import FORMULAS, METRICS, RowMetric
from unprior.geometry._points import Curve, Points


@dataclass(frozen=True, eq=False, repr=False)
class RowDistances(SampleDistances):
    """Distances by a metric between rows, which are in memory or stored."""

    #: Number of entries processed at a time.
    entries: ClassVar[int] = BLOCK_ENTRIES

    values: Any
    metric: Metric
    row_metric: RowMetric

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.values)

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        i, j = as_rows(i), as_rows(j)
        distances = np.empty(len(i))
        for some in self.steps(len(i)):
            distances[some] = self.row_metric.pairs(self.values[i[some]], self.values[j[some]])
        return distances

    def steps(self, n_rows: int) -> list[slice]:
        """Return slices of ``n_rows`` rows that are processed at a time."""
        step = self._step
        return [slice(start, start + step) for start in range(0, n_rows, step)]

    @property
    def _step(self) -> int:
        return max(1, self.entries // self.values.shape[1])


@dataclass(frozen=True, eq=False, repr=False)
class PointDistances(RowDistances):
    """Distances by a metric between rows, which are in memory.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_columns)
        The numbers, in their original precision.
    metric : str or callable
        The metric as given by the caller.
    row_metric : RowMetric
        The implementation of the metric.
    """

    kind: ClassVar[str] = "rows"

    values: Floats

    @property
    def euclidean_rows(self) -> Floats | None:
        """The rows, if the metric is Euclidean."""
        return self.values if self.row_metric == METRICS["euclidean"] else None

    @property
    def slow_pairs(self) -> bool:
        """Whether pairs take a Python loop, as the metric has no vectorised formula."""
        measure = self.row_metric.measure
        return not isinstance(measure, str) or measure not in FORMULAS

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        return self.row_metric.block(self.values[as_rows(rows)], self.values[as_rows(cols)])

    def largest(self) -> float:
        """Return the largest distance between two samples."""
        if self.row_metric.measure in ("euclidean", "sqeuclidean"):
            i, j = farthest_pair(self.row_metric.prepare(self.values))
            return float(self.pairs(np.array([i]), np.array([j]))[0])
        return super().largest()

    def points(self) -> Points | None:
        """Return points with these distances, for compiled code; None if there are none."""
        metric = self.row_metric
        if metric.measure not in ("euclidean", "sqeuclidean"):
            return None
        if metric == METRICS["euclidean"]:
            # Kept in their own precision.
            return Points(np.ascontiguousarray(self.values), Curve.LINE)
        values = np.ascontiguousarray(metric.prepare(self.values))
        if metric == METRICS["haversine"]:
            return Points(values, Curve.ARC)
        if metric.measure == "euclidean":
            return Points(values, Curve.LINE)
        halved = metric.finish is not None
        return Points(values, Curve.SQUARE, 0.5 if halved else 1.0)

    def _take(self, rows: Indices) -> Self:
        return replace(self, values=self.values[rows])
