"""Numbers of panels → empty Axes of a figure that pyplot does not know of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unprior._params import Kind, check_value
from unprior._typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Width and height of a panel among several and of one on its own, in inches.
PANEL, LONE_PANEL = 3.2, 4.5
#: Width for the legend or colour bar beside the panels, in inches.
KEY = 1.2


def new_panels(n_rows: int, n_columns: int) -> NDArray[np.object_]:
    """Make a grid of panels with room for a key at the right."""
    from matplotlib.figure import Figure

    # pyplot would keep the figure alive, and may ask for a display; a bare Figure does neither.
    side = LONE_PANEL if n_rows * n_columns == 1 else PANEL
    size = (side * n_columns + KEY, side * n_rows)
    return Figure(figsize=size, layout="constrained").subplots(n_rows, n_columns, squeeze=False)


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
    """Return width and height of a panel, in points of print."""
    box = ax.get_window_extent()
    return np.array([box.width, box.height]) * 72 / ax.figure.dpi


def _check_axes(who: str, ax: Any) -> None:
    from matplotlib.axes import Axes

    check_value(who, "ax", ax, Kind("a matplotlib Axes", lambda a: isinstance(a, Axes)))
