"""The name of columns and the kind of prior they are, such as ``hour:cyclic=24`` -> the prior."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from unprior.priors._array import read_column
from unprior.priors._coerce import as_prior
from unprior.priors._combined import join
from unprior.priors._cyclic import cyclic, read_period
from unprior.priors._features import read_features
from unprior.priors._geo import geo
from unprior.priors._labels import read_labels

#: Kinds of prior that columns can be, each as it is spelled.
SPELLED = {
    "labels": "year:labels",
    "features": "age,height:features",
    "geo": "lat,lon:geo",
    "cyclic": "hour:cyclic=24",
}

#: How dates are written by ISO 8601, and by points; others may be read in two ways.
_YEAR_FIRST = re.compile(r"\d{4}-\d{2}(-\d{2}|$)")
_DAY_FIRST = re.compile(r"\d{2}\.\d{2}\.\d{4}")


def names_of(known: Any, names: Collection[str], n_samples: int) -> dict[str, Any] | None:
    """Return what is named, by name: of a name, a list of names, or a dict with names in it.

    None for anything else. A list of as many words as there are samples is labels, unless they are
    names of columns all the same.
    """
    if isinstance(known, str):
        return {known: known}
    if isinstance(known, Mapping):
        named = any(isinstance(part, str) or _are_names(part, names) for part in known.values())
        return {str(key): joined(part) for key, part in known.items()} if named else None
    if not isinstance(known, list | tuple) or not known:
        return None
    if not all(isinstance(name, str) for name in known) or len(known) == n_samples:
        return None
    return {name: name for name in known}


def read_spelled(who: str, text: str, names: Collection[str], find: Callable[[str], Any]) -> Any:
    """Return the prior that a text names, or the column as it is if that says what it is.

    Parameters
    ----------
    who : str
        Who speaks in messages.
    text : str
        Names of columns, with commas between several, and the kind after a colon.
    names : collection of str
        Names of columns there are; they may hold commas and colons themselves.
    find : callable
        Returns a column by its name, or refuses it.

    Examples
    --------
    >>> columns = {"hour": [23.0, 1.0], "lat": [52.5, 48.9], "lon": [13.4, 2.4]}
    >>> read_spelled("embed", "hour:cyclic=24", columns, columns.get).largest()
    2.0
    >>> read_spelled("embed", "lat,lon:geo", columns, columns.get)
    <prior: geo, 2 samples>
    """
    what, kind, value = _split(who, text, names)
    parts = [what] if what in names else [part.strip() for part in what.split(",")]
    columns = {part: find(part) for part in parts}
    return _MAKERS[kind](f"{who}: {text!r}", columns, value)


def _split(who: str, text: str, names: Collection[str]) -> tuple[str, str | None, str]:
    what, colon, suffix = text.rpartition(":")
    kind, _, value = suffix.partition("=")
    if text in names or not colon:
        return text, None, ""
    if kind not in SPELLED:
        kinds = ", ".join(repr(example) for example in SPELLED.values())
        message = (
            f"{who}: {text!r} names no column and no kind of prior; kinds are said as {kinds}."
        )
        raise ValueError(message)
    return what, kind, value


def _as_it_is(where: str, columns: Mapping[str, Any], value: str) -> Any:
    if len(columns) == 1:
        ((name, column),) = columns.items()
        if getattr(column, "ndim", 1) == 1 and read_column(column)[0] == "integers":
            message = (
                f"{where} holds whole numbers, which may be labels or amounts; say "
                f"'{name}:labels' or '{name}:features'."
            )
            raise ValueError(message)
        return column
    parts = {name: as_prior(column, who=where) for name, column in columns.items()}
    if all(part.kind == "features" for part in parts.values()):
        return _features(where, columns, "")
    return join(where, parts)


def _labels(where: str, columns: Mapping[str, Any], value: str) -> Any:
    return read_labels(where, *_columns(where, columns, 1))


def _features(where: str, columns: Mapping[str, Any], value: str) -> Any:
    parts = [
        read_features(where, name, read_column(as_dates(column))[1]).values
        for name, column in columns.items()
    ]
    return read_features(where, "columns", np.hstack(parts))


def _geo(where: str, columns: Mapping[str, Any], value: str) -> Any:
    return geo(*_columns(where, columns, 2))


def _cyclic(where: str, columns: Mapping[str, Any], value: str) -> Any:
    (column,) = _columns(where, columns, 1)
    return cyclic(as_dates(column), read_period(where, next(iter(columns)), value))


def as_dates(column: Any) -> Any:
    """Return text such as 2024-05-31 or 31.05.2024 as dates, and anything else as it is.

    Examples
    --------
    >>> as_dates(["2024-05-31", "2024-06-01"]).dtype
    dtype('<M8[us]')
    """
    if getattr(getattr(column, "dtype", None), "kind", "O") not in "OUT":
        return column
    values = [_by_year(value) for value in column]
    if not values or not all(values):
        return column
    try:
        return np.array(values, dtype="M8[us]")
    except ValueError:
        return column


def _by_year(value: Any) -> str:
    """Return text that may be a date as year, month and day; "" for anything else."""
    if not isinstance(value, str):
        return ""
    if _DAY_FIRST.match(value):
        return f"{value[6:10]}-{value[3:5]}-{value[:2]}{value[10:]}"
    return value if _YEAR_FIRST.match(value) else ""


def _columns(where: str, columns: Mapping[str, Any], n: int) -> list[Any]:
    if len(columns) != n:
        message = f"{where} takes {n} column{'s' if n != 1 else ''}; got {len(columns)}."
        raise ValueError(message)
    return [*columns.values()]


def _are_names(part: Any, names: Collection[str]) -> bool:
    return (
        isinstance(part, list | tuple)
        and bool(part)
        and all(isinstance(name, str) and name in names for name in part)
    )


def joined(part: Any) -> Any:
    """Return several names as one prior is spelled; anything else as it is."""
    is_names = isinstance(part, list | tuple) and all(isinstance(name, str) for name in part)
    return ",".join(part) if is_names and len(part) else part


_Maker = Callable[[str, Mapping[str, Any], str], Any]
_MAKERS: dict[str | None, _Maker] = {
    None: _as_it_is,
    "labels": _labels,
    "features": _features,
    "geo": _geo,
    "cyclic": _cyclic,
}
