"""Positions on a circle, such as hours of the day -> distances the shorter way round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unprior._params import Number, check_value
from unprior._typing import Floats, Indices
from unprior._validation import check_finite, check_numeric
from unprior.priors._base import Prior, as_rows


@dataclass(frozen=True, eq=False, repr=False)
class Cyclic(Prior):
    """Knowledge that comes round again: hours, weekdays, angles, phases of the cell cycle.

    Attributes
    ----------
    values : ndarray of shape (n_samples,)
        Positions from 0 up to the period.
    period : float
        Length of the circle.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.cyclic([350, 10], period=360).pairs([0], [1])
    array([20.])
    """

    kind: ClassVar[str] = "cyclic"

    values: Floats
    period: float

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.values)

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        return self._between(self.values[as_rows(rows)][:, None], self.values[as_rows(cols)])

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        return self._between(self.values[as_rows(i)], self.values[as_rows(j)])

    def largest(self) -> float:
        """Return the largest distance between two samples."""
        # The farthest from a sample is next to the point opposite, on one side or the other.
        circle = np.sort(self.values)
        after = np.searchsorted(circle, np.mod(circle + self.period / 2, self.period))
        beside = circle[np.array([after - 1, after % len(circle)])]
        return float(self._between(circle, beside).max())

    def _between(self, a: Floats, b: Floats) -> Floats:
        one_way = np.abs(a - b)
        return np.minimum(one_way, self.period - one_way)

    def _take(self, rows: Indices) -> Cyclic:
        return Cyclic(self.values[rows], self.period)


def cyclic(v: Any, period: float) -> Cyclic:
    """Make a prior of positions on a circle.

    Parameters
    ----------
    v : array-like of shape (n_samples,)
        Positions, any number of times round.
    period : float
        Length of the circle: 24 for hours, 7 for weekdays, 360 for degrees.

    Returns
    -------
    prior : Cyclic
        Distances the shorter way round, at most half the period.

    Examples
    --------
    >>> from unprior import priors
    >>> hour = priors.cyclic([23.0, 1.0, 12.0], period=24)
    >>> hour.block([0], [1, 2])
    array([[ 2., 11.]])
    """
    check_value("cyclic", "period", period, Number(0, open_low=True))
    values = check_numeric("cyclic", "v", v).astype(np.float64, copy=False)
    if values.ndim != 1:
        message = f"cyclic: 'v' takes one position for each sample; got shape {values.shape}."
        raise ValueError(message)
    check_finite("cyclic", "v", values)
    return Cyclic(np.mod(values, period), float(period))
