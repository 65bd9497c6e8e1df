"""An estimator, data and priors -> the folder in which its fit is kept, if it has one."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from unprior._digest import digest
from unprior._params import Kind, check_value
from unprior._random import draw_seed
from unprior._version import __version__
from unprior.optimize._checkpoint import ABOUT, Checkpoint

#: Options that no map depends on.
WITHOUT_EFFECT = ("callbacks", "callbacks_every_iters", "checkpoint", "n_jobs", "verbose")

#: Whose versions the last bits of a map may depend on.
LIBRARIES = ("numba", "numpy", "scipy", "scikit-learn")


def open_checkpoint(estimator: Any, X: Any, **known: Any) -> Checkpoint | None:
    """Open the checkpoint of a fit, if it is to have one.

    Parameters
    ----------
    estimator : estimator
        With the option ``checkpoint``; its other options are part of what is kept.
    X : ndarray or StoredRows
        The data.
    **known
        What else the map depends on, by the name of the argument: priors, most of all.
    """
    if estimator.checkpoint is None:
        return None
    who, seed = type(estimator).__name__, estimator.random_state
    check_value(who, "random_state", seed, RESUMABLE)
    about = describe_run(estimator, X, **known)
    return Checkpoint.open(who, estimator.checkpoint, about, draw_seed(seed))


def describe_run(estimator: Any, X: Any, **known: Any) -> dict[str, Any]:
    """Return what tells a fit from others: versions, options, and digests of all it is given."""
    options = _with_effect(estimator.get_params(deep=False))
    return {
        "estimator": type(estimator).__name__,
        "version": __version__,
        "libraries": _libraries(),
        "data": digest(X),
        **{name: digest(value) for name, value in known.items()},
        "options": {name: _readable(value) for name, value in options.items()},
    }


#: Seeds with which a fit can go on: a generator may have moved since.
RESUMABLE = Kind(
    "None or a whole number together with a checkpoint",
    lambda seed: not isinstance(seed, np.random.RandomState),
)


def seed_of(estimator: Any, checkpoint: Checkpoint | None) -> Any:
    """Return the random state of a fit: without one, that of its checkpoint."""
    if estimator.random_state is None and checkpoint is not None:
        return checkpoint.seed
    return estimator.random_state


def kept_seed(random_state: Any, folder: Any) -> int:
    """Return the seed of a run: without a random state, that of the checkpoint, if there is one."""
    if random_state is None and folder is not None and (Path(folder) / ABOUT).exists():
        return Checkpoint.seed_in(folder)
    return draw_seed(random_state)


def _libraries() -> dict[str, str]:
    return {name: version(name) for name in LIBRARIES} | {"machine": platform.machine()}


def _readable(value: Any) -> Any:
    """Return a value that JSON holds as it is, or the digest of another."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return digest(_with_effect(value) if isinstance(value, Mapping) else value)


def _with_effect(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a map depends on."""
    return {name: value for name, value in options.items() if name not in WITHOUT_EFFECT}
