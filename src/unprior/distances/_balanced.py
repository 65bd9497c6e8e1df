"""Squared data distances less potentials -> distances under which every cell is equally near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.distances._potentials import Potentials
from unprior.neighbors._tiled import Found
from unprior.neighbors._tiles import EPS, Lines, Places, Single
from unprior.priors import Prior


@dataclass(frozen=True, eq=False)
class Balanced:
    r"""The balancing ⊖: neighbours of every sample have the prior of all, and none is a hub.

    Potentials g, for each sample and each cell of the prior, are subtracted from squared distances:
    :math:`x_{ij} = d_{ij}^2 - \eta (g_i(c_j) + g_j(c_i))`. At full strength η = 1 this is
    :math:`-\varepsilon \log p_{ij}`, with a nearness p of which every cell gets its share. The
    distance is the root of x, bent a little so that nothing is negative.

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
        return np.sqrt((rest + np.hypot(rest, 2 * self.strength * self.potentials.width)) / 2)

    def look(self, lines: Lines, priors: Sequence[Prior], order: Indices) -> BalancedLook:
        """Prepare a look at scaled data distances, for samples in an order."""
        shifts = np.asarray(-self.strength * self.potentials.values[order], dtype=np.float32)
        # A distance that is off by e has a square that is off by 2 e times the largest, and e².
        errors = lines.errors if lines.square else 2.5 * lines.largest * lines.errors
        slack = 8 * EPS * (lines.largest**2 + 2 * float(np.abs(shifts).max()))
        cells = self.potentials.cells[order]
        toward = np.ascontiguousarray(shifts.T)
        toward -= errors
        return BalancedLook(lines, errors.astype(np.float32), cells, shifts, toward, slack, order)

    def arrange(self, order: Indices) -> Indices:
        """Put samples of a cell one after another: the same shifts go for many of them."""
        return order[np.argsort(self.potentials.cells[order], kind="stable")]


@dataclass(frozen=True, eq=False)
class BalancedLook:
    """Finds candidates by squared distances, which each pair's potentials shift.

    Attributes
    ----------
    lines : Lines
    errors : ndarray of shape (n_samples,)
        No square is off by more than the error of its row plus that of its column.
    cells : ndarray of shape (n_samples,)
    away, toward : ndarray of shape (n_samples, n_cells), and transposed
        What the potentials of every sample add to its squared distances; the second less errors.
    slack : float
        No shifted square is off by more, beside what the errors do.
    order : ndarray of shape (n_samples,)
    """

    lines: Lines
    errors: Single
    cells: Indices
    away: Single
    toward: Single
    slack: float
    order: Indices

    def scan(self, tile: Single, rows: Places, columns: slice, found: Found) -> None:
        """Add the candidates of a tile of data distances to what was found."""
        from unprior.kernels._nearest import scan_balanced

        squares = tile if self.lines.square else tile * tile
        errors = self.errors[rows], self.errors[columns]
        # What does not lie one after another in memory is not compared many at a time.
        shifts = self.away[rows], np.ascontiguousarray(self.toward[:, columns])
        cells = self.cells[rows], self.cells[columns]
        pairs = self.order[rows], self.order[columns]
        scan_balanced(squares, errors, shifts, cells, self.slack, pairs, found)
