r"""Data distances and cells -> potentials that give each cell its share of every sample's nearness.

With potentials g, the nearness of two samples is
:math:`p_{ij} = \exp((\sum_p (g_i(c^p_j) + g_j(c^p_i)) - d_{ij}^2) / \varepsilon)`, with the cell
:math:`c^p_j` of sample j in prior p. They are such that of every sample's nearness to the n - 1
others each cell gets the share of its samples. For one prior it is what Sinkhorn's iteration finds
between each two cells, as for entropic optimal transport. Several priors take turns, each at what
the others leave, as in iterative proportional fitting.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior._warnings import BalanceWarning, caller_level
from unprior.distances._balance import FAILED, MOST_SHARED_TURNS, TOLERANCE, Booleans, balance
from unprior.distances._potential_landmarks import Landmarks, choose_landmarks, distances_among
from unprior.priors import Prior

#: The width ε is this part of the usual squared distance of samples that are near each other.
WIDTH = 0.2

#: Squared distances that are held in memory at a time.
BLOCK_ENTRIES = 500_000


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
    landmarks = choose_landmarks(data, cells, n_jobs)
    some, n = landmarks.samples, cells.shape[1]
    squared = (distances_among(data, some, n_jobs) / scale) ** 2
    width, apart = WIDTH * (landmarks.near / scale) ** 2, float(squared.max())
    twins = _twins(kin, some, some)
    balanced, error = balance(squared, cells[:, some], twins, landmarks.weights, width, level=n - 1)
    if error > FAILED:
        _warn()
    response = Response(data, cells, kin, landmarks, balanced, scale, width)
    step = max(1, BLOCK_ENTRIES // len(some))
    blocks = [np.arange(i, min(i + step, n)) for i in range(0, n, step)]
    values = np.concatenate(map_blocks(response, blocks, title="balance", n_jobs=n_jobs))
    return Potentials(cells, values, width, kin, apart)


def _warn() -> None:
    message = (
        "neighbours could not be balanced over the prior: some samples see far more or less of a "
        "part of it than they should, so that it is not factored out; scale the columns of X, take "
        'logarithms of skewed ones, or use operator="linear".'
    )
    warnings.warn(message, BalanceWarning, stacklevel=caller_level())


def _twins(kin: Indices, rows: Indices, cols: Indices) -> Booleans:
    """Whether a row and a column are one sample, or of one class that has no cell."""
    twins = rows[:, None] == cols
    for numbers in kin:
        twins |= numbers[rows][:, None] == numbers[cols]
    return np.asarray(twins)


@dataclass(frozen=True, eq=False)
class Response:
    """Finds potentials that balance samples with landmarks, whose own stay as they are.

    Attributes
    ----------
    data : Prior
    cells, kin : ndarray
        As of `Potentials`.
    landmarks : Landmarks
    balanced : ndarray of shape (n_landmarks, n_cells)
        The potentials of the landmarks.
    scale, width : float
    """

    data: Prior
    cells: Indices
    kin: Indices
    landmarks: Landmarks
    balanced: Floats
    scale: float
    width: float

    def __call__(self, rows: Indices) -> Floats:
        """Potentials of some samples, shape (len(rows), n_cells)."""
        landmarks = self.landmarks.samples
        exponents = np.square(self.data.block(rows, landmarks), dtype=np.float64)
        exponents *= -1 / (self.scale**2 * self.width)
        for cells in self.cells:
            exponents += (self.balanced.T / self.width)[cells[rows]]
        exponents += np.log(self.landmarks.weights)
        twins = np.nonzero(_twins(self.kin, rows, landmarks))
        exponents[twins] = -np.inf
        values = np.zeros((len(rows), self.balanced.shape[1]))
        # One prior is balanced at once; several undo some of what the others did.
        for _ in range(1 if len(self.cells) == 1 else MOST_SHARED_TURNS):
            change = self._take_turns(exponents, twins, values)
            if change <= TOLERANCE:
                break
        return self.width * values

    def _take_turns(self, exponents: Floats, twins: tuple[Indices, ...], values: Floats) -> float:
        """Balance prior after prior, in place; by how much the largest exponent changed."""
        largest, level = 0.0, self.cells.shape[1] - 1
        for cells in self.cells[:, self.landmarks.samples]:
            for cell in range(cells.min(), cells.max() + 1):
                here = np.flatnonzero(cells == cell)
                weights = self.landmarks.weights * (cells == cell)
                others = weights.sum() - np.bincount(
                    twins[0], weights[twins[1]], minlength=len(values)
                )
                missing = _missing(_columns(exponents, here), others / level)
                values[:, cell] += missing
                largest = max(largest, float(np.abs(missing).max()))
                if len(self.cells) > 1:
                    exponents[:, here] += missing[:, None]
        return largest


def _columns(array: Floats, places: Indices) -> Floats:
    """Return some columns, without a copy if they are consecutive."""
    first, last = int(places[0]), int(places[-1])
    return array[:, first : last + 1] if last - first == len(places) - 1 else array[:, places]


def _missing(exponents: Floats, wanted: Floats) -> Floats:
    """What to add to exponents, in each row, for a sum of exponentials as it is wanted."""
    most = exponents.max(axis=1)
    # A cell that has nobody else is left alone.
    some = most > -np.inf
    most[~some] = 0
    totals = np.exp(exponents - most[:, None]).sum(axis=1)
    return np.log(np.divide(wanted, totals, out=np.ones_like(totals), where=some)) - most
