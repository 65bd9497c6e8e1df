r"""Data distances and cells -> potentials that give each cell its share of every sample's nearness.

With potentials g, the nearness of two samples is
:math:`p_{ij} = \exp((\sum_p (g_i(c^p_j) + g_j(c^p_i)) - d_{ij}^2) / \varepsilon)`, with the cell
:math:`c^p_j` of sample j in prior p. They are such that of every sample's nearness to the n - 1
others each cell gets the share of its samples. For one prior it is what Sinkhorn's iteration finds
between each two cells, as for entropic optimal transport. Several priors take turns, each at what
the others leave, as in iterative proportional fitting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior.priors import Prior

Booleans: TypeAlias = NDArray[np.bool_]

#: The width ε is this part of the usual squared distance to the end of this share of the samples.
WIDTH, NEAR = 0.2, 0.05

#: Samples that potentials are balanced on; and how many of each cell at least, if it has them.
LANDMARKS, OF_CELL = 1000, 5

#: Rounds between two turns at which exponentials are taken anew, turns at most, and the relative
#: error of a share at which they end.
ROUNDS, MOST_TURNS, TOLERANCE = 10, 10, 0.02

#: Turns at most of several priors, each of which undoes some of what the others did.
MOST_SHARED_TURNS = 30

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
    cells : ndarray of shape (n_priors, n_samples)
        The cell of every sample in each prior; no two priors have cells of the same number.
    values : ndarray of shape (n_samples, n_cells)
    width : float
        Squared distances that differ by this make p differ by the factor e.
    kin : ndarray of shape (n, n_samples)
        Samples with the same number in a line are of one class, so small that a fair draw would
        hardly have any of it. There are none of one class that has a cell of its own.
    apart : float
        By how much the squared distance of kin is lengthened: they are nobody's neighbours.
    """

    cells: Indices
    values: Floats
    width: float
    kin: Indices
    apart: float

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.cells.shape[1]

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Sums of the potentials at both ends of every row and every column."""
        sums = np.zeros((len(rows), len(cols)))
        for cells in self.cells:
            away = self.values[np.ix_(rows, cells[cols])]
            # Both ends first: the sum must not depend on which of them is the row.
            sums += away + self.values[np.ix_(cols, cells[rows])].T
        for kin in self.kin:
            sums -= self.apart * (kin[rows][:, None] == kin[cols])
        return sums

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Sums of the potentials at both ends of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        sums = np.zeros(len(i))
        for cells in self.cells:
            sums += self.values[i, cells[j]] + self.values[j, cells[i]]
        for kin in self.kin:
            sums -= self.apart * (kin[i] == kin[j])
        return sums


def learn_potentials(
    data: Prior, cells: Indices, kin: Indices, scale: float, n_jobs: int | None = None
) -> Potentials:
    """Balance landmarks among each other, and then every sample with the landmarks."""
    landmarks = _draw(cells)
    squared = (data.block(landmarks, landmarks) / scale) ** 2
    width, apart = WIDTH * _usual(squared), float(squared.max())
    twins = _twins(kin, landmarks, landmarks)
    balanced = balance(squared, cells[:, landmarks], twins, width, level=cells.shape[1] - 1)
    response = Response(data, cells, kin, landmarks, balanced, scale, width)
    n, step = cells.shape[1], max(1, BLOCK_ENTRIES // len(landmarks))
    blocks = [np.arange(i, min(i + step, n)) for i in range(0, n, step)]
    values = np.concatenate(map_blocks(response, blocks, title="balance", n_jobs=n_jobs))
    return Potentials(cells, values, width, kin, apart)


def _twins(kin: Indices, rows: Indices, cols: Indices) -> Booleans:
    """Whether a row and a column are one sample, or of one class that has no cell."""
    twins = rows[:, None] == cols
    for numbers in kin:
        twins |= numbers[rows][:, None] == numbers[cols]
    return np.asarray(twins)


def balance(squared: Floats, cells: Indices, twins: Booleans, width: float, level: int) -> Floats:
    """Return potentials at which the mean nearness to the others of a cell is 1 / ``level``.

    Twins are no others.
    """
    nobody = np.empty((0, len(squared)), dtype=np.intp)
    found = Potentials(cells, np.zeros((len(squared), int(cells.max()) + 1)), width, nobody, 0)
    everyone, alone = np.arange(len(squared)), len(cells) == 1
    for turn in range(MOST_TURNS if alone else MOST_SHARED_TURNS):
        worst = 0.0
        for number, own in enumerate(cells):
            others = replace(found, cells=np.delete(cells, number, axis=0))
            rest = squared - others.block(everyone, everyone)
            potentials = found.values[:, own.min() : own.max() + 1]
            if turn == 0:
                potentials += _nearest(rest, own) / 2
            units = width, level
            before, after = _take_turn(rest, own - own.min(), twins, potentials, units)
            # What one of several meets is what the others have undone since.
            worst = max(worst, after if alone else before)
        if worst <= TOLERANCE:
            break
    return found.values


def _nearest(squared: Floats, cells: Indices) -> Floats:
    """Least squared distance of every sample to each cell of one prior."""
    return np.column_stack([squared[:, cells == cell].min(axis=1) for cell in np.unique(cells)])


def _take_turn(
    squared: Floats,
    cells: Indices,
    twins: Booleans,
    potentials: Floats,
    units: tuple[float, int],
) -> tuple[float, float]:
    """Balance the potentials of one prior, in place; how far off shares were, first and last."""
    width, level = units
    members = np.eye(int(cells.max()) + 1)[cells]
    others = (~twins).astype(float) @ members
    wanted = np.maximum(others, 1) / level
    away = potentials[:, cells]
    nearness = np.exp(np.minimum((away + away.T - squared) / width, LARGE))
    nearness[twins] = 0
    rows = [(cell, nearness[cells == cell]) for cell in range(members.shape[1])]
    factors, errors = np.ones_like(members), []
    for _ in range(ROUNDS):
        shares = np.empty_like(members)
        for cell, own in rows:
            shares[cells == cell] = own @ (members * factors[:, cell, None])
        # A cell that has nobody else is left alone. What is too small for a number grows.
        excess = np.where(others > 0, np.maximum(factors * shares / wanted, TINY), 1)
        errors.append(float(np.abs(excess - 1).max()))
        # Both ends of a pair change, so each goes half the way.
        factors /= np.sqrt(excess)
    potentials += width * np.log(factors)
    return errors[0], errors[-1]


@dataclass(frozen=True, eq=False)
class Response:
    """Finds potentials that balance samples with landmarks, whose own stay as they are.

    Attributes
    ----------
    data : Prior
    cells, kin : ndarray
        As of `Potentials`.
    landmarks : ndarray of shape (n_landmarks,)
    balanced : ndarray of shape (n_landmarks, n_cells)
        The potentials of the landmarks.
    scale, width : float
    """

    data: Prior
    cells: Indices
    kin: Indices
    landmarks: Indices
    balanced: Floats
    scale: float
    width: float

    def __call__(self, rows: Indices) -> Floats:
        """Potentials of some samples, shape (len(rows), n_cells)."""
        exponents = -((self.data.block(rows, self.landmarks) / self.scale) ** 2)
        for cells in self.cells:
            exponents += self.balanced[:, cells[rows]].T
        exponents /= self.width
        exponents[_twins(self.kin, rows, self.landmarks)] = -np.inf
        values = np.zeros((len(rows), self.balanced.shape[1]))
        # One prior is balanced at once; several undo some of what the others did.
        for _ in range(1 if len(self.cells) == 1 else MOST_SHARED_TURNS):
            change = self._take_turns(exponents, values)
            if change <= TOLERANCE:
                break
        return self.width * values

    def _take_turns(self, exponents: Floats, values: Floats) -> float:
        """Balance prior after prior, in place; by how much the largest exponent changed."""
        largest = 0.0
        for cells in self.cells[:, self.landmarks]:
            # Those of a cell one after another, so that each cell is a stretch of columns.
            order = np.argsort(cells, kind="stable")
            sizes = np.bincount(cells - cells.min())
            missing = _missing(exponents[:, order], sizes, level=self.cells.shape[1] - 1)
            values[:, cells.min() : cells.max() + 1] += missing
            exponents += missing[:, cells - cells.min()]
            largest = max(largest, float(np.abs(missing).max()))
        return largest


def _missing(exponents: Floats, sizes: Indices, level: int) -> Floats:
    """What to add to exponents for a share of each cell; sizes are numbers of columns."""
    starts = np.cumsum(sizes) - sizes
    others = sizes - np.add.reduceat(np.isneginf(exponents), starts, axis=1)
    some = others > 0
    # Logarithms of sums of exponentials, which are taken off the largest of each cell first.
    most = np.where(some, np.maximum.reduceat(exponents, starts, axis=1), 0)
    exponents -= np.repeat(most, sizes, axis=1)
    np.exp(exponents, out=exponents)
    totals = np.where(some, np.add.reduceat(exponents, starts, axis=1), 1)
    return np.where(some, np.log(np.maximum(others, 1)) - np.log(level) - np.log(totals) - most, 0)


def _draw(cells: Indices) -> Indices:
    """Return all samples, or a draw from each cell in proportion, the same every time."""
    n_samples = cells.shape[1]
    if n_samples <= LANDMARKS:
        return np.arange(n_samples)
    rng = np.random.default_rng(0)
    drawn = []
    for own in cells:
        for cell in range(own.min(), own.max() + 1):
            members = np.flatnonzero(own == cell)
            count = max(round(LANDMARKS / len(cells) * len(members) / n_samples), OF_CELL)
            drawn.append(rng.permutation(members)[:count])
    return np.unique(np.concatenate(drawn))


def _usual(squared: Floats) -> float:
    """Squared distance to the end of the nearest share of the samples, in the middle of all."""
    place = min(int(NEAR * len(squared)) + 1, len(squared) - 1)
    usual = float(np.median(np.partition(squared, place, axis=1)[:, place]))
    # Where most samples have so many that are identical to them, any small number does.
    return usual or 1e-3 * float(squared.mean())
