r"""Points with scalar products to subtract -> points whose Euclidean distances include these.

An index of points can find the samples j with the smallest :math:`d_{ij}^2 - a_i \cdot b_j`: append
the coordinates :math:`b_j / 2t` to each j, and :math:`t a_i` to each query i. Then the squared
Euclidean distance is :math:`d_{ij}^2 - a_i \cdot b_j` plus the squared lengths of what was
appended. What is appended to i is the same for all j, and one more coordinate gives all j the same
length. (This reduces search by inner product to search by distance.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unprior._typing import Floats, Indices


@dataclass(frozen=True, eq=False)
class Lift:
    """What is subtracted from squared distances: the scalar product of a row of i and a row of j.

    Attributes
    ----------
    query_rows : ndarray of shape (n_samples, n_axes)
        a, of the samples as queries.
    indexed_rows : ndarray of shape (n_samples, n_axes)
        b, of the samples as indexed points.
    factor : float, default=1.0
        Factor of the points, so that their squared distances have the unit of the products.
    """

    query_rows: Floats
    indexed_rows: Floats
    factor: float = 1.0

    def queries(self, points: Floats, samples: Indices) -> Floats:
        """Return the points of queries with the appended coordinates."""
        appended = self._stretch * self.query_rows[samples]
        return np.hstack([points * self.factor, appended, np.zeros((len(samples), 1))])

    def indexed(self, points: Floats, samples: Indices) -> Floats:
        """Return the points to index with the appended coordinates."""
        rows = self.indexed_rows[samples]
        missing = np.sqrt(np.maximum(self._longest - _squared(rows), 0))
        appended = np.hstack([rows, missing[:, None]]) / (2 * self._stretch)
        return np.hstack([points * self.factor, appended])

    @cached_property
    def _longest(self) -> float:
        return float(_squared(self.indexed_rows).max())

    @cached_property
    def _stretch(self) -> float:
        """The number t that makes the longest appended rows of both kinds equally long."""
        queries = float(_squared(self.query_rows).max())
        return float((self._longest / queries / 4) ** 0.25) if self._longest and queries else 1.0


def _squared(rows: Floats) -> Floats:
    """Return the squared length of every row."""
    return np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
