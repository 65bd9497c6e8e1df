"""How a descent proceeds: which steps exaggerate, with which momentum and step size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """The settings of one step of a descent."""

    exaggeration: float
    momentum: float
    learning_rate: float


@dataclass(frozen=True)
class Schedule:
    """t-SNE's two phases: exaggerated attraction that gathers samples, then the true objective.

    Attributes
    ----------
    n_iter : int
        Steps in all.
    learning_rate : float
        Step size, for a gradient with its factor 4.
    exaggeration : float
        Factor on the data's attraction during the first third.
    """

    n_iter: int
    learning_rate: float
    exaggeration: float = 12.0
    momentum: float = 0.8

    @property
    def n_early(self) -> int:
        """Steps of the exaggerated phase."""
        return self.n_iter // 3

    def steps(self) -> Iterator[Step]:
        """Return the settings of every step in turn."""
        for t in range(self.n_iter):
            exaggeration = self.exaggeration if t < self.n_early else 1.0
            yield Step(exaggeration, self.momentum, self.learning_rate)
