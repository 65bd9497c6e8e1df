"""The interface between objectives and the optimiser: value and gradient at a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from unprior._typing import Floats


@dataclass(frozen=True)
class Evaluation:
    """An objective at one map.

    Attributes
    ----------
    value : float
        The objective itself, without exaggeration or emphasis.
    gradient : ndarray of shape (n_samples, n_components)
        The gradient, with exaggeration and emphasis.
    """

    value: float
    gradient: Floats


class Objective(Protocol):
    """An objective that the optimiser can minimise."""

    def evaluate(
        self, Y: Floats, exaggeration: float = 1.0, emphasis: float = 1.0, *, broad: bool = False
    ) -> Evaluation:
        """Value and gradient at a map.

        In the gradient only, ``exaggeration`` multiplies the data's attraction and ``emphasis`` the
        strength of the priors, if the objective has such terms. ``broad`` uses larger
        neighbourhoods of the data, if the objective has them, in value and gradient.
        """
