"""Tuning the strength of an estimator by scores at several strengths."""

from unprior.tuning._path import Path, Step
from unprior.tuning._tune import tune

__all__ = ["Path", "Step", "tune"]
