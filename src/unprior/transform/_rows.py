"""Fitted data -> distances of new samples to them, every row by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from unprior._typing import Floats
from unprior._validation import LARGE_SHARE
from unprior.geometry import Curve, PointDistances, SampleDistances
from unprior.geometry._metrics import RowMetric
from unprior.geometry._sphere import arcs


@dataclass(frozen=True, eq=False)
class PointRows:
    """Fitted samples as points in single precision, centred and scaled.

    Attributes
    ----------
    values : ndarray of shape (n_fitted, n_columns), float32
    metric : RowMetric
        Makes points of rows.
    center : ndarray of shape (n_columns,)
    scale : float
        What points are divided by once they are centred.
    curve : int
        The `Curve` that distances are of straight lines.
    unit : float
    """

    values: NDArray[np.float32]
    metric: RowMetric
    center: Floats
    scale: float
    curve: int
    unit: float

    @property
    def n_samples(self) -> int:
        """Number of fitted samples."""
        return len(self.values)

    def to_fitted(self, X: Floats) -> NDArray[np.float32]:
        """Return the distances of new samples to all fitted ones."""
        from unprior.kernels._to_fitted import lines_to

        # One row at a time: a metric may turn rows by a matrix product.
        points = [(self.metric.prepare(row[None]) - self.center) / self.scale for row in X]
        new = _narrow(np.concatenate(points))
        lines = np.empty((len(new), self.n_samples), dtype=np.float32)
        lines_to(new, self.values, lines)
        if self.curve == Curve.ARC:
            for line in lines:
                line[:] = arcs(line)
        elif self.curve == Curve.SQUARE:
            np.square(lines, out=lines)
        lines *= np.float32(self.unit)
        return lines


@dataclass(frozen=True, eq=False)
class MetricRows:
    """Fitted samples under any metric, as it prepares them."""

    values: NDArray[Any]
    metric: RowMetric

    @property
    def n_samples(self) -> int:
        """Number of fitted samples."""
        return len(self.values)

    def to_fitted(self, X: Floats) -> Floats:
        """Return the distances of new samples to all fitted ones."""
        return np.concatenate([self._row(row[None]) for row in X])

    def _row(self, row: Floats) -> Floats:
        metric = self.metric
        found = cdist(metric.prepare(row), self.values, metric.measure, **metric.settings)
        return found if metric.finish is None else metric.finish(found)


@dataclass(frozen=True, eq=False)
class GivenRows:
    """Nothing: distances to the fitted samples come with the new ones."""

    n_samples: int

    def to_fitted(self, X: Floats) -> Floats:
        """Return what was given."""
        return X


FittedRows = PointRows | MetricRows | GivenRows


def keep_rows(distances: SampleDistances) -> FittedRows:
    """Return what has to be kept of fitted samples: points in single precision, or rows."""
    if not isinstance(distances, PointDistances):
        return GivenRows(distances.n_samples)
    metric, points = distances.row_metric, distances.points()
    if points is None:
        return MetricRows(metric.prepare(distances.values), metric)
    center, scale = np.zeros(points.values.shape[1]), 1.0
    if points.curve is not Curve.ARC:
        center = points.values.mean(axis=0, dtype=np.float64)
        spans = points.values.max(axis=0) - points.values.min(axis=0)
        scale = float(spans.max()) or 1.0
    values = np.empty(points.values.shape, dtype=np.float32)
    for start in range(0, len(values), 1024):
        some = slice(start, start + 1024)
        values[some] = (points.values[some] - center) / scale
    stretch = scale**2 if points.curve is Curve.SQUARE else scale
    return PointRows(values, metric, center, scale, int(points.curve), points.unit * stretch)


def _narrow(points: Floats) -> NDArray[np.float32]:
    """Return points in single precision; without distances that overflow, none has neighbours."""
    largest = np.abs(points).max(axis=1, initial=0)
    far = np.flatnonzero(~(largest < LARGE_SHARE * np.sqrt(np.finfo(np.float32).max)))
    if len(far):
        message = (
            f"transform: 'X' holds numbers far beyond those of the fitted samples (first in row "
            f"{far[0]}; {len(far)} rows in all); check their units, or leave these samples out."
        )
        raise ValueError(message)
    return points.astype(np.float32)
