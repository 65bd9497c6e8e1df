r"""Points and what is taken off their squares -> points whose straight lines tell the rest.

Which samples j have the least :math:`d_{ij}^2 - a_i \cdot b_j` an index of points can tell: give
each j the coordinates :math:`b_j / 2t` and each i, that asks, :math:`t a_i`. Then the square of the
straight line is :math:`d_{ij}^2 - a_i \cdot b_j` and the squared length of both: the one is the
same for all j, and one more coordinate makes the other so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unprior._typing import Floats, Indices


@dataclass(frozen=True, eq=False)
class Lift:
    """What is taken off squared distances: the product of a row of i and a row of j.

    Attributes
    ----------
    asking : ndarray of shape (n_samples, n_axes)
        a, of the samples whose nearest are asked for.
    asked : ndarray of shape (n_samples, n_axes)
        b, of those that are looked up.
    factor : float, default=1.0
        What points are multiplied by: the squares of their distances then have the products' unit.
    """

    asking: Floats
    asked: Floats
    factor: float = 1.0

    def queries(self, points: Floats, samples: Indices) -> Floats:
        """Return the coordinates of points that ask."""
        above = self._stretch * self.asking[samples]
        return np.hstack([points * self.factor, above, np.zeros((len(samples), 1))])

    def indexed(self, points: Floats, samples: Indices) -> Floats:
        """Return the coordinates of points that are looked up."""
        missing = np.sqrt(np.maximum(self._longest - _squared(self.asked[samples]), 0))
        above = np.hstack([self.asked[samples], missing[:, None]]) / (2 * self._stretch)
        return np.hstack([points * self.factor, above])

    @cached_property
    def _longest(self) -> float:
        return float(_squared(self.asked).max())

    @cached_property
    def _stretch(self) -> float:
        """The number t at which no coordinate is larger than it must be."""
        asking = float(_squared(self.asking).max())
        return float((self._longest / asking / 4) ** 0.25) if self._longest and asking else 1.0


def _squared(rows: Floats) -> Floats:
    """Squared length of every row."""
    return np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
