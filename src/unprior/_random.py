"""``random_state`` -> generator or seed; None never uses the global generator."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def as_generator(random_state: Any) -> np.random.RandomState:
    """Return the generator of a random state; for None a new one.

    For None, scikit-learn would use NumPy's global generator, which belongs to the caller.

    Examples
    --------
    >>> int(as_generator(0).randint(100))
    44
    """
    if random_state is None:
        return np.random.RandomState()  # seeded by the operating system
    try:
        return check_random_state(random_state)
    except ValueError:
        message = (
            "random_state: takes None, a whole number from 0 to 2³² − 1 or a RandomState; got "
            f"{random_state!r}."
        )
        raise ValueError(message) from None


def draw_seed(random_state: Any) -> int:
    """Return the seed of a random state; for None a new one.

    Examples
    --------
    >>> draw_seed(7)
    7
    """
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(as_generator(random_state).randint(2**31))
