"""Making figures with panels of a given size, registered with pyplot only if it can show them."""

from __future__ import annotations

import sys
import warnings
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unprior._params import Kind, check_value
from unprior._progress import in_notebook
from unprior._typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Backends that only write files.
SILENT = ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template")

#: Width and height of one of several panels, and of a single panel, in inches.
PANEL, LONE_PANEL = 3.0, 4.0


def new_panels(n_rows: int, n_columns: int) -> NDArray[np.object_]:
    """Make a grid of panels."""
    figure = _new_figure()
    axes = figure.subplots(n_rows, n_columns, squeeze=False)
    # The fraction of the figure that a panel has before the layout.
    figure.set_size_inches(_side(axes[0, 0]) / axes[0, 0].get_position().size)
    return axes


def _new_figure() -> Any:
    """Make a figure that notebooks and ``plt.show()`` display, if there is an interactive backend.

    Otherwise make one without pyplot, which would keep it alive and might need a display.
    """
    from matplotlib.figure import Figure

    pyplot = _shows_figures()
    if pyplot is not None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "More than .* figures have been opened")
            return pyplot.figure(layout="constrained")
    figure: Any = Figure(layout="constrained")
    figure._repr_png_ = partial(_as_png, figure)  # notebooks would otherwise need pyplot
    return figure


def _shows_figures() -> Any:
    """Return pyplot if it can show figures: in a window or in a notebook."""
    if "matplotlib.pyplot" not in sys.modules and not in_notebook():
        return None
    import matplotlib.pyplot as plt

    return None if plt.get_backend().lower() in SILENT else plt


def _as_png(figure: Figure) -> bytes:
    file = BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()


def fit_figure(panel: Axes) -> None:
    """Resize a new figure so that its panels have their size, whatever is drawn around them."""
    figure: Any = panel.figure
    limits = [(ax, ax.get_xlim(), ax.get_ylim()) for ax in figure.axes]
    # Without enough room for the legend, the layout would fail.
    figure.set_figwidth(max(figure.get_figwidth(), figure.get_tightbbox().x1))
    figure.draw_without_rendering()  # lays out
    lacking = _side(panel) - panel.get_window_extent().size / figure.dpi
    n_rows, n_columns = _grid(panel)
    figure.set_size_inches(figure.get_size_inches() + lacking * [n_columns, n_rows])
    for ax, x, y in limits:  # which the layout widens to keep the aspect equal
        ax.set_xlim(x, auto=None)
        ax.set_ylim(y, auto=None)


def panel_or_new(who: str, ax: Any) -> Axes:
    """Return the given Axes, or make one if None was given."""
    if ax is None:
        return new_panels(1, 1)[0, 0]
    _check_axes(who, ax)
    return ax


def panels_or_new(who: str, ax: Any, shape: tuple[int, int]) -> NDArray[np.object_]:
    """Return the given grid of Axes, or make one if None was given."""
    if ax is None:
        return new_panels(*shape)
    axes = np.atleast_2d(np.asarray(ax, dtype=object))
    if axes.shape != shape:
        message = f"{who}: 'ax' takes an array of Axes of shape {shape}; got shape {axes.shape}."
        raise ValueError(message)
    for panel in axes.flat:
        _check_axes(who, panel)
    return axes


def size_on_paper(ax: Axes) -> Floats:
    """Return the width and height of a panel in points."""
    box = ax.get_window_extent()
    return np.array([box.width, box.height]) * 72 / ax.figure.dpi


def _side(panel: Axes) -> float:
    return LONE_PANEL if _grid(panel) == (1, 1) else PANEL


def _grid(panel: Axes) -> tuple[int, int]:
    """Return the number of rows and columns of panels."""
    spec = panel.get_subplotspec()
    assert spec is not None
    return spec.get_gridspec().get_geometry()


def _check_axes(who: str, ax: Any) -> None:
    from matplotlib.axes import Axes

    check_value(who, "ax", ax, Kind("a matplotlib Axes", lambda a: isinstance(a, Axes)))
