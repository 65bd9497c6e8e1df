"""The prior of positions on a circle, such as hours of the day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unprior._params import Either, Number, OneOf, check_value
from unprior._typing import Floats, Indices
from unprior._validation import check_finite, check_numeric
from unprior.geometry import Curve, Points, as_rows
from unprior.priors._base import Kind, Prior, Source
from unprior.priors._columns import as_dates, in_days
from unprior.priors._reader import Reader
from unprior.priors._row_names import keeps_names

#: Named periods of dates, in days.
PERIODS = {"day": 1.0, "week": 7.0, "year": 365.2425}


@dataclass(frozen=True, eq=False, repr=False)
class Cyclic(Prior):
    """A cyclic quantity as a prior: hours, weekdays, angles, phases of the cell cycle.

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
        a, b = self.values[as_rows(rows)][:, None], self.values[as_rows(cols)]
        return _shorter_way(a, b, self.period)

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        return _shorter_way(self.values[as_rows(i)], self.values[as_rows(j)], self.period)

    def largest(self) -> float:
        """Return the largest distance between two samples."""
        # The sample farthest from another is a neighbour of the opposite point.
        circle = np.sort(self.values)
        after = np.searchsorted(circle, np.mod(circle + self.period / 2, self.period))
        opposite = circle[np.array([after - 1, after % len(circle)])]
        return float(_shorter_way(circle, opposite, self.period).max())

    def points(self) -> Points:
        """Return points on the unit circle, whose arcs are the distances."""
        circle = self.reader().points(self.values)
        return Points(circle, Curve.ARC, self.period / (2 * np.pi))

    def reader(self) -> CyclicReader:
        """Return the reader of positions of new samples on the same circle."""
        return CyclicReader(self.period)

    def column(self) -> tuple[Any, float]:
        """Return the position of each sample, and the period."""
        return self.values, self.period

    def _take(self, rows: Indices) -> Cyclic:
        return Cyclic(self.values[rows], self.period)


@dataclass(frozen=True)
class CyclicReader(Reader):
    """Reads positions on a circle of the same period."""

    reads: ClassVar[type[Cyclic]] = Cyclic
    period: float

    def _values(self, who: str, name: str, prior: Cyclic) -> Floats:
        if prior.period != self.period:
            message = (
                f"{who}: {name!r} takes positions with the period of fit, {self.period:g}; got "
                f"{prior.period:g}; make the prior of new samples with the same period."
            )
            raise ValueError(message)
        return prior.values

    def distances(self, new: Floats, fitted: Floats) -> Floats:
        """Return distances of new samples to fitted ones, the shorter way round."""
        return _shorter_way(new[:, None], fitted, self.period)

    def points(self, values: Floats) -> Floats:
        """Return points on the unit circle."""
        angles = values * (2 * np.pi / self.period)
        return np.column_stack((np.cos(angles), np.sin(angles)))


@keeps_names
def cyclic(v: Any, period: float | str) -> Cyclic:
    """Make a prior from positions on a circle.

    Parameters
    ----------
    v : array-like of shape (n_samples,)
        Positions, which are taken modulo the period; or dates.
    period : float or {"day", "week", "year"}
        Length of the circle: 24 for hours, 7 for weekdays, 360 for degrees. For dates it is in
        days, or a name: "day" for the time of day, "year" for the season.

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
    >>> season = np.array(["2023-12-31", "2025-01-01", "2024-07-01"], dtype="M8[D]")
    >>> priors.cyclic(season, period="year").block([0], [1, 2]).round()
    array([[  2., 182.]])
    """
    check_value("cyclic", "period", period, Either(Number(0, open_low=True), OneOf(*PERIODS)))
    dates = in_days(v)
    if isinstance(period, str) and dates is v:
        message = f"cyclic: 'period' {period!r} takes dates; got other values. Give a number."
        raise ValueError(message)
    values = check_numeric("cyclic", "v", dates).astype(np.float64, copy=False)
    period = float(PERIODS[period] if isinstance(period, str) else period)
    if values.ndim != 1:
        message = f"cyclic: 'v' takes one position for each sample; got shape {values.shape}."
        raise ValueError(message)
    check_finite("cyclic", "v", values)
    return Cyclic(np.mod(values, period), period)


def read_period(where: str, what: str, text: str) -> float | str:
    """Read a period as written in the shell: a number or a name."""
    if text in PERIODS:
        return text
    try:
        return float(text)
    except ValueError:
        message = (
            f"{where}: 'cyclic' takes the length of the circle; write {what}:cyclic=24 for hours, "
            f"or for dates {what}:cyclic=day, week or year."
        )
        raise ValueError(message) from None


def _shorter_way(a: Floats, b: Floats, period: float) -> Floats:
    one_way = np.abs(a - b)
    return np.minimum(one_way, period - one_way)


def _make(source: Source) -> Cyclic:
    (column,) = source.take(1)
    period = read_period(source.where, next(iter(source.columns)), source.value)
    return cyclic(as_dates(column), period)


CYCLIC = Kind("cyclic", "hour:cyclic=24", _make, takes_value=True)
