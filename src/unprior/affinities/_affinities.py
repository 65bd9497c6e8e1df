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
        joint /= max(joint.sum(), np.finfo(float).tiny)
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
        values: Floats = self.matrix.data if self.is_sparse else self.matrix
        total = 0.0
        for row in np.atleast_2d(values):
            present = row[row > 0]
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
    terms = [weight * each.matrix for weight, each in zip(weights, several, strict=True) if weight]
    return Affinities(reduce(add, terms))
