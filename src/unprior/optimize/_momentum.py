"""Gradient -> step: momentum with a gain for every coordinate (delta-bar-delta)."""

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
    # A coordinate that keeps its direction speeds up, one that turns back slows down.
    turns = gradient * motion.velocity > 0
    gains = np.maximum(np.where(turns, motion.gains * 0.8, motion.gains + 0.2), LEAST_GAIN)
    velocity = step.momentum * motion.velocity - step.learning_rate * gains * gradient
    moved = Y + velocity
    return moved - moved.mean(axis=0), Motion(velocity, gains)
