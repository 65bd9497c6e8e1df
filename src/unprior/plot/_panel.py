"""Drawing the samples of a map in a panel, as points or shaded, with a legend or colour bar."""

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
#: Most samples for which groups have different markers; with more, points are too small.
SHAPED_SAMPLES = 2000
#: Most samples drawn as vector graphics in a PDF; more are one image.
VECTOR_SAMPLES = 5000
#: Most samples drawn as points; more are shaded pixel by pixel.
POINT_SAMPLES = 50_000
#: Rows of a legend; further names go into a second column.
LEGEND_ROWS = 11
#: Most names in a legend.
LEGEND_MOST = 44
#: Approximate width of a legend beside a panel, in inches.
LEGEND_INCHES = 1.2
#: Fraction of a full panel that one sample covers; n samples cover n ** 0.4 times as much.
INK = 0.016
#: Opacity of isolated points, and of points among very many.
OPAQUE, PALEST = 0.9, 0.4
#: Most boxes along a side, and samples per box, for estimating how full a panel is.
SIDE, PER_BOX = 64, 8
#: Size of a pixel of a shaded panel, in points: the size of a sample where shading begins.
PIXEL = 0.75
#: Opacity of a pixel with a single sample; the fullest pixels are opaque.
PALEST_PIXEL = 0.5
#: Quantile of samples per occupied pixel from which pixels are opaque.
FULL = 0.99
#: Margin around the samples, relative to their extent.
MARGIN = 0.05


@dataclass(frozen=True, eq=False)
class Layout:
    """Coordinates of the samples in a panel, and a remark to write below."""

    points: Floats
    is_strip: bool
    remark: str


def draw_points(ax: Axes, layout: Layout, coloring: Coloring, size: float | None = None) -> None:
    """Draw the samples without ticks, with an equal aspect ratio."""
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
    """Draw the samples as points; the denser, the smaller and paler."""
    n_samples = len(layout.points)
    area, alpha = _area_and_opacity(ax, layout.points)
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
    """Yield the rows and marker of each layer, in an order in which no group hides others."""
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


def _area_and_opacity(ax: Axes, points: Floats) -> tuple[float, float]:
    """Return the area of a marker, in square points, and its opacity."""
    panel = float(size_on_paper(ax).prod())
    share, n_samples = occupied_share(points), len(points)
    area = INK * panel * share**0.5 / n_samples**0.6
    overplotting = n_samples * area / (panel * share)
    return area, max(OPAQUE / (1 + overplotting) ** 0.5, PALEST)


def occupied_share(points: Floats) -> float:
    """Return the fraction of their bounding box that samples occupy; small for tight clusters."""
    side = int(np.clip((len(points) / PER_BOX) ** 0.5, 1, SIDE))
    low = points.min(axis=0)
    span = np.maximum(np.ptp(points, axis=0), np.finfo(points.dtype).tiny)
    boxes = np.minimum((points - low) / span * side, side - 1).astype(np.intp)
    return len(np.unique(boxes[:, 0] * side + boxes[:, 1])) / side**2


def draw_key(ax: Axes, coloring: Coloring, title: str | None = None, *, grows: bool = True) -> None:
    """Draw a legend or colour bar beside the panel; ``grows``: the figure makes room for it."""
    if isinstance(coloring, Amounts):
        # Inset, so that the panels of a row stay equally wide.
        inset = ax.inset_axes((1.05, 0.1, 0.05, 0.8))
        bar = ax.figure.colorbar(coloring.scale(), cax=inset, **coloring.ticks())
        bar.outline.set_visible(False)
        bar.ax.set_title(shorten(title or ""), fontsize="small", loc="left")
        bar.ax.tick_params(labelsize="small")
        return
    handles = _handles(coloring)
    # The figure of given axes does not grow: without room beside the panel, the legend is drawn
    # inside it, and smaller.
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
        text.set_parse_math(False)  # names may contain dollar signs


def _is_crowded(ax: Axes) -> bool:
    """Whether a legend on the right would overlap another panel."""
    figure: Any = ax.figure
    box = ax.get_position()
    others = [each.get_position() for each in figure.axes if each is not ax]
    right = [o.x0 for o in others if o.x0 > box.x0 and o.y0 < box.y1 and o.y1 > box.y0]
    return bool(right) and (min(right) - box.x1) * figure.get_figwidth() < LEGEND_INCHES


def _handles(groups: Groups) -> list[Line2D]:
    """Return the legend's markers, of the default size."""
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


def draw_shading(ax: Axes, points: Floats, paint: Floats, order: Indices, *, equal: bool) -> None:
    """Draw samples as one image; a pixel has the colour of its last sample in ``order``.

    Mixed colours would not be in the legend.
    """
    low, high = _bounds(points, equal=equal)
    shape = np.maximum(size_on_paper(ax) / PIXEL, 1).astype(np.intp)
    if equal:
        shape[:] = shape.min()
    xy = np.minimum((points - low) / (high - low) * shape, shape - 1).astype(np.intp)
    pixels = xy[:, 1] * shape[0] + xy[:, 0]
    image = shade(pixels, paint, order, int(shape.prod())).reshape(shape[1], shape[0], 4)
    extent = (low[0], high[0], low[1], high[1])
    ax.imshow(image, extent=extent, origin="lower", aspect="auto")


def shade(pixels: Indices, paint: Floats, order: Indices, n_pixels: int) -> Floats:
    """Return the RGBA colour of each pixel, from the pixel and the colour of each sample."""
    counts = np.bincount(pixels, minlength=n_pixels)
    occupied = counts > 0
    shown = np.zeros(n_pixels, dtype=np.intp)
    shown[pixels[order]] = order  # the last sample of each pixel
    full = max(float(np.quantile(counts[occupied], FULL)), 2.0)
    fullness = np.minimum(np.log(counts[occupied]) / np.log(full), 1)
    image = np.zeros((n_pixels, 4))
    image[occupied] = paint[shown[occupied]]
    image[occupied, 3] = PALEST_PIXEL + (1 - PALEST_PIXEL) * fullness
    return image


def _bounds(points: Floats, *, equal: bool) -> tuple[Floats, Floats]:
    """Return the corners of the image, which is square if ``equal``."""
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.maximum(high - low, np.finfo(points.dtype).tiny)
    if equal:
        span = np.full(2, span.max())
    middle, half = (low + high) / 2, span * (0.5 + MARGIN)
    return middle - half, middle + half
