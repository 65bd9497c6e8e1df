"""Very many samples → an image: each cell shows one of its samples, paler where there are few."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unprior._typing import Floats, Indices
from unprior.plot._axes import size_on_paper

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Width of a cell on paper, in points: that of a sample where shading takes over.
CELL = 0.75
#: Opacity of a cell with a single sample; the fullest cells are opaque.
PALEST = 0.5
#: The share of occupied cells that are not quite full.
NOT_FULL = 0.99
#: What is left free around the samples, as a share of their extent.
MARGIN = 0.05


def draw_shading(ax: Axes, points: Floats, paint: Floats, order: Indices, *, equal: bool) -> None:
    """Draw samples as one image; of those in a cell, the last in ``order`` gives the colour.

    A mixture of colours would be in no legend, and the groups that share a place are the news.
    """
    low, high = _bounds(points, equal=equal)
    shape = np.maximum(size_on_paper(ax) / CELL, 1).astype(np.intp)
    if equal:
        shape[:] = shape.min()
    cells = np.minimum((points - low) / (high - low) * shape, shape - 1).astype(np.intp)
    places = cells[:, 1] * shape[0] + cells[:, 0]
    image = shade(places, paint, order, int(shape.prod())).reshape(shape[1], shape[0], 4)
    extent = (low[0], high[0], low[1], high[1])
    ax.imshow(image, extent=extent, origin="lower", aspect="auto")


def shade(places: Indices, paint: Floats, order: Indices, n_cells: int) -> Floats:
    """Return the RGBA colour of each cell, from the cell and the colour of each sample."""
    counts = np.bincount(places, minlength=n_cells)
    occupied = counts > 0
    shown = np.zeros(n_cells, dtype=np.intp)
    shown[places[order]] = order  # of several samples in one cell the last one stays
    full = max(float(np.quantile(counts[occupied], NOT_FULL)), 2.0)
    fullness = np.minimum(np.log(counts[occupied]) / np.log(full), 1)
    image = np.zeros((n_cells, 4))
    image[occupied] = paint[shown[occupied]]
    image[occupied, 3] = PALEST + (1 - PALEST) * fullness
    return image


def _bounds(points: Floats, *, equal: bool) -> tuple[Floats, Floats]:
    """Return the corners of the image; of a square one, if distances are equal along both axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.maximum(high - low, np.finfo(points.dtype).tiny)
    if equal:
        span = np.full(2, span.max())
    middle, half = (low + high) / 2, span * (0.5 + MARGIN)
    return middle - half, middle + half
