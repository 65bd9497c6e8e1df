"""Distances from new samples to the fitted ones.

Each row is computed independently, so it has the same bits in any batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from unprior._typing import Floats
from unprior._validation import LARGE_SHARE
from unprior.geometry import Curve, PointDistances, RowMetric, SampleDistances, arcs

#: Number of distances in a block (16 MB of float32).
BLOCK_ENTRIES = 4_000_000

#: Units of distances, and of squared ones, in which these fit into single precision.
LEAST_UNIT, MOST_UNIT = 1e-15, (1e15, 1.0)


@dataclass(frozen=True, eq=False)
class FittedPoints:
    """Fitted samples as points of a Euclidean space, in single precision.

    Attributes
    ----------
    values : ndarray of shape (n_fitted, n_columns), float32
        The points, centred and scaled.
    metric : RowMetric
        Turns rows into points.
    center : ndarray of shape (n_columns,)
    scale : float
        The divisor of centred points.
    curve : int
        The `Curve` that turns Euclidean distances between points into distances.
    unit : float
        The factor of distances.
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

    def distances(self, X: Floats) -> Floats:
        """Return the distances of new samples to all fitted ones."""
        from unprior.kernels._to_fitted import euclidean_distances

        # One row at a time: a metric may rotate rows by a matrix product.
        points = [(self.metric.prepare(row[None]) - self.center) / self.scale for row in X]
        new = _in_single_precision(np.concatenate(points))
        if new.shape[1] != self.values.shape[1]:  # of a damaged model; the loop checks no bounds
            message = (
                f"transform: 'X' takes rows of {self.values.shape[1]} numbers, as the fitted "
                f"samples have; got {new.shape[1]}."
            )
            raise ValueError(message)
        lengths = np.empty((len(new), self.n_samples), dtype=np.float32)
        euclidean_distances(new, self.values, lengths)
        if self.curve == Curve.ARC:
            for row in lengths:
                row[:] = arcs(row)
        elif self.curve == Curve.SQUARE:
            np.square(lengths, out=lengths)
        if LEAST_UNIT <= self.unit <= MOST_UNIT[self.curve == Curve.SQUARE]:
            lengths *= np.float32(self.unit)
            return lengths
        return lengths.astype(np.float64) * self.unit


@dataclass(frozen=True, eq=False)
class FittedRows:
    """Fitted samples under a metric that has no points, as the metric prepares them."""

    values: NDArray[Any]
    metric: RowMetric

    @property
    def n_samples(self) -> int:
        """Number of fitted samples."""
        return len(self.values)

    def distances(self, X: Floats) -> Floats:
        """Return the distances of new samples to all fitted ones."""
        return np.concatenate([self._row(row[None]) for row in X])

    def _row(self, row: Floats) -> Floats:
        metric = self.metric
        found = cdist(metric.prepare(row), self.values, metric.measure, **metric.settings)
        return found if metric.finish is None else metric.finish(found)


@dataclass(frozen=True, eq=False)
class Precomputed:
    """Distances to the fitted samples are given with the new samples; nothing is kept."""

    n_samples: int

    def distances(self, X: Floats) -> Floats:
        """Return the distances as they were given."""
        # Loops would be compiled again for other layouts.
        return np.require(X, requirements=["C", "W"])


FittedData = FittedPoints | FittedRows | Precomputed


def keep_data(distances: SampleDistances) -> FittedData:
    """Return what distances to fitted samples need: points in single precision, or rows."""
    if not isinstance(distances, PointDistances):
        return Precomputed(distances.n_samples)
    metric, points = distances.row_metric, distances.points()
    if points is None:
        return FittedRows(metric.prepare(distances.values), metric)
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
    return FittedPoints(values, metric, center, scale, int(points.curve), points.unit * stretch)


def _in_single_precision(points: Floats) -> NDArray[np.float32]:
    """Return points in single precision; refuse those whose distances would overflow."""
    largest = np.abs(points).max(axis=1, initial=0)
    far = np.flatnonzero(~(largest < LARGE_SHARE * np.sqrt(np.finfo(np.float32).max)))
    if len(far):
        message = (
            f"transform: 'X' holds numbers far beyond those of the fitted samples (first in row "
            f"{far[0]}; {len(far)} rows in all); check their units, or leave these samples out."
        )
        raise ValueError(message)
    return points.astype(np.float32)


def blocks(n_new: int, n_fitted: int) -> Iterator[slice]:
    """Yield blocks of new samples with a limited number of distances to the fitted ones."""
    step = max(1, BLOCK_ENTRIES // n_fitted)
    return (slice(start, start + step) for start in range(0, n_new, step))
