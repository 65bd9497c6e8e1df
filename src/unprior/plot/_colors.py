"""Colours of samples by groups or numbers, and the entries of their legend or colour bar."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unprior._forms import plain
from unprior._frames import align
from unprior._params import suggest
from unprior._typing import Floats, Indices
from unprior.plot._texts import shorten_all
from unprior.priors import Prior
from unprior.priors._labels import is_missing

if TYPE_CHECKING:
    from matplotlib.cm import ScalarMappable

# The colour-blind safe hues of Okabe and Ito; palest last.
HUES = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442")
#: Each hue unchanged, darker and lighter: mixed with black (0) or white (1), and its fraction.
SHADES = ((0.0, 0.0), (0.0, 0.45), (1.0, 0.5))
#: A colour map with fewer colours is used as a list of colours for groups.
FEW_COLORS = 64
OTHERS, MISSING = "#8C8C8C", "#D4D4D4"
#: Most groups with different colours.
MOST_GROUPS = len(HUES) * len(SHADES)
COLORMAP = "viridis"
#: Colours of the cyclic colour map; none is as pale as the grey of missing values.
CYCLE = ("#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#0072B2")


@dataclass(frozen=True, eq=False)
class Groups:
    """Samples in named groups; a sample's code is the position of its group, -1 if missing."""

    names: tuple[str, ...]
    colors: tuple[Any, ...]
    codes: Indices
    remark: str = ""

    def paint(self) -> Floats:
        """Return one RGBA colour for each sample."""
        from matplotlib.colors import to_rgba_array

        return to_rgba_array([*self.colors, MISSING])[self.codes]

    def key(self) -> list[tuple[int, str, Any]]:
        """Return code, name with size, and colour of each group, and of missing values if any."""
        n_missing, *sizes = np.bincount(self.codes + 1, minlength=len(self.names) + 1)
        groups = [
            (code, f"{name} ({size:,})", color)
            for code, (name, size, color) in enumerate(
                zip(shorten_all(self.names), sizes, self.colors, strict=True)
            )
        ]
        return [*groups, (-1, f"missing ({n_missing:,})", MISSING)] if n_missing else groups


@dataclass(frozen=True, eq=False)
class Amounts:
    """One number for each sample, NaN if missing; dates are in matplotlib's days.

    With a period they are cyclic: 0 and the period have the same colour.
    """

    values: Floats
    are_dates: bool = False
    colormap: Any = None
    period: float | None = None

    @property
    def remark(self) -> str:
        """The number of missing values, which the colour bar does not show."""
        missing = int(np.count_nonzero(self.codes < 0))
        return f"grey: {missing:,} without a value" if missing else ""

    @property
    def codes(self) -> Indices:
        """0 for each sample, or -1 if missing."""
        return np.where(np.isfinite(self.values), 0, -1)

    def scale(self) -> ScalarMappable:
        """Return the mapping from numbers to colours, over the range of the numbers."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LinearSegmentedColormap, Normalize

        colormap = self.colormap or COLORMAP
        if self.period is not None:
            cyclic = self.colormap or LinearSegmentedColormap.from_list("cyclic", CYCLE)
            return ScalarMappable(Normalize(0, self.period), cyclic)
        present = self.values[np.isfinite(self.values)]
        low, high = float(present.min()), float(present.max())
        if low == high:  # a colour bar needs a range
            low, high = low - 0.1 * (abs(low) or 1), high + 0.1 * (abs(high) or 1)
        return ScalarMappable(Normalize(low, high), colormap)

    def ticks(self) -> dict[str, Any]:
        """Return the locator and formatter of a colour bar of dates; empty for numbers."""
        if not self.are_dates:
            return {}
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        locator = AutoDateLocator(maxticks=6)
        return {"ticks": locator, "format": ConciseDateFormatter(locator)}

    def paint(self) -> Floats:
        """Return one RGBA colour for each sample."""
        from matplotlib.colors import to_rgba

        colors = self.scale().to_rgba(self.values)
        colors[self.codes < 0] = to_rgba(MISSING)
        return colors


Coloring: TypeAlias = Groups | Amounts


def read_color(
    who: str,
    name: str,
    color: Any,
    n_samples: int,
    *,
    first_hue: int = 0,
    palette: Any = None,
    cmap: Any = None,
    index: Any = None,
) -> Coloring:
    """Read colours as groups or amounts: floats, dates and many distinct integers are amounts.

    ``index`` names the rows of the map; colours with an index are matched by it.
    """
    if color is None:
        return Groups(("all",), (HUES[0],), np.zeros(n_samples, dtype=np.intp))
    if cmap is not None:
        _check_colormap(who, cmap)
    color = plain(align(who, name, color, index, "Y"), who=who, name=name)
    color, period = values_of(who, name, color)
    values = _as_objects(color)
    if values.shape != (n_samples,):
        message = (
            f"{who}: {name!r} takes one value for each of the {n_samples} samples; got shape "
            f"{values.shape}."
        )
        raise ValueError(message)
    missing = np.array([is_missing(value) for value in values.tolist()])
    present, are_dates = _count_days(np.array(values[~missing].tolist()))
    if present.dtype.kind not in "Ubiuf":
        message = (
            f"{who}: {name!r} takes numbers, words or dates; got "
            f"{type(values[~missing][0]).__name__} values. Turn them into one of these first."
        )
        raise ValueError(message)
    kind = present.dtype.kind
    if (kind == "f" and present.size) or (kind in "iu" and len(np.unique(present)) > MOST_GROUPS):
        amounts = np.full(n_samples, np.nan)
        amounts[~missing] = present
        return Amounts(amounts, are_dates, cmap, period)
    if palette is None or isinstance(palette, Mapping):
        return _repaint(who, _group(present, missing, first_hue), palette or {})
    groups = _group(present, missing, first_hue, most=len(present))
    return replace(groups, colors=tuple(_spread(who, palette, len(groups.names))))


def values_of(who: str, name: str, color: Any) -> tuple[Any, float | None]:
    """Return the values of a prior with one value for each sample, and the period if cyclic.

    Values that are not a prior are returned unchanged; an array of one column as that column.
    """
    if isinstance(color, Prior):
        column = color.column()
        if column is not None:
            return column
        message = (
            f"{who}: {name!r} takes one value for each sample; got a prior of kind {color.kind!r}. "
            "Give one of its columns."
        )
        raise ValueError(message)
    if np.ndim(color) == 2 and np.shape(color)[1] == 1:
        return np.asarray(color).ravel(), None
    return color, None


def _check_colormap(who: str, cmap: Any, name: str = "cmap") -> None:
    from matplotlib import colormaps
    from matplotlib.colors import Colormap

    if not isinstance(cmap, Colormap) and cmap not in [*colormaps]:
        hint = suggest(str(cmap), colormaps)
        message = f"{who}: {name!r} takes a colour map of matplotlib; got {cmap!r}.{hint}"
        raise ValueError(message)


def _as_objects(color: Any) -> NDArray[np.object_]:
    """Return objects, so that missing values change neither strings, integers nor dates."""
    if isinstance(color, np.ndarray) and color.dtype.kind == "M":
        color = color.astype("M8[us]")
    return np.asarray(color, dtype=object)


def _count_days(present: NDArray[Any]) -> tuple[NDArray[Any], bool]:
    """Return dates in matplotlib's days and True; other values unchanged and False."""
    if not present.size or not all(isinstance(value, date) for value in present.tolist()):
        return present, False
    from matplotlib.dates import date2num

    return np.asarray(date2num(present)), True


