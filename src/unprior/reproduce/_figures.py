"""Maps of two-factor data → small panels: colour for the known groups, shape for the hidden."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats
from unprior.plot._colors import HUES, MISSING
from unprior.plot._panel import MARKERS
from unprior.scores import OverlapCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Width of a panel in inches, and what its title and note add to its height.
PANEL, TEXTS = 2.4, 0.45
#: Width of a panel of curves in inches, with a key of up to so many of them.
CURVES, SHORT_KEY = 4.2, 6
#: Dots per inch, and colours in a file: maps need few of either.
DPI, COLORS = 100, 256


def map_panels(
    maps: Mapping[str, Floats],
    known: NDArray[np.str_],
    hidden: NDArray[np.str_],
    *,
    n_columns: int,
    notes: Mapping[str, str],
) -> Figure:
    """Draw maps in rows of panels, by name, with one key for all and a note below each."""
    from matplotlib.figure import Figure

    n_rows = math.ceil(len(maps) / n_columns)
    size = (PANEL * n_columns + 0.8, (PANEL + TEXTS) * n_rows)
    drawn = Figure(figsize=size, layout="constrained")
    axes = drawn.subplots(n_rows, n_columns, squeeze=False).ravel()
    for ax, (name, Y) in zip(axes, maps.items(), strict=False):
        _draw_map(ax, Y, known, hidden)
        ax.set_title(name, fontsize="medium")
        ax.set_xlabel(notes[name], fontsize="small")
    for ax in axes[len(maps) :]:
        ax.remove()
    drawn.legend(handles=_key(known, hidden), loc="outside right upper", frameon=False)
    return drawn


def overlap_panels(
    curves: Mapping[str, Mapping[str, OverlapCurve]], *, n_columns: int = 2
) -> Figure:
    """Draw overlap curves, one panel for each thing that the maps are held against."""
    from matplotlib.figure import Figure

    from unprior import plot

    n_rows = math.ceil(len(curves) / n_columns)
    most = max(len(by_method) for by_method in curves.values())
    side = CURVES if most <= SHORT_KEY else 1.3 * CURVES  # room for a longer key
    drawn = Figure(figsize=(side * n_columns, (side + 0.1) * n_rows), layout="constrained")
    axes = drawn.subplots(n_rows, n_columns, squeeze=False).ravel()
    for ax, (against, by_method) in zip(axes, curves.items(), strict=True):
        plot.overlap(by_method, ax=ax, title=f"overlap with {against}")
    return drawn


def save(drawn: Figure, path: Path) -> None:
    """Save a figure as a PNG file of few colours, a third as large as one of all."""
    from PIL import Image

    buffer = io.BytesIO()
    drawn.savefig(buffer, format="png", dpi=DPI)
    with Image.open(buffer) as picture:
        # Of the ways to choose the colours this one keeps the hues that few points have.
        few = picture.convert("RGB").quantize(COLORS, Image.Quantize.MAXCOVERAGE)
        few.save(path, optimize=True)


def _draw_map(ax: Axes, Y: Floats, known: NDArray[np.str_], hidden: NDArray[np.str_]) -> None:
    hues = np.array(HUES)[np.unique(known, return_inverse=True)[1]]
    for marker, group in zip(MARKERS, np.unique(hidden), strict=False):
        rows = hidden == group
        ax.scatter(
            Y[rows, 0],
            Y[rows, 1],
            c=hues[rows],
            marker=marker,
            s=14000 / (len(Y) + 500),
            alpha=0.7,
            lw=0,
        )
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_color(MISSING)


def _key(known: NDArray[np.str_], hidden: NDArray[np.str_]) -> list[Any]:
    """Return the legend's entries: a colour for each known group, a shape for each hidden one."""
    from matplotlib.lines import Line2D

    colors = zip(np.unique(known), HUES, strict=False)
    shapes = zip(np.unique(hidden), MARKERS, strict=False)
    return [
        *(Line2D([], [], lw=0, marker="s", color=hue, label=name) for name, hue in colors),
        *(Line2D([], [], lw=0, marker=shape, color="black", label=name) for name, shape in shapes),
    ]
