r"""ct-SNE's objective: KL(P‖T), with T what the map says to one who knows the labels.

With a weight v of every pair, A for the same label and B for different ones,

.. math:: t_{ij} = v_{ij} w_{ij} / \sum v w, \qquad
          \frac{\partial C}{\partial y_i} = 4 \sum_j (p_{ij} - t_{ij}) w_{ij} (y_i - y_j).

The labels change the repulsion alone, and its sum falls into ordinary ones: B times that of all
samples, and A − B times that of each class on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unprior._typing import Floats
from unprior.affinities import PairWeights
from unprior.forces import ClassRepulsion, Field, Repulsion, exact_field
from unprior.objectives._evaluation import Evaluation
from unprior.objectives._jedi import JEDIObjective
from unprior.objectives._kl import DataDivergence
from unprior.priors import Labels


@dataclass(frozen=True)
class ConditionalObjective:
    """Data, labels, weights of pairs and a way to sum the repulsion, as one objective.

    Attributes
    ----------
    data : DataDivergence
        The pull of the data.
    labels : Labels
        What is known.
    weights : PairWeights
        A and B.
    repulsion : callable
        Number of samples -> how to sum their repulsion; asked for all samples and for each class.
    """

    data: DataDivergence
    labels: Labels
    weights: PairWeights
    repulsion: Callable[[int], Repulsion] = lambda n_samples: exact_field

    def evaluate(
        self, Y: Floats, exaggeration: float = 1.0, emphasis: float = 1.0, *, broad: bool = False
    ) -> Evaluation:
        """Value and gradient at a map; there is no prior's term to emphasise, nothing broader."""
        weighted = JEDIObjective(self.data, repulsion=self.repel)
        now = weighted.evaluate(Y, exaggeration, emphasis, broad=broad)
        return replace(now, value=now.value - self._mean_log_weight)

    def repel(self, Y: Floats) -> Field:
        """Sum v w² (y_i − y_j) and v w in a map with three columns."""
        everyone, own = self.repulsion(len(Y))(Y), self._own_class(Y)
        other, extra = self.weights.other, self.weights.same - self.weights.other
        return Field(
            other * everyone.force + extra * own.force,
            other * everyone.normalizer + extra * own.normalizer,
        )

    @cached_property
    def _own_class(self) -> ClassRepulsion:
        return ClassRepulsion.of(self.labels.codes, self.repulsion)

    @cached_property
    def _mean_log_weight(self) -> float:
        """Σ p log v, the part of KL(P‖T) that the weights add and no map changes."""
        same = self._same_label_affinity()
        return same * np.log(self.weights.same) + (1 - same) * np.log(self.weights.other)

    def _same_label_affinity(self) -> float:
        """Σ p over pairs with the same label."""
        P, codes = self.data.affinities.matrix, self.labels.codes
        if self.data.affinities.is_sparse:
            edges = P.tocoo()
            return float(edges.data[codes[edges.row] == codes[edges.col]].sum())
        return sum(float(row[codes == code].sum()) for row, code in zip(P, codes, strict=True))
