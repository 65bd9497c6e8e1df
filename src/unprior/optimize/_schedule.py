"""The steps of gradient descent: the settings of each one, and the update with momentum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from unprior._typing import Floats

#: Smallest gain of a coordinate, as in t-SNE.
LEAST_GAIN = 0.01


@dataclass(frozen=True)
class Step:
    """The settings of one step of a descent.

    Attributes
    ----------
    learning_rate : float
        Step size, for a gradient with its factor 4.
    momentum : float
        Fraction of the previous velocity that is kept.
    gains : bool
        Whether every coordinate has its own step size (delta-bar-delta).
    longest : float
        Largest displacement of a sample.
    exaggeration : float
        Factor on the data's attraction.
    emphasis : float
        Factor on the strength of the priors.
    broad : bool
        Whether the step uses larger neighbourhoods of the data.
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
        """Whether the step follows the objective itself, without exaggeration or emphasis."""
        return self.exaggeration == 1 and self.emphasis == 1 and not self.broad


class Schedule(Protocol):
    """A number of steps and their settings."""

    @property
    def n_iter(self) -> int:
        """Maximum number of steps."""

    @property
    def learning_rate(self) -> float:
        """Largest learning rate of all steps."""

    def steps(self) -> Iterator[Step]:
        """Yield the settings of each step."""


@dataclass(frozen=True)
class TwoPhases:
    """t-SNE's schedule: a phase of early exaggeration, then the objective itself.

    Attributes
    ----------
    n_iter : int
        Number of steps.
    learning_rate : float
        Step size, for a gradient with its factor 4.
    n_early : int
        Number of steps with exaggeration.
    exaggeration : float
        Factor on the data's attraction in that phase.
    early_momentum, momentum : float
        Momentum in that phase and after it.
    """

    n_iter: int
    learning_rate: float
    n_early: int = 250
    exaggeration: float = 12.0
    early_momentum: float = 0.5
    momentum: float = 0.8

    def steps(self) -> Iterator[Step]:
        """Yield the settings of each step."""
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
    """JEDI's schedule: step size, neighbourhoods and the weight of the priors decrease together.

    Groups that the prior does not explain are scattered over the prior's own groups, so small
    neighbourhoods never contain them whole. The first steps use broad neighbourhoods, if the
    objective has them, and bring such groups together; later steps add detail.

    The priors start with ``emphasis`` times their strength, since a map that has formed without the
    prior keeps its shape when the strength drops to its final value. At constant strength, the
    prior's groups separate first and never quite merge again. Gains have the same effect: they
    follow the objective into fine detail, where those groups separate again.

    Attributes
    ----------
    n_iter : int
        Number of steps.
    learning_rate : float
        Size of the first step, for a gradient with its factor 4.
    emphasis : float
        Factor on the strength of the priors at the first step.
    gains : bool
        Whether every coordinate has its own step size.
    """

    n_iter: int
    learning_rate: float
    emphasis: float
    gains: bool

    #: Fraction of the steps, at the start, with broad neighbourhoods; and, at the end, on the
    #: objective itself.
    BROAD_SHARE: ClassVar[float] = 0.2
    TRUE_SHARE: ClassVar[float] = 0.1

    def steps(self) -> Iterator[Step]:
        """Yield the settings of each step."""
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
    """Short steps of constant size, to settle a map that is nearly converged.

    Attributes
    ----------
    n_iter : int
        Number of steps.
    learning_rate : float
        Step size, for a gradient with its factor 4.
    """

    n_iter: int
    learning_rate: float

    def steps(self) -> Iterator[Step]:
        """Yield the settings of each step."""
        for _ in range(self.n_iter):
            yield Step(self.learning_rate, longest=1.0)


@dataclass(frozen=True)
class Motion:
    """What momentum carries from step to step: velocity, and a gain for each coordinate."""

    velocity: Floats
    gains: Floats

    @classmethod
    def at_rest(cls, Y: Floats) -> Motion:
        """Return the state before the first step."""
        return cls(np.zeros_like(Y), np.ones_like(Y))


def advance(Y: Floats, gradient: Floats, motion: Motion, step: Step) -> tuple[Floats, Motion]:
    """Take one step of gradient descent with momentum, and centre the map."""
    gains = _adapt(gradient, motion) if step.gains else motion.gains
    velocity = step.momentum * motion.velocity - step.learning_rate * gains * gradient
    if np.isfinite(step.longest):
        lengths = np.sqrt(np.einsum("ij,ij->i", velocity, velocity))
        velocity /= np.maximum(lengths / step.longest, 1)[:, None]
    moved = Y + velocity
    # Column by column: NumPy is slow at sums over the rows of a narrow array.
    moved -= [column.mean() for column in moved.T]
    return moved, Motion(velocity, gains)


def _adapt(gradient: Floats, motion: Motion) -> Floats:
    """Increase the gains of coordinates that keep their direction, and reduce the others."""
    turns = gradient * motion.velocity > 0
    return np.maximum(np.where(turns, motion.gains * 0.8, motion.gains + 0.2), LEAST_GAIN)
