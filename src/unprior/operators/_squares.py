"""Data distances -> squared distances in units of a scale, and their typical size at neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import Curve, SampleDistances, StoredDistances, draw_landmarks

#: Rank of a near neighbour, and number of samples from which its distance is estimated.
RANK, SAMPLES = 15, 500

#: Smallest width, in squared units, for data in which most samples have duplicates.
LEAST_WIDTH = 1e-12

#: Largest number of distances held at a time (16 MB).
BLOCK_ENTRIES = 2_000_000


@dataclass(frozen=True)
class Squares:
    """Squares data distances, in units of a scale.

    Attributes
    ----------
    scale : float
        The divisor of distances.
    are_squares : bool
        Whether distances are squared Euclidean distances already, as cosine distances are.
    factor : float
        The factor of points whose squared Euclidean distances are these squares.
    """

    scale: float
    are_squares: bool
    factor: float

    @classmethod
    def of(cls, data: SampleDistances, scale: float) -> Squares:
        """Return the squares for given data."""
        points = (data[:1] if isinstance(data, StoredDistances) else data).points()
        if points is None or points.curve is Curve.ARC:
            return cls(scale, are_squares=False, factor=1 / scale)
        unit, are_squares = points.unit / scale, points.curve is Curve.SQUARE
        return cls(scale, are_squares, float(np.sqrt(unit)) if are_squares else unit)

    def __call__(self, distances: Any) -> Any:
        """Return the squares of distances."""
        scaled = distances / self.scale
        return scaled if self.are_squares else scaled**2


def kernel_width(data: SampleDistances, squares: Squares, fraction: float) -> float:
    """Return the width ε: a fraction of the typical squared distance to a near neighbour."""
    return max(fraction * typical_square(data, squares), LEAST_WIDTH)


def typical_square(data: SampleDistances, squares: Squares) -> float:
    """Return the median squared distance to a near neighbour; 0 if all samples are identical."""
    rows = draw_landmarks(data.n_samples, SAMPLES)
    farthest = squares(kth_distances(data, rows, min(RANK, data.n_samples - 1)))
    # If most samples have that many duplicates, the median is 0.
    return float(np.median(farthest)) or float(farthest.mean())


def kth_distances(data: SampleDistances, rows: Indices, k: int) -> Floats:
    """Return the distances of the samples in ``rows`` to their k-th neighbours."""
    nearest: Floats = np.empty((len(rows), 0))
    # Data are read once, in blocks that fit into memory, since they may be on disk.
    step = max(1, BLOCK_ENTRIES // len(rows))
    for start in range(0, data.n_samples, step):
        others = np.arange(start, min(start + step, data.n_samples))
        distances = np.where(rows[:, None] == others, np.inf, data.block(rows, others))
        nearest = np.hstack([nearest, distances])
        nearest = np.partition(nearest, min(k, nearest.shape[1]) - 1, axis=1)[:, :k]
    return np.asarray(nearest.max(axis=1))
