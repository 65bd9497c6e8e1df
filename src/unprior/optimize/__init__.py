"""Objective -> map: where to begin, how to step, when to stop."""

from unprior.optimize._minimize import Descent, minimize
from unprior.optimize._schedule import Schedule
from unprior.optimize._start import given_start, random_start, spectral_start

__all__ = ["Descent", "Schedule", "given_start", "minimize", "random_start", "spectral_start"]
