"""Data, priors and an operator -> distances with the priors factored out, on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from unprior._memory import check_square_fits
from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.geometry import SampleDistances
from unprior.neighbors import BoundedTiles, CandidateFinder, bounded_tiles
from unprior.priors import Prior

#: Distances computed at a time for a full matrix.
BLOCK_ENTRIES = 2_000_000


class Operator(Protocol):
    """A ⊖: turns distances in the data and in the priors into factored distances."""

    @property
    def data_scale(self) -> float:
        """The divisor of data distances."""

    def __call__(self, data: Floats, sources: Sequence[Floats], /) -> Floats:
        """Factor distances in the sources out of data distances of the same pairs."""


@runtime_checkable
class Tiled(Operator, Protocol):
    """A ⊖ whose nearest neighbours are found by comparing all pairs, a tile at a time."""

    def finder(
        self, bounded: BoundedTiles, priors: Sequence[Prior], order: Indices
    ) -> CandidateFinder:
        """Prepare the search for candidates in scaled data distances, for samples in this order."""


@dataclass(frozen=True, eq=False)
class FactoredDistances:
    """Distances with the priors factored out, computed for a block or for pairs on demand.

    Made by `unprior.operators.factor_on_demand`.

    Attributes
    ----------
    data : SampleDistances
        The data.
    priors : dict of str to Prior
        The priors, by name.
    strengths : dict of str to float
        How strongly each is factored out.
    operator : Operator
        Turns distances in the data and in ``sources`` into factored ones.
    sources : sequence of PairwiseDistances
        The operator's inputs besides the data: the priors, or their potentials.
    """

    data: SampleDistances
    priors: Mapping[str, Prior]
    strengths: Mapping[str, float]
    operator: Operator
    sources: Sequence[PairwiseDistances]

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.data.n_samples

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        rows, cols = np.asarray(rows), np.asarray(cols)
        others = [source.block(rows, cols) for source in self.sources]
        factored = self.operator(self.data.block(rows, cols), others)
        factored[rows[:, None] == cols] = 0
        return factored

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        i, j = np.asarray(i), np.asarray(j)
        others = [source.pairs(i, j) for source in self.sources]
        factored = self.operator(self.data.pairs(i, j), others)
        factored[i == j] = 0
        return factored

    def in_tiles(self, order: Indices) -> tuple[BoundedTiles, CandidateFinder] | None:
        """Return tiles of data distances and a finder of candidates; None if there is none."""
        if not isinstance(self.operator, Tiled):
            return None
        bounded = bounded_tiles(self.data, order, self.operator.data_scale)
        if bounded is None:
            return None
        return bounded, self.operator.finder(bounded, [*self.priors.values()], order)

    def to_array(self) -> Floats:
        """Return the full n × n matrix, with little additional memory."""
        check_square_fits("factor_out", self.n_samples, n_arrays=1)
        samples, step = np.arange(self.n_samples), max(1, BLOCK_ENTRIES // self.n_samples)
        matrix = np.empty((self.n_samples, self.n_samples))
        for start in range(0, self.n_samples, step):
            rows = samples[start : start + step]
            matrix[rows] = self.block(rows, samples)
        return matrix
