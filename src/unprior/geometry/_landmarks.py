"""A number of samples -> landmarks, which stand for all where all would be too many."""

from __future__ import annotations

import numpy as np

from unprior._typing import Indices


def draw_landmarks(n_samples: int, most: int) -> Indices:
    """Return all samples, or ``most`` of them drawn at random, in order; the same draw every time.

    Examples
    --------
    >>> draw_landmarks(4, most=10)
    array([0, 1, 2, 3])
    >>> len(draw_landmarks(100, most=10))
    10
    """
    if n_samples <= most:
        return np.arange(n_samples)
    return np.sort(np.random.default_rng(0).choice(n_samples, most, replace=False))
