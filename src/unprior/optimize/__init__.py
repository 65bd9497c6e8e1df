"""Objective -> map: initial maps, schedules, gradient descent and dual ascent."""

from unprior.optimize._checkpoint import Checkpoint
from unprior.optimize._dual_ascent import DualAscent, minimize_constrained
from unprior.optimize._minimize import Descent, minimize
from unprior.optimize._schedule import Annealed, Schedule, Steady, TwoPhases
from unprior.optimize._start import (
    coarse_start,
    given_start,
    random_start,
    spectral_start,
)

__all__ = [
    "Annealed",
    "Checkpoint",
    "Descent",
    "DualAscent",
    "Schedule",
    "Steady",
    "TwoPhases",
    "coarse_start",
    "given_start",
    "minimize",
    "minimize_constrained",
    "random_start",
    "spectral_start",
]
