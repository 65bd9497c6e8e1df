"""Parse the text of a prior on the command line, such as ``lat,lon:geo``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from unprior._params import suggest
from unprior.priors._registry import KINDS


@dataclass(frozen=True)
class PriorSpec:
    """The parts of a prior's text.

    Attributes
    ----------
    text : str
        The whole text.
    what : str
        Columns, or a file.
    kind : str or None
        The kind, if given.
    value : str
        The value after the kind and an equals sign, or "".

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
    """Split the text of a prior; ``names`` are the existing columns, which may contain colons."""
    what, colon, suffix = text.rpartition(":")
    kind, equals, value = suffix.partition("=")
    if text in names or not colon or (kind not in KINDS and not _could_be_kind(what, names)):
        return PriorSpec(text, text)
    if kind not in KINDS:
        message = (
            f"{text!r}: {kind!r} is not a kind of prior; kinds are {', '.join(KINDS)}."
            f"{suggest(kind, KINDS)}"
        )
        raise ValueError(message)
    if equals and not KINDS[kind].takes_value:
        message = f"{text!r}: {kind!r} takes no value; write {what}:{kind}."
        raise ValueError(message)
    return PriorSpec(text, what, kind, value)


def split_names(text: str, names: Collection[str]) -> list[str]:
    """Split a list of columns at its commas, unless the whole text is the name of a column.

    Examples
    --------
    >>> split_names("lat, lon", ["lat", "lon"]), split_names("mass, g", ["mass, g"])
    (['lat', 'lon'], ['mass, g'])
    """
    return [text] if text in names else [part.strip() for part in text.split(",") if part.strip()]


def _could_be_kind(what: str, names: Collection[str]) -> bool:
    """Whether the text before the colon is a column or a file, so a kind must follow."""
    return all(part in names for part in split_names(what, names)) or Path(what).is_file()
