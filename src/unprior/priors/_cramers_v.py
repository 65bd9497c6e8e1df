"""A table of counts -> how far two label sets go together."""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats, Indices


def bias_corrected_v(counts: Indices | Floats) -> float:
    """Return the bias-corrected Cramér's V of a table of counts.

    Examples
    --------
    >>> round(bias_corrected_v(np.array([[20, 0], [0, 20]])), 3)
    1.0
    >>> bias_corrected_v(np.full((2, 2), 10))
    0.0
    """
    n, (rows, columns) = counts.sum(), counts.shape
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    there = expected > 0
    phi = float((np.square(counts - expected)[there] / expected[there]).sum() / n)
    corrected = max(0.0, phi - (rows - 1) * (columns - 1) / (n - 1))
    least = min(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)) - 1
    return float(min(1.0, np.sqrt(corrected / least))) if least > 0 else 0.0
