"""Slow, obvious twin of how landmarks are added: one lonely sample at a time."""

from __future__ import annotations

import numpy as np

from unprior.distances._potential_landmarks import (
    ASKED,
    ENOUGH,
    FAR,
    MOST_ADDED,
    draw_from_cells,
)


def added(D, cells, near):
    """Landmarks that are added to those drawn, in their order, and the weight of each."""
    n = len(D)
    drawn = draw_from_cells(cells)
    others = np.setdiff1d(np.arange(n), drawn)
    asked = np.random.default_rng(0).permutation(others)[:ASKED]
    samples, weights = [], []

    def is_lonely(i):
        landmarks = np.append(drawn, samples).astype(int)
        around = landmarks[D[i, landmarks] <= FAR * near]
        return any((own[around] == own[i]).sum() < ENOUGH for own in cells)

    left = [i for i in asked if is_lonely(i)]
    while left and len(samples) < MOST_ADDED:
        new = left[0]
        around = [i for i in left if D[i, new] <= FAR * near]
        stands_for = sum(any(own[i] == own[new] for own in cells) for i in around) / ENOUGH
        samples.append(new)
        weights.append(stands_for * len(others) / len(asked) * len(drawn) / n)
        left = [i for i in left[1:] if is_lonely(i)]
    return np.array(samples, dtype=int), np.array(weights)
