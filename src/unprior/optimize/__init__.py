"""Objective -> map: where to begin, how to step, when to stop."""

from unprior.optimize._constrained import minimize_constrained
from unprior.optimize._dual_ascent import DualAscent
from unprior.optimize._minimize import Descent, minimize
from unprior.optimize._schedule import Annealed, Schedule, Steady, TwoPhases
from unprior.optimize._start import SPREAD, given_start, random_start, spectral_start

__all__ = [
    "SPREAD",
    "Annealed",
    "Descent",
    "DualAscent",
    "Schedule",
    "Steady",
    "TwoPhases",
    "given_start",
    "minimize",
    "minimize_constrained",
    "random_start",
    "spectral_start",
]
