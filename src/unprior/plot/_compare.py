"""Several maps of the same samples side by side, with one row of panels for each colouring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._frames import index_of
from unprior._typing import Floats
from unprior.plot._axes import fit_figure, panels_or_new
from unprior.plot._colors import Coloring, Groups, read_color
from unprior.plot._panel import Layout, draw_key, draw_points
from unprior.plot._scatter import check_style, lay_out
from unprior.plot._texts import draw_texts, score_lines

WHO = "plot.compare"


def compare(
    maps: Mapping[str, Any],
    *,
    color: Any = None,
    palette: Any = None,
    cmap: Any = None,
    size: float | None = None,
    legend: bool = True,
    scores: Any = None,
    notes: Mapping[str, str | Sequence[str]] | None = None,
    align: bool = True,
    ax: Any = None,
) -> NDArray[np.object_]:
    """Draw several maps of the same samples side by side.

    Parameters
    ----------
    maps : dict of str to array-like of shape (n_samples, n_components)
        The maps by name, one column each.
    color : array-like of shape (n_samples,) or dict of them, optional
        Values to colour the samples by, as in `embedding`. A dict gives one row of panels for each
        entry, with its name above the legend.
    palette : as in `embedding`, or dict of these, optional
        Colours of groups; if ``color`` is a dict, a dict of palettes by the same names.
    cmap, size, legend : optional
        Colour map of numbers, area of points, and whether to draw legends, as in `embedding`.
    scores : Comparison or dict of str to Report, optional
        The result of `unprior.scores.compare` for these maps, or some of them. Written below the
        maps: how much is left of priors and kept of hidden structure (purity or coherence, 0 by
        chance), and the fraction of the data's neighbours that is kept. Scores with the name of a
        row are below that row, all others below the last.
    notes : dict of str to str or list of str, optional
        Lines to write below the maps, by the map's name: one for the whole column, or a list with
        one for each row.
    align : bool, default=True
        Rotate and reflect the maps to match the first (Procrustes), so that they are easier to
        compare. Distances do not change.
    ax : array-like of matplotlib Axes, shape (n_rows, n_maps), optional
        Where to draw, for a single row also of shape (n_maps,); by default in a new figure.

    Returns
    -------
    axes : ndarray of matplotlib Axes, shape (n_rows, n_maps)

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_tuning(100, random_state=0)
    >>> axes = up.plot.compare(
    ...     {"known": data.known_features, "hidden": data.hidden_features},
    ...     color={"known": data.known, "hidden": data.hidden},
    ...     notes={"hidden": "what a good map shows"},
    ... )
    >>> axes.shape
    (2, 2)
    """
    layouts = _lay_out_all(maps)
    n_samples = len(next(iter(layouts.values())).points)
    check_style(WHO, size, legend)
    index = index_of(next(iter(maps.values())))
    colorings = _read_colors(color, n_samples, palette, cmap, index)
    lines = _read_notes(notes, [*maps], len(colorings))
    measured = score_lines(WHO, scores, [*maps], [*colorings])
    axes = panels_or_new(WHO, ax, (len(colorings), len(layouts)))
    if align:
        layouts = align_layouts(layouts)
    for row, (key_title, coloring) in enumerate(colorings.items()):
        for panel, (name, layout) in zip(axes[row], layouts.items(), strict=True):
            draw_points(panel, layout, coloring, size)
            below: list[Sequence[str | None]] = [measured[name][row], [lines[name][row]]]
            below += [[layout.remark], [coloring.remark]]
            draw_texts(panel, title=name if row == 0 else None, lines=below)
        if color is not None and legend:
            draw_key(axes[row, -1], coloring, key_title, grows=ax is None)
    if ax is None:
        fit_figure(axes[0, 0])
    return axes


def _lay_out_all(maps: Any) -> dict[str, Layout]:
    """Check that the maps are a dict of maps of the same samples."""
    if not isinstance(maps, Mapping) or not maps:
        message = (
            f"{WHO}: 'maps' takes a dict of maps by name, such as {{'t-SNE': Y0, 'JEDI': Y}}; got "
            f"{'an empty one' if isinstance(maps, Mapping) else type(maps).__name__}."
        )
        raise ValueError(message)
    layouts = {name: lay_out(WHO, f"maps[{name!r}]", Y) for name, Y in maps.items()}
    sizes = {name: len(layout.points) for name, layout in layouts.items()}
    if len(set(sizes.values())) > 1:
        message = f"{WHO}: 'maps' takes maps of the same samples; got {sizes} samples."
        raise ValueError(message)
    return layouts


def _read_colors(
    color: Any, n_samples: int, palette: Any, cmap: Any, index: Any
) -> dict[str | None, Coloring]:
    """Return one colouring for each row, by its title; no hue is used twice if possible."""
    same: dict[str, Any] = {"cmap": cmap, "index": index}
    if not isinstance(color, Mapping):
        return {None: read_color(WHO, "color", color, n_samples, palette=palette, **same)}
    if not color:
        message = f"{WHO}: 'color' takes values or a dict of them; got an empty one."
        raise ValueError(message)
    palettes = palette if isinstance(palette, Mapping) else dict.fromkeys(color, palette)
    colorings: dict[str | None, Coloring] = {}
    first_hue = 0
    for title, values in color.items():
        coloring = read_color(
            WHO,
            f"color[{title!r}]",
            values,
            n_samples,
            first_hue=first_hue,
            palette=palettes.get(title),
            **same,
        )
        first_hue += len(coloring.names) if isinstance(coloring, Groups) else 0
        colorings[title] = coloring
    return colorings


def _read_notes(notes: Any, names: list[str], n_rows: int) -> dict[str, list[str | None]]:
    """Return one line, or None, for each panel of each map's column."""
    notes = {} if notes is None else notes
    unknown = set(notes) - set(names)
    if unknown:
        message = f"{WHO}: 'notes' takes the names of maps, {names}; got {sorted(unknown)}."
        raise ValueError(message)
    lines: dict[str, list[str | None]] = {name: [None] * n_rows for name in names}
    for name, note in notes.items():
        if isinstance(note, str):
            lines[name][-1] = note
        elif len(note) == n_rows:
            lines[name] = list(note)
        else:
            message = (
                f"{WHO}: notes[{name!r}] takes a line or a list of one for each of the {n_rows} "
                f"rows; got {len(note)}."
            )
            raise ValueError(message)
    return lines


def align_layouts(layouts: Mapping[str, Layout]) -> dict[str, Layout]:
    """Rotate and reflect maps to match the first map of the same number of dimensions."""
    aligned: dict[str, Layout] = {}
    first: dict[bool, Floats] = {}
    for name, layout in layouts.items():
        target = first.setdefault(layout.is_strip, layout.points)
        match = _flip if layout.is_strip else rotate
        points = layout.points if target is layout.points else match(layout.points, target)
        aligned[name] = replace(layout, points=points)
    return aligned


def rotate(points: Floats, target: Floats) -> Floats:
    """Rotate and reflect points about their mean to be nearest to their targets (Procrustes)."""
    from scipy.linalg import orthogonal_procrustes

    centre = points.mean(axis=0)
    rotation, _ = orthogonal_procrustes(points - centre, target - target.mean(axis=0))
    return (points - centre) @ rotation + centre


def _flip(points: Floats, target: Floats) -> Floats:
    """Reverse a strip if that matches the target better."""
    opposite = np.cov(points[:, 0], target[:, 0])[0, 1] < 0
    return points * [-1, 1] if opposite else points
