"""Points whose straight lines, or curves of these, are the distances of samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from unprior._typing import Floats


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
