r"""JEDI's objective: KL(P‖Q) − Σ_k strength_k · pJSD(P'_k‖Q).

.. math:: \frac{\partial C}{\partial y_i} = 4 \Big[ \sum_j p w (y_i - y_j)
          + \eta \sum_j s q w (y_i - y_j) - (1 + \eta \bar s) \sum_j q w (y_i - y_j) \Big]

The last sum is t-SNE's own repulsion, times one number; without a prior this is t-SNE.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from unprior._typing import Floats
from unprior.forces import Field, exact_field
from unprior.objectives._drawn import DrawnAttraction, DrawnDivergence
from unprior.objectives._evaluation import Evaluation
from unprior.objectives._jensen_shannon import PriorDivergence
from unprior.objectives._kl import DataDivergence

#: What the data do to a map: KL(P‖Q), over the pairs that are held or over drawn ones.
Attraction: TypeAlias = DataDivergence | DrawnAttraction


@dataclass(frozen=True)
class JEDIObjective:
    """Data, priors and a way to sum the repulsion, as one objective.

    ``broad`` holds the data at a larger perplexity, for the steps that find the map's coarse shape;
    None if all steps use the same.
    """

    data: Attraction
    priors: Sequence[PriorDivergence | DrawnDivergence] = ()
    repulsion: Callable[[Floats], Field] = exact_field
    broad: Attraction | None = None

    def pulls_at_origin(self, emphasis: float = 1.0) -> Floats:
        """Return m for which the gradient at a tiny map is 4 Σ_j m_ij (y_i − y_j).

        There all w are one and all q alike, so that the forces are linear in the map. It needs
        all pairs, and takes those of the broad neighbourhoods if there are any.
        """
        data = self.data if self.broad is None else self.broad
        priors = [prior for prior in self.priors if isinstance(prior, PriorDivergence)]
        if not isinstance(data, DataDivergence) or len(priors) < len(self.priors):
            message = "pulls_at_origin: an objective by draws does not hold all pairs."
            raise TypeError(message)
        P = data.affinities.matrix
        pulls: Floats = P.toarray() if data.affinities.is_sparse else P.copy()
        n_samples = len(pulls)
        q = 1 / (n_samples * (n_samples - 1))
        balance = 1.0
        for prior in priors:
            slopes = prior.slopes_at(q)
            weight = emphasis * prior.strength * q
            balance += weight * slopes.sum()
            slopes *= weight
            pulls += slopes
        pulls -= balance * q
        return pulls

    def evaluate(
        self, Y: Floats, exaggeration: float = 1.0, emphasis: float = 1.0, *, broad: bool = False
    ) -> Evaluation:
        """Value and gradient at a map; `Objective.evaluate` tells what is enlarged."""
        data = self.broad if broad and self.broad is not None else self.data
        n_samples, n_components = Y.shape
        space = np.zeros((n_samples, 3))
        space[:, :n_components] = Y
        field = self.repulsion(space)
        attraction, log_kernel = data.attract(space)
        value = data.value(log_kernel, field.normalizer)
        forces, balance = exaggeration * attraction, 1.0
        for prior in self.priors:
            known = prior.repel(space, field.normalizer)
            forces += emphasis * prior.strength * known.force
            balance += emphasis * prior.strength * known.mean_slope
            value -= prior.strength * known.divergence
        forces -= balance / field.normalizer * field.force
        return Evaluation(value, 4 * forces[:, :n_components])
