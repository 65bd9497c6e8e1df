"""Rows of numbers, in memory or stored, and a metric -> distances of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unprior._typing import Floats, Indices, Metric
from unprior.priors._base import BLOCK_ENTRIES, Prior, as_rows
from unprior.priors._metrics import RowMetric


@dataclass(frozen=True, eq=False, repr=False)
class ByRows(Prior):
    """Samples are as far apart as their rows; see `Features`, whose rows are in memory."""

    #: Numbers that are worked on at a time.
    entries: ClassVar[int] = BLOCK_ENTRIES

    values: Any
    metric: Metric
    row_metric: RowMetric

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.values)

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        i, j = as_rows(i), as_rows(j)
        distances = np.empty(len(i))
        for some in self.steps(len(i)):
            distances[some] = self.row_metric.pairs(self.values[i[some]], self.values[j[some]])
        return distances

    def steps(self, n_rows: int) -> list[slice]:
        """So many rows, cut into what is worked on at a time."""
        step = self._step
        return [slice(start, start + step) for start in range(0, n_rows, step)]

    @property
    def _step(self) -> int:
        return max(1, self.entries // self.values.shape[1])
