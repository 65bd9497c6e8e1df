"""Repulsion summed over all pairs."""

from __future__ import annotations

from unprior._typing import Floats
from unprior.forces._field import Field


def exact_field(Y: Floats) -> Field:
    """Sum the repulsion over all pairs of a map with three columns: O(n²) time, O(n) memory."""
    from unprior.kernels._pairs import repel

    force, total = repel(Y)
    return Field(force.sum(axis=0).T, 2 * float(total.sum()))
