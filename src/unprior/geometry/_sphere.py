"""Latitudes and longitudes -> points of the unit sphere, and chords between them -> arcs."""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats


def unit_vectors(latitudes: Floats, longitudes: Floats) -> Floats:
    """Points of the unit sphere, shape (n, 3), from angles in radians."""
    ring = np.cos(latitudes)
    return np.column_stack(
        (ring * np.cos(longitudes), ring * np.sin(longitudes), np.sin(latitudes))
    )


def arcs(chords: Floats) -> Floats:
    """Angles in radians between points of the unit sphere, from the straight lines between them."""
    return 2 * np.arcsin(np.minimum(chords / 2, 1))
