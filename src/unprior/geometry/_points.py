"""Samples as points whose distances are a simple function of their Euclidean distances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from unprior._typing import Floats


class Curve(IntEnum):
    """Function of the Euclidean distance of two points: itself, the arc above it, or its square."""

    LINE = 0
    ARC = 1
    SQUARE = 2


@dataclass(frozen=True)
class Points:
    """Samples as points: distances are ``unit`` times a function of Euclidean distances.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_columns)
        Coordinates, C-contiguous, in their original precision.
    curve : Curve
        The Euclidean distance itself, the arc of the unit circle above it, or its square.
    unit : float
        Factor that converts it to the unit of the distances.
    """

    values: Floats
    curve: Curve
    unit: float = 1.0

    def in_single(self) -> Points:
        """Return the same points in single precision, to save memory and compiled variants.

        They are centred and scaled first, so that only the last digits are lost.
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
