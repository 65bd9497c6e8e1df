"""Columns of the page: one value per sample, to colour by, filter by and show in a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats
from unprior.files import gaps
from unprior.plot._colors import HUES, MISSING, MOST_GROUPS, OTHERS, SHADES, _natural_order
from unprior.priors import Prior
from unprior.priors import cyclic as cyclic_prior
from unprior.priors import features as features_prior
from unprior.priors import labels as labels_prior
from unprior.priors._labels import is_missing

if TYPE_CHECKING:
    from unprior.explorer._container import Blocks

#: Text with more distinct values than this is not coloured, only shown.
MOST_CATEGORIES = 1000

#: Name of the class of samples without a value.
NO_VALUE = "no value"


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the page.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"groups", "amounts", "dates", "cyclic", "text"}
        How it is coloured; text is not.
    values : ndarray of shape (n_samples,)
        For groups the index of each sample's category, -1 if missing; for text the strings; else
        numbers, NaN if missing, with dates as days since 1970.
    categories : tuple of str
        Names of the groups.
    period : float or None
        Period of a cyclic column.
    is_feature : bool
        Whether it is a column of the data.
    """

    name: str
    kind: str
    values: NDArray[Any]
    categories: tuple[str, ...] = ()
    period: float | None = None
    is_feature: bool = False

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which samples have no value."""
        if self.kind == "groups":
            return self.values < 0
        if self.kind == "text":
            return self.values == ""
        return np.isnan(self.values)

    def to_header(self, blocks: Blocks) -> dict[str, Any]:
        """Write the values into blocks, and return the column's header."""
        head: dict[str, Any] = {"name": self.name, "kind": self.kind, "feature": self.is_feature}
        if self.kind == "text":
            return {**head, "block": blocks.add_texts(self.values.tolist())}
        if self.kind == "groups":
            codes = (self.values + 1).astype("<u2")  # 0 is missing
            colors = group_colors(self.values, len(self.categories))
            return {
                **head,
                "categories": [*self.categories],
                "colors": colors,
                "block": blocks.add(codes),
            }
        present = self.values[np.isfinite(self.values)]
        low, high = (float(present.min()), float(present.max())) if present.size else (0.0, 1.0)
        if self.kind == "cyclic":
            low, high = 0.0, float(self.period or 1)
        return {**head, "range": [low, high], "block": blocks.add(self.values.astype("<f4"))}

    def to_prior(self) -> Prior:
        """Return the column as a prior; missing labels are a class, missing numbers are refused."""
        if self.kind == "groups":
            names = np.array([*self.categories, NO_VALUE], dtype=object)
            return labels_prior(names[self.values].astype(str))
        if self.kind == "text":
            message = (
                f"The column {self.name!r} cannot be factored out: nearly every sample has a "
                "different text."
            )
            raise ValueError(message)
        n_missing = int(self.missing.sum())
        if n_missing:
            message = (
                f"The column {self.name!r} cannot be factored out: {n_missing} samples have no "
                "value. Leave them out first (--drop-missing)."
            )
            raise ValueError(message)
        if self.kind == "cyclic":
            return cyclic_prior(self.values, float(self.period or 1))
        return features_prior(self.values)

    def to_labels(self) -> NDArray[Any]:
        """Return the groups as labels to keep, None where one is missing; refuse other kinds."""
        if self.kind != "groups":
            message = (
                f"The column {self.name!r} cannot be kept: kept labels are groups, and it holds "
                f"{self.kind}."
            )
            raise ValueError(message)
        return np.array([*self.categories, None], dtype=object)[self.values]


def read_column(
    name: str,
    values: Any,
    *,
    kind: str | None = None,
    period: float | None = None,
    is_feature: bool = False,
) -> Column:
    """Read values as groups or amounts by the rule of `unprior.plot`; many integers are amounts.

    Examples
    --------
    >>> read_column("batch", ["b", "a", None]).categories
    ('a', 'b')
    >>> read_column("mass", [1.5, 2.5]).kind
    'amounts'
    """
    array = np.asarray(values)
    if array.ndim != 1:
        message = (
            f"explore: the column {name!r} takes one value per sample; got shape {array.shape}."
        )
        raise ValueError(message)
    if kind == "cyclic":
        return Column(name, "cyclic", _numbers(name, array), (), period, is_feature)
    if array.dtype.kind == "M":
        return Column(name, "dates", _days(array), is_feature=is_feature)
    if kind != "groups" and array.dtype.kind in "iuf" and (is_feature or _is_amount(array)):
        return Column(name, "amounts", array.astype(np.float64), is_feature=is_feature)
    if kind == "amounts":
        return Column(name, "amounts", _numbers(name, array), is_feature=is_feature)
    return _group(name, array, is_feature=is_feature)


def group_colors(codes: NDArray[Any], n_categories: int) -> list[list[int]]:
    """Return the RGB colour of every group, the same as in `unprior.plot`.

    If there are more groups than distinguishable colours, the smallest share a grey.
    """
    hues = [
        [round((1 - share) * part + share * 255 * towards) for part in _rgb(hue)]
        for towards, share in SHADES
        for hue in HUES
    ]
    if n_categories <= MOST_GROUPS:
        return hues[:n_categories]
    sizes = np.bincount(codes[codes >= 0], minlength=n_categories)
    kept = np.sort(np.argsort(-sizes, kind="stable")[: MOST_GROUPS - 1])
    colors = [_rgb(OTHERS)] * n_categories
    for group, hue in zip(kept.tolist(), hues, strict=False):
        colors[group] = hue
    return colors


def missing_color() -> list[int]:
    """Return the RGB colour of samples without a value."""
    return _rgb(MISSING)


def _rgb(text: str) -> list[int]:
    return [int(text[place : place + 2], 16) for place in (1, 3, 5)]


def _is_amount(array: NDArray[Any]) -> bool:
    return array.dtype.kind == "f" or len(np.unique(array)) > MOST_GROUPS


def _days(array: NDArray[Any]) -> Floats:
    days = array.astype("M8[us]").astype(np.int64) / 86_400e6
    days[np.isnat(array)] = np.nan
    return days


def _numbers(name: str, array: NDArray[Any]) -> Floats:
    try:
        return np.array([np.nan if is_missing(v) else float(v) for v in array.tolist()])
    except (TypeError, ValueError):
        message = f"explore: the column {name!r} takes numbers; it holds text."
        raise ValueError(message) from None


def _group(name: str, array: NDArray[Any], *, is_feature: bool) -> Column:
    missing = gaps(array)
    present = array[~missing]
    whole = array.dtype.kind in "OT" and all(type(value) is int for value in present.tolist())
    if whole and present.size and _is_amount(np.array(present.tolist())):
        return Column(name, "amounts", _numbers(name, array), is_feature=is_feature)
    texts = np.array([str(value) for value in present.tolist()], dtype=object)
    unique, found = np.unique(texts.astype(str), return_inverse=True)
    if len(unique) > MOST_CATEGORIES:
        values = np.full(len(array), "", dtype=object)
        values[~missing] = texts
        return Column(name, "text", values, is_feature=is_feature)
    order = sorted(range(len(unique)), key=lambda place: _natural_order(str(unique[place])))
    place_of = np.empty(len(unique), dtype=np.int32)
    place_of[order] = np.arange(len(unique), dtype=np.int32)
    codes = np.full(len(array), -1, dtype=np.int32)
    codes[~missing] = place_of[found]
    return Column(name, "groups", codes, tuple(str(unique[k]) for k in order), None, is_feature)
