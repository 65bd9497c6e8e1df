"""The option 'strength' -> one number for each prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unprior._params import Number, Takes, check_value
from unprior._typing import Floats


def read_strengths(
    who: str,
    strength: Any,
    names: Sequence[str],
    takes: Takes = Number(0),  # noqa: B008 (frozen)
) -> Floats:
    """Return one strength for each prior, from a number, a list, or a dict by name."""
    if isinstance(strength, Mapping):
        if set(strength) != set(names):
            message = (
                f"{who}: 'strength' takes one number for each prior, {[*names]}; got {[*strength]}."
            )
            raise ValueError(message)
        strength = [strength[name] for name in names]
    if not isinstance(strength, list | tuple | np.ndarray) or not np.ndim(strength):
        strength = [strength] * len(names)
    if len(strength) != len(names):
        message = (
            f"{who}: 'strength' takes a number or one for each prior; got {len(strength)} for "
            f"{len(names)} prior{'s' if len(names) != 1 else ''}."
        )
        raise ValueError(message)
    for value in strength:
        check_value(who, "strength", value, takes)
    return np.asarray(strength, dtype=np.float64)
