"""Objective -> map: where to begin, how to step, when to stop."""

from unprior.optimize._minimize import Descent, minimize
from unprior.optimize._schedule import Annealed, Schedule, TwoPhases
from unprior.optimize._start import SPREAD, given_start, random_start, spectral_start

__all__ = [
    "SPREAD",
    "Annealed",
    "Descent",
    "Schedule",
    "TwoPhases",
    "given_start",
    "minimize",
    "random_start",
    "spectral_start",
]
