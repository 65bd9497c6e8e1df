"""Places and colours of samples → one panel: points, texts, and a key beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unprior._typing import Floats, Indices
from unprior.plot._colors import MISSING, Amounts, Coloring, Groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

MARKERS = ("o", "^", "s", "D", "v", "P", "X")
#: Up to this many samples a group also shows by its shape; beyond, shapes are too small to see.
SHAPED_SAMPLES = 2000
#: Beyond this many samples a PDF holds them as one image, not as that many drawings.
VECTOR_SAMPLES = 5000
#: Names one below the other in a legend; more go beside them.
LEGEND_ROWS = 11
#: The share of the panel that one sample would cover; n samples cover n ** 0.4 times as much.
INK = 0.011


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the samples of a map go on paper, and what must be said about it."""

    points: Floats
    is_strip: bool
    remark: str


def draw_points(ax: Axes, layout: Layout, coloring: Coloring) -> None:
    """Draw the samples, without ticks; distances are equal along both axes."""
    n_samples = len(layout.points)
    paint = coloring.paint()
    for rows, marker in _layers(coloring.codes):
        ax.scatter(
            layout.points[rows, 0],
            layout.points[rows, 1],
            color=paint[rows],
            marker=marker,
            s=_point_area(ax, n_samples),
            alpha=float(np.clip(1.5 - 0.2 * np.log10(n_samples), 0.3, 0.9)),
            linewidths=0,
            rasterized=n_samples > VECTOR_SAMPLES,
        )
    if layout.is_strip:
        ax.set_ylim(-4, 4)
    else:
        ax.set_aspect("equal", adjustable="datalim")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_color(MISSING)


def _layers(codes: Indices) -> Iterator[tuple[Indices, str]]:
    """Say who is drawn when, and in which shape, so that nobody hides a whole group."""
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


def _point_area(ax: Axes, n_samples: int) -> float:
    """Return the area of a point in square points: the more samples, the smaller."""
    box = ax.get_window_extent()
    panel = box.width * box.height * (72 / ax.figure.dpi) ** 2
    return float(INK * panel / n_samples**0.6)


def draw_texts(ax: Axes, *, title: str | None, lines: list[str | None]) -> None:
    """Write the title above the panel, and smaller lines below it."""
    if title:
        ax.set_title(title, fontsize="medium")
    ax.set_xlabel("\n".join(filter(None, lines)), fontsize="small")


def draw_key(ax: Axes, coloring: Coloring, title: str | None = None) -> None:
    """Put a legend or a colour bar beside the panel."""
    if isinstance(coloring, Amounts):
        # Within the panel's own frame of reference: the panels of a row stay equally wide.
        bar = ax.figure.colorbar(coloring.scale(), cax=ax.inset_axes((1.05, 0.1, 0.05, 0.8)))
        bar.outline.set_visible(False)
        bar.ax.set_title(title or "", fontsize="small", loc="left")
        bar.ax.tick_params(labelsize="small")
        return
    handles = _handles(coloring)
    ax.legend(
        handles=handles,
        title=title,
        ncols=math.ceil(len(handles) / LEGEND_ROWS),
        loc="upper left",
        bbox_to_anchor=(1, 1),
        frameon=False,
        fontsize="small",
        title_fontsize="small",
        alignment="left",
    )


def _handles(groups: Groups) -> list[Line2D]:
    """Make the legend's points: as large as a reader needs them, whatever their size in the map."""
    from matplotlib.lines import Line2D

    n_samples = len(groups.codes)
    return [
        Line2D([], [], linestyle="", marker=_marker(code, n_samples), color=color, label=name)
        for code, name, color in groups.key()
    ]
