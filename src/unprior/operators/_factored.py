"""Data, priors and an operator -> distances with the priors factored out, on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from unprior._memory import check_square_fits
from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.geometry import SampleDistances
from unprior.neighbors._tiled import CandidateFinder
from unprior.neighbors._tiles import BoundedTiles, bounded_tiles
from unprior.priors import Prior

#: Distances computed at a time for a full matrix.
BLOCK_ENTRIES = 2_000_000


class Operator(Protocol):
    """A ⊖: turns distances in the data, and what is known of each pair, into factored ones."""

    @property
    def data_scale(self) -> float:
        """What data distances are divided by."""

    def __call__(self, data: Floats, known: Sequence[Floats]) -> Floats:
        """Factor what is known out of data distances of the same pairs."""


@runtime_checkable
class Tiled(Operator, Protocol):
    """A ⊖ whose nearest neighbours are found among all pairs, a tile at a time."""

    def finder(
        self, bounded: BoundedTiles, priors: Sequence[Prior], order: Indices
    ) -> CandidateFinder:
        """Prepare the search for candidates in scaled data distances, for samples in an order."""


@dataclass(frozen=True, eq=False)
class FactoredDistances:
    """What ⊖ makes of data and priors, a block or some pairs at a time; never n × n by itself.

    Made by `unprior.operators.factor_on_demand`.

    Attributes
    ----------
    data : Prior
        The data as distances.
    priors : dict of str to Prior
        What is known, by name.
    strengths : dict of str to float
        How strongly each is factored out.
    operator : callable
        Turns data distances and what is known of the same pairs into factored ones.
    known : sequence of PairwiseDistances
        What the operator takes besides the data: the priors, or what it has learnt of them.
    """

    data: SampleDistances
    priors: Mapping[str, Prior]
    strengths: Mapping[str, float]
    operator: Operator
    known: Sequence[PairwiseDistances]

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.data.n_samples

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        rows, cols = np.asarray(rows), np.asarray(cols)
        known = [source.block(rows, cols) for source in self.known]
        factored = self.operator(self.data.block(rows, cols), known)
        factored[rows[:, None] == cols] = 0
        return factored

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        i, j = np.asarray(i), np.asarray(j)
        known = [source.pairs(i, j) for source in self.known]
        factored = self.operator(self.data.pairs(i, j), known)
        factored[i == j] = 0
        return factored

    def in_tiles(self, order: Indices) -> tuple[BoundedTiles, CandidateFinder] | None:
        """Return data distances and what finds candidates in them; None if tiles do not apply."""
        if not isinstance(self.operator, Tiled):
            return None
        bounded = bounded_tiles(self.data, order, self.operator.data_scale)
        if bounded is None:
            return None
        return bounded, self.operator.finder(bounded, [*self.priors.values()], order)

    def to_array(self) -> Floats:
        """Return the full n × n matrix, with little additional memory."""
        check_square_fits("factor_out", self.n_samples, n_arrays=1)
        everyone, step = np.arange(self.n_samples), max(1, BLOCK_ENTRIES // self.n_samples)
        whole = np.empty((self.n_samples, self.n_samples))
        for start in range(0, self.n_samples, step):
            rows = everyone[start : start + step]
            whole[rows] = self.block(rows, everyone)
        return whole
