"""Map -> its samples sorted into the boxes of a grid.

On one thread: a second one would be waited for longer than it saves.
"""

from __future__ import annotations

import numpy as np

from unprior.kernels._jit import njit


@njit()
def find_boxes(Y, axes, low, side, shape):  # type: ignore[no-untyped-def]
    """Return the number of every sample's box, boxes along the last of the axes in a row."""
    box = np.empty(len(Y), dtype=np.int64)
    for i in range(len(Y)):
        number = 0
        for d in range(3):
            place = int((np.float64(Y[i, axes[d]]) - low[d]) / side)
            number = number * shape[d] + min(place, shape[d] - 1)
        box[i] = number
    return box


@njit()
def sort_boxes(box, n_boxes, visited):  # type: ignore[no-untyped-def]
    """Return the samples box by box, in a box as they are visited; and where each box begins."""
    first = np.zeros(n_boxes + 1, dtype=np.int64)
    for i in range(len(box)):
        first[box[i] + 1] += 1
    for number in range(n_boxes):
        first[number + 1] += first[number]
    order, filled = np.empty(len(box), dtype=np.int64), first[:-1].copy()
    for i in visited:
        order[filled[box[i]]] = i
        filled[box[i]] += 1
    return order, first
