"""What an objective tells the optimiser."""

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
        The objective itself, never that of an exaggerated or sampled stand-in.
    gradient : ndarray of shape (n_samples, n_components)
        The direction to descend.
    """

    value: float
    gradient: Floats


class Objective(Protocol):
    """Anything the optimiser can minimise."""

    def evaluate(
        self, Y: Floats, exaggeration: float = 1.0, emphasis: float = 1.0, *, broad: bool = False
    ) -> Evaluation:
        """Value and gradient at a map.

        In the gradient alone, ``exaggeration`` multiplies the data's attraction and ``emphasis``
        the strength of the priors, where the objective has such terms. ``broad`` looks at larger
        neighbourhoods of the data, where the objective knows them, in the value as well.
        """
