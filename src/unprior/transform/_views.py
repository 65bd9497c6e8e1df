"""Neighbours of new samples among the fitted ones, and affinities to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.operators import BalancedRows
from unprior.operators._linear import Linear
from unprior.operators._quantile import Quantile
from unprior.transform._distances import FittedData
from unprior.transform._priors import NewPriors


@dataclass(frozen=True, eq=False)
class FittedView:
    """Fitted data, or their residual, in which new samples find neighbours.

    Attributes
    ----------
    data : FittedData
        The fitted samples.
    k : int
        Number of neighbours.
    factor : BalancedRows, FactoredRows or None
        Factors priors out of the distances.
    """

    data: FittedData
    k: int
    factor: BalancedRows | FactoredRows | None = None

    def neighbors(self, distances: Floats, priors: NewPriors) -> tuple[Indices, Floats]:
        """Return the k nearest fitted samples of each new one, and the distances to them.

        ``distances`` are those to all fitted samples in this view. Where priors are not known,
        nothing is factored out.
        """
        from unprior.kernels._to_fitted import nearest_rows

        factor = self.factor
        if isinstance(factor, BalancedRows) and all(name in priors.alike for name in factor.names):
            alike = [priors.alike[name] for name in factor.names]
            return factor.neighbors(distances, alike, self.k, priors.potentials)
        factored = self.factored(distances, priors)
        indices, lengths = nearest_rows(distances if factored is None else factored, self.k)
        return indices, lengths

    def factored(self, distances: Floats, priors: NewPriors) -> Floats | None:
        """Return distances to all fitted samples as those of ``fit``.

        None if priors are not known, or for the balanced operator, which only gives neighbours.
        """
        factor = self.factor
        if isinstance(factor, FactoredRows) and all(name in priors.alike for name in factor.names):
            return factor.distances(distances, priors)
        return distances if factor is None else None


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

    def distances(self, data: Floats, priors: NewPriors) -> Floats:
        """Return distances of new to fitted samples with the priors factored out."""
        data = np.asarray(data, dtype=np.float64)
        several = [np.asarray(priors.distances(name), dtype=np.float64) for name in self.names]
        rows = [slice(i, i + 1) for i in range(len(data))]
        # One row at a time, so that rounding does not depend on the batch.
        return np.concatenate([self.operator(data[i], [one[i] for one in several]) for i in rows])


def find_twins(distances: Floats, priors: NewPriors) -> Indices:
    """Return the fitted sample most like each new one, in the data and the priors together.

    Each distance counts relative to its mean over the fitted samples. Of a fitted sample, this is
    the sample itself.
    """
    several = [distances, *(priors.distances(name) for name in priors.alike)]
    total = np.zeros(distances.shape)
    for lengths in several:
        lines = np.array(lengths, dtype=np.float64, order="C")
        means = lines.mean(axis=1, keepdims=True)
        total += lines / np.where(means > 0, means, 1)
    return np.asarray(total.argmin(axis=1))


def mean_conditional(
    found: Sequence[tuple[Indices, Floats]], weights: Sequence[float], perplexity: float
) -> tuple[Indices, Floats]:
    """Return the neighbours in all views, and their affinities times the weight of the view.

    A neighbour in two views is listed twice.
    """
    from unprior.kernels._perplexity import conditional_rows

    indices = np.hstack([near for near, _ in found])
    parts = [
        weight * conditional_rows(np.ascontiguousarray(lengths), perplexity)
        for weight, (_, lengths) in zip(weights, found, strict=True)
    ]
    return indices, np.hstack(parts)
