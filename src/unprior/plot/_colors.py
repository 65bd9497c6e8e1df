"""One value a sample → one colour a sample, and the names or range a key must show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.plot._texts import shorten_all

if TYPE_CHECKING:
    from matplotlib.cm import ScalarMappable

# The hues of Okabe and Ito, which all common kinds of colour vision tell apart; palest last.
HUES = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442")
#: Each hue as it is, then darker, then lighter: black (0) or white (1), and the share of it.
SHADES = ((0.0, 0.0), (0.0, 0.45), (1.0, 0.5))
OTHERS, MISSING = "#8C8C8C", "#D4D4D4"
#: More groups than this cannot be told apart by colour.
MOST_GROUPS = len(HUES) * len(SHADES)
COLORMAP = "viridis"


@dataclass(frozen=True, eq=False)
class Groups:
    """Samples in named groups; the code of a sample is its group's place, or -1 if missing."""

    names: tuple[str, ...]
    colors: tuple[Any, ...]
    codes: Indices
    remark: str = ""

    def paint(self) -> Floats:
        """Return one RGBA colour for each sample."""
        from matplotlib.colors import to_rgba_array

        return to_rgba_array([*self.colors, MISSING])[self.codes]

    def key(self) -> list[tuple[int, str, Any]]:
        """Return code, name with size, and colour of each group, and of the missing if any."""
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
    """One number for each sample, NaN if missing; dates are days, as matplotlib counts them."""

    values: Floats
    are_dates: bool = False

    @property
    def remark(self) -> str:
        """What a colour bar cannot say."""
        missing = int(np.count_nonzero(self.codes < 0))
        return f"grey: {missing:,} without a value" if missing else ""

    @property
    def codes(self) -> Indices:
        """0 for each sample, or -1 if missing."""
        return np.where(np.isfinite(self.values), 0, -1)

    def scale(self) -> ScalarMappable:
        """Return the rule from numbers to colours, over the range of the numbers."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        present = self.values[np.isfinite(self.values)]
        low, high = float(present.min()), float(present.max())
        if low == high:  # a bar must go from one number to another
            low, high = low - 0.1 * (abs(low) or 1), high + 0.1 * (abs(high) or 1)
        return ScalarMappable(Normalize(low, high), COLORMAP)

    def ticks(self) -> dict[str, Any]:
        """Return where a colour bar has its marks and how they are written, if not as numbers."""
        if not self.are_dates:
            return {}
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        places = AutoDateLocator(maxticks=6)
        return {"ticks": places, "format": ConciseDateFormatter(places)}

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
    palette: Mapping[str, Any] | None = None,
) -> Coloring:
    """Tell groups from amounts: floats, dates and integers of many kinds are amounts."""
    if color is None:
        return Groups(("all",), (HUES[0],), np.zeros(n_samples, dtype=np.intp))
    values = _as_objects(color)
    if values.shape != (n_samples,):
        message = (
            f"{who}: {name!r} takes one value for each of the {n_samples} samples; got shape "
            f"{values.shape}."
        )
        raise ValueError(message)
    missing = np.array([_is_missing(value) for value in values.tolist()])
    present, are_dates = _count_days(np.array(values[~missing].tolist()))
    if present.dtype.kind not in "Ubiuf":
        message = (
            f"{who}: {name!r} takes numbers, words or dates; got "
            f"{type(values[~missing][0]).__name__} values. Turn them into one of these first."
        )
        raise ValueError(message)
    if (present.dtype.kind == "f" and present.size) or _are_many_integers(present):
        amounts = np.full(n_samples, np.nan)
        amounts[~missing] = present
        return Amounts(amounts, are_dates)
    return _repaint(who, _group(present, missing, first_hue), palette or {})


def _as_objects(color: Any) -> NDArray[np.object_]:
    """Keep words apart from NaN, integers that miss some integers, and dates of any unit dates."""
    if isinstance(color, np.ndarray) and color.dtype.kind == "M":
        color = color.astype("M8[us]")
    return np.asarray(color, dtype=object)


def _count_days(present: NDArray[Any]) -> tuple[NDArray[Any], bool]:
    """Turn dates into days, as matplotlib counts them; the rest stays, and it says which it was."""
    if not present.size or not all(isinstance(value, date) for value in present.tolist()):
        return present, False
    from matplotlib.dates import date2num

    return np.asarray(date2num(present)), True


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA does not say whether it differs from itself
        return True


def _are_many_integers(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "iu" and len(np.unique(values)) > MOST_GROUPS


def _group(present: NDArray[Any], missing: NDArray[np.bool_], first_hue: int) -> Groups:
    """Give each group a colour; beyond what colours can tell apart, the smallest share one."""
    unique, found, counts = np.unique(present, return_inverse=True, return_counts=True)
    n_kept = len(unique) if len(unique) <= MOST_GROUPS else MOST_GROUPS - 1
    kept = np.sort(np.argsort(-counts, kind="stable")[:n_kept])
    if present.dtype.kind == "U":
        kept = np.array(sorted(kept, key=lambda i: _natural_order(str(unique[i]))), dtype=np.intp)
    place = np.full(len(unique), n_kept)
    place[kept] = np.arange(n_kept)
    codes = np.full(len(missing), -1, dtype=np.intp)
    codes[~missing] = place[found]
    names, colors = [str(name) for name in unique[kept]], _palette(n_kept, first_hue)
    if n_kept < len(unique):
        names, colors = [*names, f"{len(unique) - n_kept} others"], [*colors, OTHERS]
    return Groups(tuple(names), tuple(colors), codes)


def _natural_order(name: str) -> list[Any]:
    """Split off the numbers within a name, so that "c2" sorts before "c10"."""
    parts = re.split(r"(\d+)", name)
    return [int(part) if odd % 2 else part for odd, part in enumerate(parts)]


def _repaint(who: str, groups: Groups, palette: Any) -> Groups:
    """Give the groups that the user's palette names the colours it says."""
    from matplotlib.colors import is_color_like

    if not isinstance(palette, Mapping) or not all(map(is_color_like, palette.values())):
        message = f"{who}: 'palette' takes a dict from groups to matplotlib colours; got {palette}."
        raise ValueError(message)
    chosen = {str(name): color for name, color in palette.items()}
    pairs = zip(groups.names, groups.colors, strict=True)
    return replace(groups, colors=tuple(chosen.get(name, color) for name, color in pairs))


def _palette(n_colors: int, first_hue: int) -> list[Any]:
    """Return the hues from some hue on, round the circle, then darker, then lighter."""
    from matplotlib.colors import to_rgb

    return [
        tuple((1 - share) * np.array(to_rgb(HUES[hue % len(HUES)])) + share * towards)
        for towards, share in SHADES
        for hue in range(first_hue, first_hue + len(HUES))
    ][:n_colors]
