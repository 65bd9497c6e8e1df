r"""t-SNE's objective and the priors that its map is to be independent of.

.. math:: \mathrm{KL}(P \| Q) + \sum_m \eta_m L_m

is the Lagrangian of "minimise KL(P‖Q) subject to a level L_m of each prior m"; the multipliers η
are moved by `unprior.optimize.DualAscent`. Without priors this is t-SNE.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats
from unprior.forces import Field, SoftNeighbors, exact_field
from unprior.objectives._evaluation import Evaluation
from unprior.objectives._kl import DataDivergence


@dataclass(frozen=True)
class IndependenceObjective:
    """Data, priors with their multipliers, and a way to sum the repulsion.

    Attributes
    ----------
    data : DataDivergence
        KL(P‖Q).
    priors : sequence of SoftNeighbors
        The priors, which tell L and its gradient.
    multipliers : tuple of float
        η of each prior; one at 0 costs nothing.
    scale : float
        Distance at which soft map neighbours count a quarter.
    repulsion : callable
        How the sum over all pairs is formed.
    broad : DataDivergence, optional
        The data at a larger perplexity, for the steps that find the map's coarse shape.
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
        """Value of the Lagrangian and its gradient; `Objective.evaluate` tells what is enlarged."""
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
                found = prior.sums(space, self.scale)
                value += multiplier * found.level
                gradient += emphasis * multiplier * found.gradient
        return Evaluation(value, gradient[:, :n_components])
