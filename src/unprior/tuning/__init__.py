"""An estimator, data and a prior → scores at every strength, and the strength to take."""

from unprior.tuning._path import Path, Step
from unprior.tuning._tune import tune

__all__ = ["Path", "Step", "tune"]
