"""Data, priors and an operator -> distances with the priors factored out, on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from unprior._typing import Floats, Indices
from unprior.priors import Prior

#: Distances computed at a time for a full matrix.
BLOCK_ENTRIES = 2_000_000

#: Turns distances of some pairs in the data and in each prior into factored ones.
Operator: TypeAlias = Callable[[Floats, Sequence[Floats]], Floats]


@dataclass(frozen=True, eq=False)
class FactoredDistances:
    """What ⊖ makes of data and priors, a block or some pairs at a time; never n × n by itself.

    Made by `unprior.distances.factor_on_demand`.

    Attributes
    ----------
    data : Prior
        The data as distances.
    priors : dict of str to Prior
        What is known, by name.
    strengths : dict of str to float
        How strongly each is factored out.
    operator : callable
        Turns data distances and prior distances of the same pairs into factored ones.
    """

    data: Prior
    priors: Mapping[str, Prior]
    strengths: Mapping[str, float]
    operator: Operator

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.data.n_samples

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        rows, cols = np.asarray(rows), np.asarray(cols)
        known = [prior.block(rows, cols) for prior in self.priors.values()]
        factored = self.operator(self.data.block(rows, cols), known)
        factored[rows[:, None] == cols] = 0
        return factored

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        i, j = np.asarray(i), np.asarray(j)
        known = [prior.pairs(i, j) for prior in self.priors.values()]
        factored = self.operator(self.data.pairs(i, j), known)
        factored[i == j] = 0
        return factored

    def to_array(self) -> Floats:
        """Return the full n × n matrix, with little memory beside it."""
        everyone, step = np.arange(self.n_samples), max(1, BLOCK_ENTRIES // self.n_samples)
        whole = np.empty((self.n_samples, self.n_samples))
        for start in range(0, self.n_samples, step):
            rows = everyone[start : start + step]
            whole[rows] = self.block(rows, everyone)
        return whole
