"""Squared data distances less potentials -> distances under which every cell is equally near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.distances._potentials import Potentials
from unprior.neighbors._tiled import Found
from unprior.neighbors._tiles import EPS, BlockTiles, Lines, Places, Single
from unprior.priors import Prior

#: Share of each number that makes up for sums of a few of them in single precision.
ROUNDED = 16 * EPS

#: What single precision may lose below its range.
LEAST = 4 * float(np.finfo(np.float32).tiny)


@dataclass(frozen=True, eq=False)
class Balanced:
    r"""The balancing ⊖: neighbours of every sample have the prior of all, and none is a hub.

    Potentials g, for each sample and each cell of the prior, are subtracted from squared distances:
    :math:`x_{ij} = d_{ij}^2 - \eta (g_i(c_j) + g_j(c_i))`. At full strength η = 1 this is
    :math:`-\varepsilon \log p_{ij}`, with a nearness p of which every cell gets its share. Those of
    several priors add up. The distance is the root of x, bent a little so that nothing is negative.

    Attributes
    ----------
    data_scale, strength : float
    potentials : Potentials
    """

    data_scale: float
    strength: float
    potentials: Potentials

    def __call__(self, data: Floats, known: Sequence[Floats]) -> Floats:
        """Subtract the sums of both potentials from squared data distances of the same pairs."""
        rest = (data / self.data_scale) ** 2 - self.strength * known[0]
        # The upper branch of a hyperbola: never negative, and the rest itself where that is large.
        bend = 2 * self.strength * self.potentials.width
        above = np.abs(rest) + np.hypot(rest, bend)
        # Below zero the two would cancel, but what their sum times their difference is, is known.
        np.divide(bend**2, above, out=above, where=rest < 0)
        return np.asarray(np.sqrt(above / 2))

    def look(self, lines: Lines, priors: Sequence[Prior], order: Indices) -> BalancedLook:
        """Prepare a look at scaled data distances, for samples in an order."""
        errors, relative = _square_errors(lines)
        if len(self.potentials.kin):
            relative = ROUNDED
        # In the order of the places, so that those of a tile are found side by side.
        shifts = np.asarray(self.potentials.values[order], dtype=np.float32)
        shifts *= np.float32(-self.strength)
        table, crossed = np.unique(self.potentials.cells, axis=1, return_inverse=True)
        crossed = crossed.ravel()[order]
        return BalancedLook(self, lines, errors, relative, shifts, table, crossed, order)

    def arrange(self, order: Indices) -> Indices:
        """Put samples of a cell one after another: the same shifts go for many of them."""
        return order[np.lexsort(self.potentials.cells[::-1, order])]


def _square_errors(lines: Lines) -> tuple[Single, float]:
    """Bound how far squared distances may be off, each with the sums they enter.

    By no more than the error of the row, plus that of the column, plus a share of the square. None
    depends on other samples: an outlier is a trouble to itself alone.
    """
    if isinstance(lines.tiles, BlockTiles):
        # Distances to the last bit, rounded once.
        return np.full(len(lines.errors), LEAST, dtype=np.float32), ROUNDED
    # Errors go with |a|², of which the largest is a quarter of the largest square.
    share = lines.errors / np.float64(lines.errors.max())
    if lines.square:
        errors = lines.errors + ROUNDED / 4 * lines.largest**2 * share
    else:
        # The square of a number up to 2 (|a|² + |b|²) that is off by e is off by 2 e times it.
        errors = (2.5 * lines.errors + ROUNDED / 2 * lines.largest * share) * lines.largest * share
    return np.asarray(errors + LEAST, dtype=np.float32), 0.0


@dataclass(frozen=True, eq=False)
class BalancedLook:
    """Finds candidates by squared distances, which each pair's potentials shift.

    Attributes
    ----------
    operator : Balanced
    lines : Lines
    errors : ndarray of shape (n_samples,)
    relative : float
        No shifted square is off by more than the error of its row plus that of its column, plus
        this share of the square.
    shifts : ndarray of shape (n_samples, n_cells)
        What potentials add to squares, for each place in the order.
    table : ndarray of shape (n_priors, n_combinations)
        The cells of each combination that there is.
    crossed : ndarray of shape (n_samples,)
        The combination of every sample.
    order : ndarray of shape (n_samples,)
    """

    operator: Balanced
    lines: Lines
    errors: Single
    relative: float
    shifts: Single
    table: Indices
    crossed: Indices
    order: Indices

    def scan(
        self, tile: Single, rows: Places, columns: slice, found: Found, mirrored: Found
    ) -> None:
        """Add the candidates of a tile of data distances to what was found."""
        from unprior.kernels._nearest import scan_balanced

        pairs = self.order[rows], self.order[columns]
        errors = self.errors[rows], self.errors[columns]
        # Combinations are numbered anew, by those that are in the tile: hardly ever many.
        own, row_cells = _numbered(self.crossed[rows])
        others, column_cells = _numbered(self.crossed[columns])
        away, toward = self._least_shifts(rows, others), self._least_shifts(columns, own)
        toward -= errors[1][:, None]
        # What does not lie one after another in memory is not compared many at a time.
        shifts = away.astype(np.float32), np.ascontiguousarray(toward.T, dtype=np.float32)
        squares, cells = self._least_squares(tile, *pairs), (row_cells, column_cells)
        shares = self.relative, ROUNDED
        scan_balanced(squares, errors, shares, shifts, cells, pairs, found, mirrored)

    def _least_squares(self, tile: Single, rows: Indices, columns: Indices) -> Single:
        """Squared data distances, longer between kin, less a little as shifts are."""
        squares = tile if self.lines.square else tile * tile
        potentials, strength = self.operator.potentials, self.operator.strength
        for kin in potentials.kin:
            same = kin[rows][:, None] == kin[columns]
            squares = squares + np.float32(strength * potentials.apart) * same
        return squares * np.float32(1 - self.relative) if self.relative else squares

    def _least_shifts(self, places: Places, combinations: Indices) -> Floats:
        """What potentials at places add to squares, for each combination at the other end.

        Less a little, so that rounding cannot make them too large.
        """
        here = self.shifts[places].astype(np.float64)
        each = [here[:, cells] for cells in self.table[:, combinations]]
        return np.asarray(sum(own - ROUNDED * np.abs(own) for own in each))


def _numbered(combinations: Indices) -> tuple[Indices, Indices]:
    """Return those that there are, and for each its place among them."""
    # Samples are arranged by them, so that most often there is only one.
    if (combinations == combinations[0]).all():
        return combinations[:1], np.zeros_like(combinations)
    there, places = np.unique(combinations, return_inverse=True)
    return there, places
