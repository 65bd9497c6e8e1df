"""Places and colours of samples → one panel: points, and a key beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._typing import Floats, Indices
from unprior.plot._axes import size_on_paper
from unprior.plot._colors import MISSING, Amounts, Coloring, Groups
from unprior.plot._texts import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

MARKERS = ("o", "^", "s", "D", "v", "P", "X")
#: Up to this many samples a group also shows by its shape; beyond, shapes are too small to see.
SHAPED_SAMPLES = 2000
#: Beyond this many samples a PDF holds them as one image, not as that many drawings.
VECTOR_SAMPLES = 5000
#: Beyond this many samples a map is shaded cell by cell instead of drawn point by point.
POINT_SAMPLES = 50_000
#: Rows of a legend; further names go into a second column.
LEGEND_ROWS = 11
#: Names in a legend; of more groups, the first of them.
LEGEND_MOST = 44
#: Inches that a legend beside a panel takes, roughly.
LEGEND_INCHES = 1.2
#: The share of a full panel that one sample would cover; n samples cover n ** 0.4 times as much.
INK = 0.016
#: Opacity of a point that lies on no other, and of one among very many.
OPAQUE, PALEST = 0.9, 0.4
#: Most cells along a side, and samples for each cell, when it is counted how full a panel is.
SIDE, PER_CELL = 64, 8


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the samples of a map go on paper, and what must be said about it."""

    points: Floats
    is_strip: bool
    remark: str


def draw_points(ax: Axes, layout: Layout, coloring: Coloring, size: float | None = None) -> None:
    """Draw the samples, without ticks; distances are equal along both axes."""
    layers, paint = [*_layers(coloring.codes)], coloring.paint()
    if len(layout.points) > POINT_SAMPLES and size is None:
        order = np.concatenate([rows for rows, _ in layers])
        draw_shading(ax, layout.points, paint, order, equal=not layout.is_strip)
    else:
        _draw_layers(ax, layout, paint, layers, size)
    if layout.is_strip:
        ax.set_ylim(-4, 4)
    else:
        ax.set_aspect("equal", adjustable="datalim")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_color(MISSING)


def _draw_layers(
    ax: Axes,
    layout: Layout,
    paint: Floats,
    layers: list[tuple[Indices, str]],
    size: float | None,
) -> None:
    """Draw the samples point by point: the denser they lie, the smaller and paler."""
    n_samples = len(layout.points)
    area, alpha = _look(ax, layout.points)
    area = area if size is None else size
    for rows, marker in layers:
        ax.scatter(
            layout.points[rows, 0],
            layout.points[rows, 1],
            color=paint[rows],
            marker=marker,
            s=area,
            alpha=alpha,
            linewidths=0,
            rasterized=n_samples > VECTOR_SAMPLES,
        )


def _layers(codes: Indices) -> Iterator[tuple[Indices, str]]:
    """Choose order and shape of the points, so that no group is hidden by others."""
    n_samples = len(codes)
    yield np.flatnonzero(codes < 0), _marker(-1, n_samples)
    if n_samples > SHAPED_SAMPLES:
        yield np.random.RandomState(0).permutation(np.flatnonzero(codes >= 0)), MARKERS[0]
        return
    groups, counts = np.unique(codes[codes >= 0], return_counts=True)
    for code in groups[np.argsort(-counts, kind="stable")]:
        yield np.flatnonzero(codes == code), _marker(code, n_samples)


def _marker(code: int, n_samples: int) -> str:
    return MARKERS[0] if code < 0 or n_samples > SHAPED_SAMPLES else MARKERS[code % len(MARKERS)]


def _look(ax: Axes, points: Floats) -> tuple[float, float]:
    """Return the area of a point, in square points of print, and its opacity."""
    panel = float(size_on_paper(ax).prod())
    share, n_samples = occupied_share(points), len(points)
    area = INK * panel * share**0.5 / n_samples**0.6
    overplotting = n_samples * area / (panel * share)
    return area, max(OPAQUE / (1 + overplotting) ** 0.5, PALEST)


def occupied_share(points: Floats) -> float:
    """Return the share of the box around the samples that they fill: little in tight clusters."""
    side = int(np.clip((len(points) / PER_CELL) ** 0.5, 1, SIDE))
    low = points.min(axis=0)
    span = np.maximum(np.ptp(points, axis=0), np.finfo(points.dtype).tiny)
    cells = np.minimum((points - low) / span * side, side - 1).astype(np.intp)
    return len(np.unique(cells[:, 0] * side + cells[:, 1])) / side**2


def draw_key(ax: Axes, coloring: Coloring, title: str | None = None, *, grows: bool = True) -> None:
    """Put a legend or a colour bar beside the panel; ``grows``: the figure makes room for it."""
    if isinstance(coloring, Amounts):
        # Within the panel's own frame of reference: the panels of a row stay equally wide.
        place = ax.inset_axes((1.05, 0.1, 0.05, 0.8))
        bar = ax.figure.colorbar(coloring.scale(), cax=place, **coloring.ticks())
        bar.outline.set_visible(False)
        bar.ax.set_title(shorten(title or ""), fontsize="small", loc="left")
        bar.ax.tick_params(labelsize="small")
        return
    handles = _handles(coloring)
    # On given axes the figure does not grow with the legend: what has no room is not drawn beside
    # the neighbour but within the panel, smaller.
    inside = not grows and _is_crowded(ax)
    where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1, 1), "fontsize": "small"}
    if inside:
        where = {"loc": "best", "fontsize": "x-small", "framealpha": 0.7}
    legend = ax.legend(
        handles=handles,
        title=title and shorten(title),
        ncols=math.ceil(len(handles) / LEGEND_ROWS),
        frameon=inside,
        title_fontsize=where["fontsize"],
        alignment="left",
        **where,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # a name may hold dollars


def _is_crowded(ax: Axes) -> bool:
    """Whether another panel is so close on the right that a legend would lie on it."""
    figure: Any = ax.figure
    box = ax.get_position()
    others = [each.get_position() for each in figure.axes if each is not ax]
    right = [o.x0 for o in others if o.x0 > box.x0 and o.y0 < box.y1 and o.y1 > box.y0]
    return bool(right) and (min(right) - box.x1) * figure.get_figwidth() < LEGEND_INCHES


def _handles(groups: Groups) -> list[Line2D]:
    """Make the legend's points: as large as a reader needs them, whatever their size in the map."""
    from matplotlib.lines import Line2D

    n_samples, key = len(groups.codes), groups.key()
    shown = key if len(key) <= LEGEND_MOST else key[: LEGEND_MOST - 1]
    handles = [
        Line2D([], [], linestyle="", marker=_marker(code, n_samples), color=color, label=label)
        for code, label, color in shown
    ]
    if len(shown) < len(key):
        handles.append(Line2D([], [], linestyle="", label=f"... and {len(key) - len(shown)} more"))
    return handles


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
