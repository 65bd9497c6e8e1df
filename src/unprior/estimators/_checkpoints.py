"""Open the checkpoint of a fit: what identifies the run, and its seed."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from unprior._digest import digest
from unprior._params import Kind, check_value
from unprior._random import draw_seed
from unprior._version import __version__
from unprior.estimators._base import PriorEstimator
from unprior.optimize._checkpoint import ABOUT, Checkpoint

#: Options that do not change the map.
WITHOUT_EFFECT = ("callbacks", "callbacks_every_iters", "checkpoint", "n_jobs", "verbose")

#: Libraries on whose versions the last bits of a map may depend.
LIBRARIES = ("numba", "numpy", "scipy", "scikit-learn")


def open_checkpoint(estimator: PriorEstimator, X: Any, **inputs: Any) -> Checkpoint | None:
    """Open the checkpoint of a fit, or return None without one.

    Parameters
    ----------
    estimator : estimator
        With the option ``checkpoint``; its other options identify the run.
    X : ndarray or StoredRows
        The data.
    **inputs
        What else the map depends on, such as priors, by the name of the argument.
    """
    if estimator.checkpoint is None:
        return None
    who, seed = type(estimator).__name__, estimator.random_state
    check_value(who, "random_state", seed, RESUMABLE)
    about = describe_run(estimator, X, **inputs)
    return Checkpoint.open(who, estimator.checkpoint, about, draw_seed(seed))


def describe_run(estimator: BaseEstimator, X: Any, **inputs: Any) -> dict[str, Any]:
    """Return what identifies a fit: versions, options, and digests of its inputs."""
    options = _with_effect(estimator.get_params(deep=False))
    return {
        "estimator": type(estimator).__name__,
        "version": __version__,
        "libraries": _libraries(),
        "data": digest(X),
        **{name: digest(value) for name, value in inputs.items()},
        "options": {name: _readable(value) for name, value in options.items()},
    }


#: Seeds with which a fit can be resumed; a generator may have advanced.
RESUMABLE = Kind(
    "None or a whole number together with a checkpoint",
    lambda seed: not isinstance(seed, np.random.RandomState),
)


def seed_of(estimator: PriorEstimator, checkpoint: Checkpoint | None) -> Any:
    """Return the random state of a fit, or the seed of its checkpoint if it is None."""
    if estimator.random_state is None and checkpoint is not None:
        return checkpoint.seed
    return estimator.random_state


def kept_seed(random_state: Any, folder: Any) -> int:
    """Return the seed of a run; without a random state, that of an existing checkpoint."""
    if random_state is None and folder is not None and (Path(folder) / ABOUT).exists():
        return Checkpoint.seed_in(folder)
    return draw_seed(random_state)


def _libraries() -> dict[str, str]:
    return {name: version(name) for name in LIBRARIES} | {"machine": platform.machine()}


def _readable(value: Any) -> Any:
    """Return a value that JSON can represent, or a digest."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return digest(_with_effect(value) if isinstance(value, Mapping) else value)


def _with_effect(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that change the map."""
    return {name: value for name, value in options.items() if name not in WITHOUT_EFFECT}
