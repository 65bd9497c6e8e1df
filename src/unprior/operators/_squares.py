"""Data distances -> their squares, in units of a scale, and how large those of near samples are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import Curve, SampleDistances, StoredDistances, draw_landmarks

#: The rank of a near neighbour, and samples that tell how far away it is.
RANK, ASKED = 15, 500

#: The least width, in squared units: where most samples have twins.
LEAST_WIDTH = 1e-12

#: Distances that are held at a time (16 MB of float64).
BLOCK_ENTRIES = 2_000_000


@dataclass(frozen=True)
class Squares:
    """Turns data distances into squares, in units of a scale.

    Attributes
    ----------
    scale : float
        What distances are divided by.
    are_squares : bool
        Whether distances are squares of straight lines already, as cosine distances are.
    factor : float
        What points are multiplied by, for squared straight lines that are these squares.
    """

    scale: float
    are_squares: bool
    factor: float

    @classmethod
    def of(cls, data: SampleDistances, scale: float) -> Squares:
        """Return the squares of some data."""
        points = (data[:1] if isinstance(data, StoredDistances) else data).points()
        if points is None or points.curve is Curve.ARC:
            return cls(scale, are_squares=False, factor=1 / scale)
        unit, are_squares = points.unit / scale, points.curve is Curve.SQUARE
        return cls(scale, are_squares, float(np.sqrt(unit)) if are_squares else unit)

    def __call__(self, distances: Any) -> Any:
        """Return the squares of distances."""
        scaled = distances / self.scale
        return scaled if self.are_squares else scaled**2


def near_width(data: SampleDistances, squares: Squares, part: float) -> float:
    """Return a part of the usual square of a near neighbour: the width at which few are near."""
    return max(part * usual_square(data, squares), LEAST_WIDTH)


def usual_square(data: SampleDistances, squares: Squares) -> float:
    """Return the usual square of a near neighbour, or 0 if nearly all samples are identical."""
    some = draw_landmarks(data.n_samples, ASKED)
    farthest = squares(kth_distances(data, some, min(RANK, data.n_samples - 1)))
    # Where most samples have as many twins, the others tell.
    return float(np.median(farthest)) or float(farthest.mean())


def kth_distances(data: SampleDistances, some: Indices, k: int) -> Floats:
    """Return the distances of some samples to their k-th neighbours."""
    nearest: Floats = np.empty((len(some), 0))
    # All are read once, however few of them fit into memory: that matters if they are on disk.
    step = max(1, BLOCK_ENTRIES // len(some))
    for start in range(0, data.n_samples, step):
        others = np.arange(start, min(start + step, data.n_samples))
        distances = np.where(some[:, None] == others, np.inf, data.block(some, others))
        nearest = np.hstack([nearest, distances])
        nearest = np.partition(nearest, min(k, nearest.shape[1]) - 1, axis=1)[:, :k]
    return np.asarray(nearest.max(axis=1))
