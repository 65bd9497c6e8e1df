"""Gradient -> step: momentum, on request with a gain for every coordinate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats
from unprior.optimize._schedule import Step

LEAST_GAIN = 0.01


@dataclass(frozen=True)
class Motion:
    """The state of a descent: velocity, and a gain for each coordinate."""

    velocity: Floats
    gains: Floats

    @classmethod
    def at_rest(cls, Y: Floats) -> Motion:
        """Return the state before the first step."""
        return cls(np.zeros_like(Y), np.ones_like(Y))


def advance(Y: Floats, gradient: Floats, motion: Motion, step: Step) -> tuple[Floats, Motion]:
    """Move the map one step downhill and keep it centred."""
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
    """Speed up coordinates that keep their direction, slow down those that turn back."""
    turns = gradient * motion.velocity > 0
    return np.maximum(np.where(turns, motion.gains * 0.8, motion.gains + 0.2), LEAST_GAIN)
