"""A user's ``random_state`` -> a generator or a seed; None never touches the global generator."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def as_generator(random_state: Any) -> np.random.RandomState:
    """Return the generator that a random state stands for; for None a new one.

    scikit-learn takes None for NumPy's global generator, which belongs to the caller.

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
    """Return the seed that a random state stands for; None draws a new one.

    Examples
    --------
    >>> draw_seed(7)
    7
    """
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(as_generator(random_state).randint(2**31))
