"""A map -> 16-bit numbers and the square they are counted in, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats

#: Steps along the side of the square.
STEPS = 65535


@dataclass(frozen=True, eq=False)
class Quantized:
    """A map in whole numbers.

    Attributes
    ----------
    points : ndarray of shape (n_samples, 2), uint16
        Coordinates, in steps from the lower left corner of the square.
    square : tuple of three floats
        That corner, and the side. Both axes have the same scale.
    """

    points: NDArray[np.uint16]
    square: tuple[float, float, float]


def quantize(Y: Floats) -> Quantized:
    """Count coordinates in steps of a 65535th of the map's larger extent.

    Examples
    --------
    >>> import numpy as np
    >>> found = quantize(np.array([[0.0, 1.0], [4.0, 3.0]]))
    >>> found.square
    (0.0, 0.0, 4.0)
    >>> restore(found).round(3).tolist()
    [[0.0, 1.0], [4.0, 3.0]]
    """
    low, high = Y.min(axis=0), Y.max(axis=0)
    side = float((high - low).max()) or 1.0
    corner = (low + high - side) / 2
    steps = np.rint((Y - corner) * (STEPS / side)).clip(0, STEPS)
    points = np.ascontiguousarray(steps.astype("<u2"))
    return Quantized(points, (float(corner[0]), float(corner[1]), side))


def restore(quantized: Quantized) -> Floats:
    """Return the map, off by at most half a step."""
    x, y, side = quantized.square
    restored: Any = np.array([x, y]) + quantized.points * (side / STEPS)
    return restored
