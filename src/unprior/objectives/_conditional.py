r"""ct-SNE's objective: KL(P‖T), with T the map's affinities given the labels.

With a weight v for each pair, A for the same label and B for different ones,

.. math:: t_{ij} = v_{ij} w_{ij} / \sum v w, \qquad
          \frac{\partial C}{\partial y_i} = 4 \sum_j (p_{ij} - t_{ij}) w_{ij} (y_i - y_j).

The labels change only the repulsion, which is a sum of ordinary ones: B times that of all samples,
and A − B times that within each class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unprior._typing import Floats
from unprior.affinities import PairWeights
from unprior.forces import ClassRepulsion, Field, Repulsion, exact_field
from unprior.objectives._divergences import DataDivergence
from unprior.objectives._evaluation import Evaluation
from unprior.objectives._jedi import JEDIObjective
from unprior.priors import Labels


@dataclass(frozen=True)
class ConditionalObjective:
    """ct-SNE's objective: data, labels, weights of pairs, and a method to sum the repulsion.

    Attributes
    ----------
    data : DataDivergence
        KL(P‖Q).
    labels : Labels
        The prior.
    weights : PairWeights
        A and B.
    repulsion : callable
        Number of samples -> method to sum their repulsion; called for all samples and each class.
    """

    data: DataDivergence
    labels: Labels
    weights: PairWeights
    repulsion: Callable[[int], Repulsion] = lambda n_samples: exact_field

    def evaluate(
        self, Y: Floats, exaggeration: float = 1.0, emphasis: float = 1.0, *, broad: bool = False
    ) -> Evaluation:
        """Value and gradient at a map; ``emphasis`` and ``broad`` have no effect."""
        weighted = JEDIObjective(self.data, repulsion=self.repel)
        now = weighted.evaluate(Y, exaggeration, emphasis, broad=broad)
        return replace(now, value=now.value - self._mean_log_weight)

    def repel(self, Y: Floats) -> Field:
        """Sum v w² (y_i − y_j) and v w in a map with three columns."""
        overall, own = self.repulsion(len(Y))(Y), self._own_class(Y)
        other, extra = self.weights.other, self.weights.same - self.weights.other
        return Field(
            other * overall.force + extra * own.force,
            other * overall.normalizer + extra * own.normalizer,
        )

    @cached_property
    def _own_class(self) -> ClassRepulsion:
        return ClassRepulsion.of(self.labels.codes, self.repulsion)

    @cached_property
    def _mean_log_weight(self) -> float:
        """Σ p log v, the part of KL(P‖T) that the weights add, independent of the map."""
        same = self._same_label_affinity()
        return same * np.log(self.weights.same) + (1 - same) * np.log(self.weights.other)

    def _same_label_affinity(self) -> float:
        """Σ p over pairs with the same label."""
        P, codes = self.data.affinities.matrix, self.labels.codes
        if self.data.affinities.is_sparse:
            edges = P.tocoo()
            return float(edges.data[codes[edges.row] == codes[edges.col]].sum())
        return sum(float(row[codes == code].sum()) for row, code in zip(P, codes, strict=True))
