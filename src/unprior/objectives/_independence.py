r"""t-SNE's objective with a constraint for each prior.

.. math:: \mathrm{KL}(P \| Q) + \sum_m \eta_m L_m

is the Lagrangian of "minimise KL(P‖Q) subject to a level L_m of each prior m"; the multipliers η
are updated by `unprior.optimize.DualAscent`. Without priors this is t-SNE.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats
from unprior.forces import Field, SoftNeighbors, exact_field
from unprior.objectives._divergences import DataDivergence
from unprior.objectives._evaluation import Evaluation


@dataclass(frozen=True)
class IndependenceObjective:
    """t-SNE's objective, priors with their multipliers, and a method to sum the repulsion.

    Attributes
    ----------
    data : DataDivergence
        KL(P‖Q).
    priors : sequence of SoftNeighbors
        L and its gradient for each prior.
    multipliers : tuple of float
        η of each prior; terms with η = 0 are skipped.
    scale : float
        Distance at which the weight w² of soft map neighbours is a quarter.
    repulsion : callable
        Method to sum the repulsion.
    broad : DataDivergence, optional
        KL(P‖Q) at a larger perplexity, for the steps that find the coarse shape of the map.
    """

    data: DataDivergence
    priors: Sequence[SoftNeighbors] = ()
    multipliers: tuple[float, ...] = ()
    scale: float = 1.0
    repulsion: Callable[[Floats], Field] = exact_field
    broad: DataDivergence | None = None

    def evaluate(
        self, Y: Floats, exaggeration: float = 1.0, emphasis: float = 1.0, *, broad: bool = False
    ) -> Evaluation:
        """Value and gradient of the Lagrangian; see `Objective.evaluate`."""
        data = self.broad if broad and self.broad is not None else self.data
        n_samples, n_components = Y.shape
        space = np.zeros((n_samples, 3))
        space[:, :n_components] = Y
        field = self.repulsion(space)
        attraction, log_kernel = data.attract(space)
        value = data.value(log_kernel, field.normalizer)
        gradient = 4 * (exaggeration * attraction - field.force / field.normalizer)
        for prior, multiplier in zip(self.priors, self.multipliers, strict=True):
            if multiplier:
                sums = prior.sums(space, self.scale)
                value += multiplier * sums.level
                gradient += emphasis * multiplier * sums.gradient
        return Evaluation(value, gradient[:, :n_components])
