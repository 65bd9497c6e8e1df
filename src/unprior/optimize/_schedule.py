"""How a descent proceeds: the settings of each of its steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np


@dataclass(frozen=True)
class Step:
    """The settings of one step of a descent.

    Attributes
    ----------
    learning_rate : float
        Step size, for a gradient with its factor 4.
    momentum : float
        Share of the last step's motion that is kept.
    gains : bool
        Whether every coordinate has a step size of its own (delta-bar-delta).
    longest : float
        No sample moves farther than this.
    exaggeration : float
        Factor on the data's attraction.
    emphasis : float
        Factor on the strength of the priors.
    broad : bool
        Whether the step looks at larger neighbourhoods of the data.
    """

    learning_rate: float
    momentum: float = 0.8
    gains: bool = False
    longest: float = np.inf
    exaggeration: float = 1.0
    emphasis: float = 1.0
    broad: bool = False

    @property
    def is_true(self) -> bool:
        """Whether the step follows the objective itself, with nothing enlarged."""
        return self.exaggeration == 1 and self.emphasis == 1 and not self.broad


class Schedule(Protocol):
    """A number of steps and their settings."""

    @property
    def n_iter(self) -> int:
        """Most steps to take."""

    @property
    def learning_rate(self) -> float:
        """Size of the largest step."""

    def steps(self) -> Iterator[Step]:
        """Return the settings of every step in turn."""


@dataclass(frozen=True)
class TwoPhases:
    """t-SNE's schedule: exaggerated attraction gathers samples, the true objective places them.

    Attributes
    ----------
    n_iter : int
        Steps in all.
    learning_rate : float
        Step size, for a gradient with its factor 4.
    n_early : int
        Steps of the exaggerated phase.
    exaggeration : float
        Factor on the data's attraction in that phase.
    early_momentum, momentum : float
        Momentum in that phase, and after it.
    """

    n_iter: int
    learning_rate: float
    n_early: int = 250
    exaggeration: float = 12.0
    early_momentum: float = 0.5
    momentum: float = 0.8

    def steps(self) -> Iterator[Step]:
        """Return the settings of every step in turn."""
        for t in range(self.n_iter):
            if t < self.n_early:
                yield Step(
                    self.learning_rate,
                    self.early_momentum,
                    gains=True,
                    exaggeration=self.exaggeration,
                )
            else:
                yield Step(self.learning_rate, self.momentum, gains=True)


@dataclass(frozen=True)
class Annealed:
    """JEDI's schedule: steps and neighbourhoods shrink, an enlarged prior comes to its strength.

    Groups that the prior does not tell lie scattered over the prior's own groups, so that small
    neighbourhoods never see them whole. The first steps look at broad ones, where the objective
    has them, and bring such groups together; the later ones draw them in detail.

    While the samples find their places, the prior counts double; a map that has formed without it
    keeps its shape when the strength falls to what was asked for. With that strength throughout,
    the prior's groups part first and never quite merge again. Gains would undo this too: they
    follow the objective into its finest folds, where those groups part once more.

    Attributes
    ----------
    n_iter : int
        Steps in all.
    learning_rate : float
        Size of the first step, for a gradient with its factor 4.
    emphasis : float
        Factor on the strength of the priors at the first step.
    gains : bool
        Whether every coordinate has a step size of its own.
    """

    n_iter: int
    learning_rate: float
    emphasis: float
    gains: bool

    #: The first part of the steps sees broad neighbourhoods, the last follows the true objective.
    BROAD_SHARE: ClassVar[float] = 0.2
    TRUE_SHARE: ClassVar[float] = 0.1

    def steps(self) -> Iterator[Step]:
        """Return the settings of every step in turn."""
        for t in range(self.n_iter):
            done = t / self.n_iter
            enlarged = max(0.0, 1 - done / (1 - self.TRUE_SHARE))
            yield Step(
                self.learning_rate * max(1 - done, 0.02),
                gains=self.gains,
                longest=1.0,
                emphasis=1 + (self.emphasis - 1) * enlarged,
                broad=done < self.BROAD_SHARE,
            )


@dataclass(frozen=True)
class Steady:
    """Equal steps, none of them long: they settle a map that is nearly done.

    Attributes
    ----------
    n_iter : int
        Steps in all.
    learning_rate : float
        Step size, for a gradient with its factor 4.
    """

    n_iter: int
    learning_rate: float

    def steps(self) -> Iterator[Step]:
        """Return the settings of every step in turn."""
        for _ in range(self.n_iter):
            yield Step(self.learning_rate, longest=1.0)
