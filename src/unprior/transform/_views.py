"""Data of new samples -> their neighbours among fitted ones, and affinities to these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.operators._balanced_rows import BalancedRows
from unprior.operators._linear import Linear
from unprior.operators._quantile import Quantile
from unprior.transform._rows import FittedRows


@dataclass(frozen=True, eq=False)
class NewView:
    """Data, or their residual, with a way to find neighbours of new samples.

    Attributes
    ----------
    rows : FittedRows
        The fitted samples.
    k : int
        Neighbours of each new sample.
    factor : BalancedRows, FactoredRows or None
        Factors priors out of distances.
    """

    rows: FittedRows
    k: int
    factor: BalancedRows | FactoredRows | None = None

    def choose(
        self,
        distances: Floats,
        nearest: Mapping[str, Indices],
        known: Callable[[str], Floats],
    ) -> tuple[Indices, Floats]:
        """Choose neighbours by distances of new to fitted samples.

        ``nearest`` holds, by prior, the fitted sample most like each new one, and ``known`` returns
        distances in a prior. Where a prior is not known, nothing is factored out.
        """
        from unprior.kernels._to_fitted import nearest_rows

        factor = self.factor
        if factor is None or not all(name in nearest for name in factor.names):
            indices, lengths = nearest_rows(distances, self.k)
            return indices, lengths
        if isinstance(factor, BalancedRows):
            return factor.neighbors(distances, [nearest[name] for name in factor.names], self.k)
        indices, lengths = nearest_rows(factor.distances(distances, known), self.k)
        return indices, lengths


@dataclass(frozen=True, eq=False)
class FactoredRows:
    """An operator that factors the distances in priors out of those in the data.

    Attributes
    ----------
    operator : Linear or Quantile
    names : tuple of str
        The names of the priors.
    """

    operator: Linear | Quantile
    names: tuple[str, ...]

    def distances(self, data: Floats, known: Callable[[str], Floats]) -> Floats:
        """Return distances of new to fitted samples with the priors factored out."""
        data = np.asarray(data, dtype=np.float64)
        told = [np.asarray(known(name), dtype=np.float64) for name in self.names]
        rows = [slice(i, i + 1) for i in range(len(data))]
        # One row at a time, so that none is rounded by the company it is in.
        return np.concatenate([self.operator(data[i], [one[i] for one in told]) for i in rows])


def mean_conditional(
    found: Sequence[tuple[Indices, Floats]], weights: Sequence[float], perplexity: float
) -> tuple[Indices, Floats]:
    """Return the neighbours in all views, and the weighted mean of their affinities.

    A neighbour in two views stands there twice, each time with its affinity in one of them.
    """
    from unprior.kernels._perplexity import conditional_rows

    indices = np.hstack([near for near, _ in found])
    parts = [
        weight * conditional_rows(np.ascontiguousarray(lengths), perplexity)
        for weight, (_, lengths) in zip(weights, found, strict=True)
    ]
    return indices, np.hstack(parts)
