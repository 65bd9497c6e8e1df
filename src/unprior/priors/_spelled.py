"""Priors written as text: names of columns and a kind, such as ``hour:cyclic=24``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from unprior.priors._base import Source
from unprior.priors._coerce import as_prior
from unprior.priors._columns import read_column
from unprior.priors._combined import join
from unprior.priors._registry import KINDS, examples


def names_of(prior: Any, names: Collection[str], n_samples: int) -> dict[str, Any] | None:
    """Return the priors given as a name, a list of names, or a dict with names in it, by name.

    None for anything else: a list of as many strings as there are samples is labels.
    """
    if isinstance(prior, str):
        return {prior: prior}
    if isinstance(prior, Mapping):
        named = any(isinstance(part, str) or _are_names(part, names) for part in prior.values())
        return {str(key): joined(part) for key, part in prior.items()} if named else None
    if not isinstance(prior, list | tuple) or not prior:
        return None
    if not all(isinstance(name, str) for name in prior) or len(prior) == n_samples:
        return None
    return {name: name for name in prior}


def read_spelled(who: str, text: str, names: Collection[str], find: Callable[[str], Any]) -> Any:
    """Return the prior that a text describes, or the column itself if no kind is given.

    Parameters
    ----------
    who : str
        Name that error messages start with.
    text : str
        Names of columns, separated by commas, and the kind after a colon.
    names : collection of str
        Names of all columns, which may contain commas and colons.
    find : callable
        Returns a column by its name, or refuses the name.

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
    where = f"{who}: {text!r}"
    if kind is None:
        return _as_it_is(where, columns)
    return KINDS[kind].make(Source(where, kind, columns, value=value))


def _split(who: str, text: str, names: Collection[str]) -> tuple[str, str | None, str]:
    what, colon, suffix = text.rpartition(":")
    kind, _, value = suffix.partition("=")
    if text in names or not colon:
        return text, None, ""
    if kind not in KINDS or KINDS[kind].between_samples:
        kinds = ", ".join(map(repr, examples(between_samples=False)))
        message = (
            f"{who}: {text!r} names no column and no kind of prior; kinds are written as {kinds}."
        )
        raise ValueError(message)
    return what, kind, value


def _as_it_is(where: str, columns: Mapping[str, Any]) -> Any:
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
        return KINDS["features"].make(Source(where, "features", columns))
    return join(where, parts)


def _are_names(part: Any, names: Collection[str]) -> bool:
    return (
        isinstance(part, list | tuple)
        and bool(part)
        and all(isinstance(name, str) and name in names for name in part)
    )


def joined(part: Any) -> Any:
    """Return several names joined by commas, as in the text of a prior; anything else unchanged."""
    is_names = isinstance(part, list | tuple) and all(isinstance(name, str) for name in part)
    return ",".join(part) if is_names and len(part) else part
