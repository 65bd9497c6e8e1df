"""What the shell says of a prior, such as ``lat,lon:geo`` → its parts."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from unprior.priors._registry import KINDS


@dataclass(frozen=True)
class PriorSpec:
    """A prior as the shell names it.

    Attributes
    ----------
    text : str
        All of it.
    what : str
        Columns, or a file.
    kind : str or None
        The kind, if it is said.
    value : str
        What follows an equals sign after the kind.

    Examples
    --------
    >>> parse_spec("hour:cyclic=24", ["hour"])
    PriorSpec(text='hour:cyclic=24', what='hour', kind='cyclic', value='24')
    """

    text: str
    what: str
    kind: str | None = None
    value: str = ""


def parse_spec(text: str, names: Collection[str]) -> PriorSpec:
    """Split what the shell says; ``names`` are the columns there are, which may hold colons."""
    what, colon, suffix = text.rpartition(":")
    kind, equals, value = suffix.partition("=")
    if text in names or not colon or (kind not in KINDS and not _could_be_kind(what, names)):
        return PriorSpec(text, text)
    if kind not in KINDS:
        close = difflib.get_close_matches(kind, KINDS, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        message = f"{text!r}: {kind!r} is no kind of prior; kinds are {', '.join(KINDS)}.{hint}"
        raise ValueError(message)
    if equals and not KINDS[kind].takes_value:
        message = f"{text!r}: {kind!r} takes nothing after it; write {what}:{kind}."
        raise ValueError(message)
    return PriorSpec(text, what, kind, value)


def split_names(text: str, names: Collection[str]) -> list[str]:
    """Split a list of columns at its commas, unless it is the name of a column as it stands.

    Examples
    --------
    >>> split_names("lat, lon", ["lat", "lon"]), split_names("mass, g", ["mass, g"])
    (['lat', 'lon'], ['mass, g'])
    """
    return [text] if text in names else [part.strip() for part in text.split(",") if part.strip()]


def suggest(name: str, names: Collection[str]) -> str:
    """Return a question that names the nearest column, or nothing."""
    close = difflib.get_close_matches(name, [*names], n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _could_be_kind(what: str, names: Collection[str]) -> bool:
    """Whether what stands before the colon is there, so that a kind must follow."""
    return all(part in names for part in split_names(what, names)) or Path(what).is_file()
