"""Scatter plots of maps, for a hundred to a million samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._forms import plain
from unprior._frames import index_of
from unprior._params import Either, Kind, Number, OneOf, check_value
from unprior._validation import check_finite, check_numeric
from unprior.plot._axes import fit_figure, panel_or_new
from unprior.plot._colors import read_color
from unprior.plot._panel import Layout, draw_key, draw_points
from unprior.plot._texts import draw_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def embedding(
    Y: Any,
    *,
    color: Any = None,
    palette: Any = None,
    cmap: Any = None,
    size: float | None = None,
    legend: bool = True,
    ax: Any = None,
    title: str | None = None,
    note: str | None = None,
) -> Axes:
    """Draw a map, coloured by groups or by numbers.

    The size and opacity of the points depend on their density. More than 50 000 samples are shaded
    instead: each pixel of the panel shows one of its samples, paler where there are few. A map of
    one component is drawn as a strip, with random positions across it; of more than two components
    the first two are drawn, and a line below says so.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        The map.
    color : array-like of shape (n_samples,) or Prior, optional
        Strings, booleans, and integers with at most 21 distinct values are groups and get a legend
        with their sizes; other numbers and dates get a colour bar. Missing values are light grey.
        Also a prior with one value for each sample; cyclic ones get a cyclic colour map. If both
        have an index, rows are matched by it.
    palette : dict of str to matplotlib colour, list of colours, or colour map, optional
        Colours of groups by name; other groups keep the default colours, which are suitable for
        colour-blind readers. With more than 21 groups the smallest share one colour, unless a list
        or a colour map such as "turbo" has colours for all.
    cmap : str or matplotlib Colormap, optional
        Colour map of numbers.
    size : float, optional
        Area of a marker in square points; by default it depends on the density.
    legend : bool, default=True
        Whether to draw the legend or colour bar.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    title, note : str, optional
        A line above and a smaller one below the map.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_tuning(100, random_state=0)
    >>> ax = up.plot.embedding(data.hidden_features, color=data.hidden, title="hidden")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['B1 (55)', 'B2 (45)']
    """
    who = "plot.embedding"
    layout = lay_out(who, "Y", Y)
    check_style(who, size, legend)
    coloring = read_color(
        who, "color", color, len(layout.points), palette=palette, cmap=cmap, index=index_of(Y)
    )
    panel = panel_or_new(who, ax)
    draw_points(panel, layout, coloring, size)
    draw_texts(panel, title=title, lines=[[note], [layout.remark], [coloring.remark]])
    if color is not None and legend:
        draw_key(panel, coloring, grows=ax is None)
    if ax is None:
        fit_figure(panel)
    return panel


def check_style(who: str, size: Any, legend: Any) -> None:
    """Check the area of points and the legend option."""
    check_value(who, "size", size, Either(OneOf(None), Number(0, open_low=True)))
    check_value(who, "legend", legend, Kind("True or False", lambda v: isinstance(v, bool)))


def lay_out(who: str, name: str, Y: Any) -> Layout:
    """Check a map and return the coordinates to draw."""
    Y = check_numeric(who, name, plain(Y, who=who, name=name))
    if Y.ndim != 2 or 0 in Y.shape:
        message = f"{who}: {name!r} takes an array (n_samples, n_components); got shape {Y.shape}."
        raise ValueError(message)
    check_finite(who, name, Y)
    n_samples, n_components = Y.shape
    if n_components == 1:
        jitter = np.random.RandomState(0).uniform(-1, 1, size=n_samples)
        return Layout(np.column_stack([Y[:, 0], jitter]), is_strip=True, remark="")
    remark = f"components 1 and 2 of {n_components}" if n_components > 2 else ""
    return Layout(Y[:, :2], is_strip=False, remark=remark)
