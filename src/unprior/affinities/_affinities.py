"""Joint affinities of all pairs of samples, as a dense or sparse matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from unprior._typing import Floats

#: Largest number of logarithms held at a time (8 MB).
BLOCK_ENTRIES = 1_000_000


@dataclass(frozen=True)
class Affinities:
    """Joint affinities of all ordered pairs: symmetric, non-negative, zero diagonal, sum 1.

    Attributes
    ----------
    matrix : ndarray or csr_array of shape (n_samples, n_samples)
        The affinities; sparse if only those of nearest neighbours are stored.
    """

    matrix: Any

    @classmethod
    def from_conditional(cls, conditional: Any) -> Affinities:
        """Symmetrise rows p_{j|i} into (p_{j|i} + p_{i|j}) / 2n."""
        joint = conditional + conditional.T
        if issparse(joint):
            joint = csr_array(joint)
            joint.sort_indices()
        # Rows without neighbours (classes of one sample) are empty, so the sum may be less
        # than 2n, or even 0.
        entries = joint.data if issparse(joint) else joint
        joint /= max(float(entries.sum(dtype=np.float64)), np.finfo(float).tiny)
        return cls(joint)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.matrix.shape[0])

    @property
    def is_sparse(self) -> bool:
        """Whether only some of the pairs are stored."""
        return bool(issparse(self.matrix))

    @cached_property
    def log_mean(self) -> float:
        """Σ p log p, the part of KL(P‖Q) that does not depend on the map."""
        values: Floats = self.matrix.data if self.is_sparse else self.matrix.ravel()
        total = 0.0
        for start in range(0, len(values), BLOCK_ENTRIES):
            some = values[start : start + BLOCK_ENTRIES].astype(np.float64)
            present = some[some > 0]
            total += float(present @ np.log(present))
        return total


def mean_affinities(several: Sequence[Affinities], weights: Sequence[float]) -> Affinities:
    """Return the mean of affinities of the same samples, with weights that sum to 1."""
    if len(several) == 1:
        return several[0]
    pairs = zip(weights, several, strict=True)
    return Affinities(
        reduce(add, [_scaled(each.matrix, weight) for weight, each in pairs if weight])
    )


def _scaled(matrix: Any, weight: float) -> Any:
    """Return a matrix times a number; the indices of a sparse one are not copied."""
    if not issparse(matrix):
        return weight * matrix
    return csr_array((weight * matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
