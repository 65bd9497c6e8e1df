"""The options that several estimators share, each described once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unprior._params import Either, Kind, Number, Option, Whole


def _is_strengths(value: Any) -> bool:
    """Whether this is a list, tuple, array or dict of finite numbers that are not negative."""
    values = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(values, list | tuple | np.ndarray) or not len(values):
        return False
    return all(Number(0).accepts(v) for v in values)


STRENGTHS = Either(Number(0), Kind("a list or dict of such, one for each prior", _is_strengths))

COMPONENTS = Option(Whole(1, 3), "Dimensions of the map.")
METRIC = Option(
    Kind("a metric's name or a function", lambda m: isinstance(m, str) or callable(m)),
    "Distance between rows of ``X``: a name SciPy knows, a function of two vectors, or "
    '"precomputed" if ``X`` is a distance matrix.',
)
N_JOBS = Option(
    Either(Kind("None", lambda v: v is None), Whole()),
    "Threads: None is one (or what ``joblib.parallel_config`` says), -1 all. The result does not "
    "depend on it.",
)
RANDOM_STATE = Option(
    Either(
        Kind("None", lambda v: v is None),
        Whole(0, 2**32 - 1),
        Kind("a numpy RandomState", lambda v: isinstance(v, np.random.RandomState)),
    ),
    "Seed: the same seed gives the same map.",
)
VERBOSE = Option(
    Either(Whole(0), Kind("a bool", lambda v: isinstance(v, bool))),
    "0 shows a progress bar for long work where a person is watching (a terminal, a notebook); 1 "
    "always.",
)
