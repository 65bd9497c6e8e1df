"""Maps of two-factor data → small panels: colour is the known group, shape the hidden one."""

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

#: Width of a panel in inches, and the height of its title and note.
PANEL, TEXTS = 2.4, 0.45
#: Width of a panel of curves in inches, if its legend has at most this many entries.
CURVES, SHORT_KEY = 4.2, 6
#: Dots per inch, and colours in a file: few are enough for maps.
DPI, COLORS = 100, 256


def map_panels(
    maps: Mapping[str, Floats],
    known: NDArray[np.str_],
    hidden: NDArray[np.str_],
    *,
    n_columns: int,
    notes: Mapping[str, str],
) -> Figure:
    """Draw maps in rows of panels, with one legend for all and a note below each."""
    from matplotlib.figure import Figure

    n_columns = min(n_columns, len(maps))  # a quick run has one map of each grid
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
    handles = _legend(known, hidden)
    drawn.legend(handles=handles, loc="outside right upper", frameon=False, handlelength=1)
    return drawn


def overlap_panels(
    curves: Mapping[str, Mapping[str, OverlapCurve]], *, n_columns: int = 2
) -> Figure:
    """Draw overlap curves, one panel for each structure that maps are compared with."""
    from matplotlib.figure import Figure

    from unprior import plot

    n_rows = math.ceil(len(curves) / n_columns)
    most = max(len(by_method) for by_method in curves.values())
    side = CURVES if most <= SHORT_KEY else 1.3 * CURVES  # room for a longer legend
    drawn = Figure(figsize=(side * n_columns, (side + 0.1) * n_rows), layout="constrained")
    axes = drawn.subplots(n_rows, n_columns, squeeze=False).ravel()
    for ax, (what, by_method) in zip(axes, curves.items(), strict=True):
        plot.overlap(by_method, ax=ax, title=f"overlap with {what}")
    return drawn


def save_compared(
    folder: Path, name: str, maps: Mapping[str, Floats], color: Mapping[str, Any], *, n_first: int
) -> None:
    """Draw maps side by side, one row per colouring: the first in one figure, the rest in another.

    The files are called after ``name``, the second with ``_others`` added.
    """
    from unprior import plot

    names = [*maps]
    for file, shown in ((name, names[:n_first]), (f"{name}_others", names[n_first:])):
        axes = plot.compare({method: maps[method] for method in shown}, color=color)
        save(axes[0, 0].figure, folder / f"{file}.png")


def save(drawn: Figure, path: Path) -> None:
    """Save a figure as a PNG file of few colours, a third of the usual size."""
    from PIL import Image

    buffer = io.BytesIO()
    drawn.savefig(buffer, format="png", dpi=DPI)
    with Image.open(buffer) as picture:
        # This way of choosing colours keeps those that few points have.
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


def _legend(known: NDArray[np.str_], hidden: NDArray[np.str_]) -> list[Any]:
    """Return legend entries: a colour for each known group, a shape for each hidden one."""
    from matplotlib.lines import Line2D

    colors = zip(np.unique(known), HUES, strict=False)
    shapes = zip(np.unique(hidden), MARKERS, strict=False)
    return [
        Line2D([], [], lw=0, label="known"),
        *(Line2D([], [], lw=6, color=hue, label=name) for name, hue in colors),
        Line2D([], [], lw=0, label="hidden"),
        *(Line2D([], [], lw=0, marker=shape, color="black", label=name) for name, shape in shapes),
    ]