def _group(
    present: NDArray[Any], missing: NDArray[np.bool_], first_hue: int, most: int = MOST_GROUPS
) -> Groups:
    """Give each group a colour; with more than ``most`` groups, the smallest share one."""
    unique, inverse, counts = np.unique(present, return_inverse=True, return_counts=True)
    n_kept = len(unique) if len(unique) <= most else most - 1
    kept = np.sort(np.argsort(-counts, kind="stable")[:n_kept])
    if present.dtype.kind == "U":
        kept = np.array(sorted(kept, key=lambda i: _natural_order(str(unique[i]))), dtype=np.intp)
    position = np.full(len(unique), n_kept)
    position[kept] = np.arange(n_kept)
    codes = np.full(len(missing), -1, dtype=np.intp)
    codes[~missing] = position[inverse]
    names = [str(name) for name in unique[kept]]
    colors = _palette(min(n_kept, MOST_GROUPS), first_hue)
    colors += [OTHERS] * (n_kept - len(colors))  # replaced by the caller's palette
    if n_kept < len(unique):
        names, colors = [*names, f"{len(unique) - n_kept} others"], [*colors, OTHERS]
    return Groups(tuple(names), tuple(colors), codes)


def _spread(who: str, palette: Any, n_colors: int) -> list[Any]:
    """Return ``n_colors`` colours of a colour map, or of a list, which is repeated."""
    from matplotlib import colormaps
    from matplotlib.colors import Colormap, ListedColormap, is_color_like

    if isinstance(palette, str | Colormap):
        _check_colormap(who, palette, "palette")
        colormap = colormaps[palette] if isinstance(palette, str) else palette
        if isinstance(colormap, ListedColormap) and colormap.N < FEW_COLORS:
            palette = colormap.colors
        else:
            return [colormap(share) for share in np.linspace(0, 1, n_colors)]
    if not len(palette) or not all(map(is_color_like, palette)):
        message = (
            f"{who}: 'palette' takes a dict from groups to matplotlib colours, a list of colours "
            f"or a colour map; got {palette}."
        )
        raise ValueError(message)
    return [palette[number % len(palette)] for number in range(n_colors)]


def _natural_order(name: str) -> list[Any]:
    """Return a sort key of a name by which "c2" sorts before "c10"."""
    parts = re.split(r"(\d+)", name)
    return [int(part) if odd % 2 else part for odd, part in enumerate(parts)]


def _repaint(who: str, groups: Groups, palette: Any) -> Groups:
    """Apply the user's palette to the groups it names."""
    from matplotlib.colors import is_color_like

    if not isinstance(palette, Mapping) or not all(map(is_color_like, palette.values())):
        message = f"{who}: 'palette' takes a dict from groups to matplotlib colours; got {palette}."
        raise ValueError(message)
    chosen = {str(name): color for name, color in palette.items()}
    pairs = zip(groups.names, groups.colors, strict=True)
    return replace(groups, colors=tuple(chosen.get(name, color) for name, color in pairs))


def _palette(n_colors: int, first_hue: int) -> list[Any]:
    """Return the hues from ``first_hue`` on, cyclically, then darker, then lighter."""
    from matplotlib.colors import to_rgb

    return [
        tuple((1 - share) * np.array(to_rgb(HUES[hue % len(HUES)])) + share * towards)
        for towards, share in SHADES
        for hue in range(first_hue, first_hue + len(HUES))
    ][:n_colors]
