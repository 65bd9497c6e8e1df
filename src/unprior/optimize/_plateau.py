"""Values of an objective -> whether it still falls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: Values that are averaged, so that the noise of one draw does not decide.
WINDOW = 25

#: The least fall from one window to the next, in nats; no eye sees what it moves.
LEAST_FALL = 1e-5


def is_flat(values: Sequence[float]) -> bool:
    """Tell whether the mean of the last values has stopped falling.

    Examples
    --------
    >>> is_flat([1 / (t + 1) for t in range(100)])
    False
    >>> is_flat([1.0, 0.5, 0.75, 0.75, 0.75] * 20)
    True
    """
    if len(values) < 2 * WINDOW:
        return False
    before, now = np.mean(values[-2 * WINDOW : -WINDOW]), np.mean(values[-WINDOW:])
    return bool(before - now < LEAST_FALL)
