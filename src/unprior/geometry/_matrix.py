"""A distance matrix -> distances between samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry._base import SampleDistances, as_rows


@dataclass(frozen=True, eq=False, repr=False)
class MatrixDistances(SampleDistances):
    """Distances as they were measured.

    Attributes
    ----------
    matrix : ndarray of shape (n_samples, n_samples)
        The distances, in the precision they came in.
    """

    kind: ClassVar[str] = "distances"

    matrix: Floats

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.matrix)

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        return self.matrix[np.ix_(as_rows(rows), as_rows(cols))].astype(np.float64, copy=False)

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        return self.matrix[as_rows(i), as_rows(j)].astype(np.float64, copy=False)

    def largest(self) -> float:
        """Return the largest distance between two samples."""
        return float(self.matrix.max())

    def _take(self, rows: Indices) -> Self:
        return type(self)(self.matrix[np.ix_(rows, rows)])
