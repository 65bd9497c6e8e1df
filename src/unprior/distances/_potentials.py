r"""Data distances and cells -> potentials that give each cell its share of every sample's nearness.

With potentials g, the nearness of two samples is
:math:`p_{ij} = \exp((g_i(c_j) + g_j(c_i) - d_{ij}^2) / \varepsilon)`. They are such that of every
sample's nearness to the n - 1 others each cell gets the share of its samples. It is what Sinkhorn's
iteration finds between each two cells, as for entropic optimal transport.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior.priors import Prior

#: The width ε is this part of the usual squared distance to the end of this share of the samples.
WIDTH, NEAR = 0.2, 0.05

#: Samples that potentials are balanced on; and how many of each cell at least, if it has them.
LANDMARKS, OF_CELL = 1000, 5

#: Rounds between two turns at which exponentials are taken anew, turns at most, and the relative
#: error of a share at which they end.
ROUNDS, MOST_TURNS, TOLERANCE = 10, 10, 0.02

#: Least relative share that is told from none, and largest exponent: no turn must leave the range
#: of numbers, however far it is from the goal.
TINY, LARGE = 1e-12, 300

#: Squared distances that are held in memory at a time.
BLOCK_ENTRIES = 2_000_000


@dataclass(frozen=True, eq=False)
class Potentials:
    """For every sample and cell, by how much squared distances between them are shortened.

    Attributes
    ----------
    cells : ndarray of shape (n_samples,)
        The cell of every sample.
    values : ndarray of shape (n_samples, n_cells)
    width : float
        Squared distances that differ by this make p differ by the factor e.
    """

    cells: Indices
    values: Floats
    width: float

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.cells)

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Sums of both potentials of every row and every column."""
        away = self.values[np.ix_(rows, self.cells[cols])]
        return away + self.values[np.ix_(cols, self.cells[rows])].T

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Sums of both potentials of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        return self.values[i, self.cells[j]] + self.values[j, self.cells[i]]


def learn_potentials(
    data: Prior, cells: Indices, scale: float, n_jobs: int | None = None
) -> Potentials:
    """Balance landmarks among each other, and then every sample with the landmarks."""
    landmarks = _draw(cells)
    squared = (data.block(landmarks, landmarks) / scale) ** 2
    width = WIDTH * _usual(squared)
    balanced = balance(squared, cells[landmarks], width, level=len(cells) - 1)
    # Those of a cell one after another, so that each cell is a stretch of columns.
    order = np.argsort(cells[landmarks], kind="stable")
    respond = partial(_respond, data, cells, landmarks[order], balanced[order], (scale, width))
    step = max(1, BLOCK_ENTRIES // len(landmarks))
    blocks = [np.arange(i, min(i + step, len(cells))) for i in range(0, len(cells), step)]
    values = np.concatenate(map_blocks(respond, blocks, title="balance", n_jobs=n_jobs))
    return Potentials(cells, width * values, width)


def balance(squared: Floats, cells: Indices, width: float, level: int) -> Floats:
    """Return potentials at which the mean nearness to the others of a cell is 1 / ``level``."""
    members = np.eye(int(cells.max()) + 1)[cells]
    others = members.sum(axis=0) - members
    wanted = np.maximum(others, 1) / level
    nearest = [squared[:, cells == cell].min(axis=1) for cell in range(members.shape[1])]
    potentials = np.column_stack(nearest) / 2
    for _ in range(MOST_TURNS):
        away = potentials[:, cells]
        nearness = np.exp(np.minimum((away + away.T - squared) / width, LARGE))
        np.fill_diagonal(nearness, 0)
        rows = [(cell, nearness[cells == cell]) for cell in range(members.shape[1])]
        factors = np.ones_like(members)
        for _ in range(ROUNDS):
            shares = np.empty_like(members)
            for cell, own in rows:
                shares[cells == cell] = own @ (members * factors[:, cell, None])
            # A cell that has nobody else is left alone. What is too small for a number grows.
            excess = np.where(others > 0, np.maximum(factors * shares / wanted, TINY), 1)
            # Both ends of a pair change, so each goes half the way.
            factors /= np.sqrt(excess)
        potentials += width * np.log(factors)
        if np.abs(excess - 1).max() <= TOLERANCE:
            break
    return potentials


def _respond(
    data: Prior,
    cells: Indices,
    landmarks: Indices,
    balanced: Floats,
    units: tuple[float, float],
    rows: Indices,
) -> Floats:
    """Potentials, in widths, that balance some samples with landmarks that stay as they are."""
    scale, width = units
    exponents = balanced[:, cells[rows]].T - (data.block(rows, landmarks) / scale) ** 2
    exponents /= width
    itself = rows[:, None] == landmarks
    exponents[itself] = -np.inf
    sizes = np.bincount(cells[landmarks])
    starts = np.cumsum(sizes) - sizes
    others = sizes - np.add.reduceat(itself, starts, axis=1)
    some = others > 0
    # Logarithms of sums of exponentials, which are taken off the largest of each cell first.
    most = np.where(some, np.maximum.reduceat(exponents, starts, axis=1), 0)
    exponents -= np.repeat(most, sizes, axis=1)
    np.exp(exponents, out=exponents)
    totals = np.where(some, np.add.reduceat(exponents, starts, axis=1), 1)
    level = np.log(len(cells) - 1)
    return np.where(some, np.log(np.maximum(others, 1)) - level - np.log(totals) - most, 0)


def _draw(cells: Indices) -> Indices:
    """Return all samples, or a draw from each cell in proportion, the same every time."""
    if len(cells) <= LANDMARKS:
        return np.arange(len(cells))
    rng = np.random.default_rng(0)
    drawn = []
    for cell in range(int(cells.max()) + 1):
        members = np.flatnonzero(cells == cell)
        count = max(round(LANDMARKS * len(members) / len(cells)), OF_CELL)
        drawn.append(rng.permutation(members)[:count])
    return np.sort(np.concatenate(drawn))


def _usual(squared: Floats) -> float:
    """Squared distance to the end of the nearest share of the samples, in the middle of all."""
    place = min(int(NEAR * len(squared)) + 1, len(squared) - 1)
    usual = float(np.median(np.partition(squared, place, axis=1)[:, place]))
    # Where most samples have so many that are identical to them, any small number does.
    return usual or 1e-3 * float(squared.mean())
