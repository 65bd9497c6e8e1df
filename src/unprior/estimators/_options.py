"""Options that several estimators share, each described once."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from unprior._params import Either, Kind, Number, OneOf, Option, Whole


def _is_strengths(value: Any) -> bool:
    """Whether this is a list, tuple, array or dict of finite, non-negative numbers."""
    values = list(value.values()) if isinstance(value, Mapping) else value
    if isinstance(values, np.ndarray):
        values = values.tolist()  # a number if the array has no dimension
    if not isinstance(values, list | tuple) or not len(values):
        return False
    return all(Number(0).accepts(v) for v in values)


def _are_callbacks(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(callable(c) for c in value)


def starts(*names: str) -> Either:
    """Return what 'init' takes: one of some names, or an array."""
    return Either(OneOf(*names), Kind("an array", lambda v: not isinstance(v, str)))


def learning_rate(automatic: str) -> Option:
    """Return the option 'learning_rate'; ``automatic`` describes "auto"."""
    return Option(
        Either(OneOf("auto"), Number(0, open_low=True)), f'Step size; "auto" is {automatic}.'
    )


NONE = Kind("None", lambda v: v is None)
STRENGTHS = Either(Number(0), Kind("a list or dict of these, one for each prior", _is_strengths))

SHARES = Either(
    Number(0, 1),
    Kind(
        "a list or dict of these, one for each prior",
        lambda v: _is_strengths(v) and max(v.values() if isinstance(v, Mapping) else v) <= 1,
    ),
)

COMPONENTS = Option(Whole(1, 3), "Dimensions of the map.")
METRIC = Option(
    Kind("a metric's name or a function", lambda m: isinstance(m, str) or callable(m)),
    "Distance between rows of ``X``: a metric of SciPy by name, a function of two vectors, or "
    '"precomputed" if ``X`` is a distance matrix.',
)
N_ITER = Option(Whole(1), "Maximum number of steps.")
MIN_GRAD_NORM = Option(Number(0), "Stop when the norm of the gradient falls to this.")
CALLBACKS = Option(
    Either(NONE, Kind("a list of functions", _are_callbacks)),
    "Called before each step as ``callback(iteration, objective, embedding)``; a true return value "
    "stops. The embedding is read-only.",
)
CHECKPOINT = Option(
    Either(NONE, Kind("a folder", lambda v: isinstance(v, str | PathLike))),
    "Folder in which the state of the descent is saved while it runs. A fit that was stopped or "
    "killed resumes from it, to the same map. It belongs to one fit: other data, priors, options "
    "or versions are refused.",
)
N_JOBS = Option(
    Either(NONE, Kind("a whole number other than 0", lambda n: Whole().accepts(n) and n != 0)),
    "Number of threads: None is one (unless set by ``joblib.parallel_config``), -1 all. The result "
    "does not depend on it.",
)
RANDOM_STATE = Option(
    Either(
        NONE,
        Whole(0, 2**32 - 1),
        Kind("a numpy RandomState", lambda v: isinstance(v, np.random.RandomState)),
    ),
    "Seed: the same seed gives the same map.",
)
VERBOSE = Option(
    Either(Whole(0), Kind("a bool", lambda v: isinstance(v, bool))),
    "0 shows a progress bar for long fits in a terminal or notebook; 1 always.",
)
