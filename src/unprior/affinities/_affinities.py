"""The record that holds joint affinities, dense or sparse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from unprior._typing import Floats

#: Affinities whose logarithms are held at a time (8 MB of float64).
BLOCK_ENTRIES = 1_000_000


@dataclass(frozen=True)
class Affinities:
    """Joint affinities of all ordered pairs: symmetric, not negative, zero diagonal, sum one.

    Attributes
    ----------
    matrix : ndarray or csr_array of shape (n_samples, n_samples)
        The affinities; sparse when only nearest neighbours are held.
    """

    matrix: Any

    @classmethod
    def from_conditional(cls, conditional: Any) -> Affinities:
        """Symmetrise rows p_{j|i} into (p_{j|i} + p_{i|j}) / 2n."""
        joint = conditional + conditional.T
        if issparse(joint):
            joint = csr_array(joint)
            joint.sort_indices()
        # Rows that know no neighbour (a class of one sample) are empty, so 2n is not the sum; and
        # where no sample knows any, it is zero.
        entries = joint.data if issparse(joint) else joint
        joint /= max(float(entries.sum(dtype=np.float64)), np.finfo(float).tiny)
        return cls(joint)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.matrix.shape[0])

    @property
    def is_sparse(self) -> bool:
        """Whether only some of the pairs are held."""
        return bool(issparse(self.matrix))

    @cached_property
    def log_mean(self) -> float:
        """Σ p log p, the part of KL(P‖Q) that no map changes."""
        values: Floats = self.matrix.data if self.is_sparse else self.matrix.ravel()
        total = 0.0
        for start in range(0, len(values), BLOCK_ENTRIES):
            some = values[start : start + BLOCK_ENTRIES].astype(np.float64)
            present = some[some > 0]
            total += float(present @ np.log(present))
        return total


def mean_affinities(
    several: Sequence[Affinities], weights: Sequence[float] | None = None
) -> Affinities:
    """Return the weighted mean of affinities of the same samples; weights sum to one.

    A neighbour in any of them is one in the mean. By default all weigh the same.
    """
    if len(several) == 1:
        return several[0]
    if weights is None:
        weights = [1 / len(several)] * len(several)
    pairs = zip(weights, several, strict=True)
    return Affinities(
        reduce(add, [_scaled(each.matrix, weight) for weight, each in pairs if weight])
    )


def _scaled(matrix: Any, weight: float) -> Any:
    """Return a matrix times a number; of a sparse one, the places are not copied."""
    if not issparse(matrix):
        return weight * matrix
    return csr_array((weight * matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
