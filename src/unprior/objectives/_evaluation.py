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
        The direction to descend; exaggeration scales its attraction.
    """

    value: float
    gradient: Floats


class Objective(Protocol):
    """Anything the optimiser can minimise."""

    def evaluate(self, Y: Floats, exaggeration: float = 1.0) -> Evaluation:
        """Value and gradient at a map."""
