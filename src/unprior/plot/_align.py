"""Maps of the same samples → the same maps, turned so that the eye can follow the samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from unprior._typing import Floats
from unprior.plot._panel import Layout


def align(layouts: Mapping[str, Layout]) -> dict[str, Layout]:
    """Turn, and flip where that fits better, all maps towards the first of their kind.

    Directions on a map mean nothing, so that each keeps all of its distances.
    """
    aligned: dict[str, Layout] = {}
    first: dict[bool, Floats] = {}
    for name, layout in layouts.items():
        target = first.setdefault(layout.is_strip, layout.points)
        turn = _flip if layout.is_strip else _turn
        points = layout.points if target is layout.points else turn(layout.points, target)
        aligned[name] = replace(layout, points=points)
    return aligned


def _turn(points: Floats, target: Floats) -> Floats:
    """Rotate about the centre to where samples are nearest to their targets (Procrustes)."""
    from scipy.linalg import orthogonal_procrustes

    centre = points.mean(axis=0)
    rotation, _ = orthogonal_procrustes(points - centre, target - target.mean(axis=0))
    return (points - centre) @ rotation + centre


def _flip(points: Floats, target: Floats) -> Floats:
    """Turn a strip end to end if that fits better; its breadth means nothing."""
    against = np.cov(points[:, 0], target[:, 0])[0, 1] < 0
    return points * [-1, 1] if against else points
