"""Prior -> points whose straight-line distances give its own, for compiled loops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from unprior._typing import Floats
from unprior.priors._base import Prior
from unprior.priors._cyclic import Cyclic
from unprior.priors._features import Features
from unprior.priors._geo import EARTH_RADIUS, Geo
from unprior.priors._metrics import METRICS


class Curve(IntEnum):
    """What becomes of the straight line between two points."""

    LINE = 0
    ARC = 1
    SQUARE = 2


@dataclass(frozen=True)
class Points:
    """Samples as points: the distance of two is ``unit`` times a curve of their straight line.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_columns)
        Coordinates, C-contiguous, in the precision they came in.
    curve : Curve
        The line itself, the arc of the unit circle above it, or its square.
    unit : float
        Length of one in the prior's own unit.
    """

    values: Floats
    curve: Curve
    unit: float = 1.0

    def in_single(self) -> Points:
        """Return the same points in single precision: half the memory, one compiled loop for all.

        They are centred and scaled before, so that nothing but the last digits is lost.
        """
        values = self.values
        if values.dtype == np.float32:
            return self
        if self.curve is Curve.ARC:
            return replace(self, values=values.astype(np.float32))
        values = values - values.mean(axis=0)
        largest = float(np.abs(values).max()) or 1.0
        values /= largest
        scale = largest**2 if self.curve is Curve.SQUARE else largest
        return Points(values.astype(np.float32), self.curve, self.unit * scale)


def points_of(prior: Prior) -> Points | None:
    """Return a prior as points, or None if its distances are not those of points."""
    if isinstance(prior, Geo):
        return Points(np.ascontiguousarray(prior.vectors), Curve.ARC, EARTH_RADIUS)
    if isinstance(prior, Cyclic):
        angles = prior.values * (2 * np.pi / prior.period)
        circle = np.column_stack((np.cos(angles), np.sin(angles)))
        return Points(circle, Curve.ARC, prior.period / (2 * np.pi))
    if isinstance(prior, Features) and prior.row_metric.measure in ("euclidean", "sqeuclidean"):
        return _feature_points(prior)
    return None


def _feature_points(prior: Features) -> Points:
    metric = prior.row_metric
    if metric == METRICS["euclidean"]:
        # Already points, in their own precision: single stays single.
        return Points(np.ascontiguousarray(prior.values), Curve.LINE)
    values = np.ascontiguousarray(metric.prepare(prior.values))
    if metric == METRICS["haversine"]:
        return Points(values, Curve.ARC)
    if metric.measure == "euclidean":
        return Points(values, Curve.LINE)
    halved = metric.finish is not None
    return Points(values, Curve.SQUARE, 0.5 if halved else 1.0)
