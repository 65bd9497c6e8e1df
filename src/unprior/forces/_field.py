"""The record that every way to compute the repulsion returns."""

from __future__ import annotations

from dataclasses import dataclass

from unprior._typing import Floats


@dataclass(frozen=True)
class Field:
    """Repulsion in a map, with w = 1 / (1 + |y_i − y_j|²).

    Attributes
    ----------
    force : ndarray of shape (n_samples, 3)
        Σ_j w² (y_i − y_j).
    normalizer : float
        Z = Σ w over ordered pairs.
    """

    force: Floats
    normalizer: float
