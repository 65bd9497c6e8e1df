"""Read and check the messages of a page; refuse invalid ones in one sentence."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unprior._typing import Indices

#: Limits on the bytes of a message, the characters of a text, and the priors in a request.
MOST_BYTES, MOST_LETTERS, MOST_PRIORS = 8 * 2**20, 1000, 20

VERSION = 1

#: Sources of priors, and of kept labels.
SOURCES, KEPT_SOURCES = ("known", "column", "selection", "map"), ("column", "selection")


class Refused(ValueError):
    """A request of a page that cannot be met; the page shows the message."""


def read_message(text: str) -> dict[str, Any]:
    """Read a message: an object with the protocol's version, a number and an operation.

    Examples
    --------
    >>> read_message('{"v": 1, "id": 7, "op": "hello"}')["op"]
    'hello'
    """
    if len(text) > MOST_BYTES:
        message = f"The message is too long: {len(text)} characters, at most {MOST_BYTES}."
        raise Refused(message)
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        message = "The message is not JSON."
        raise Refused(message) from None
    if not isinstance(read, dict) or read.get("v") != VERSION:
        message = f"The message is not of version {VERSION} of the protocol."
        raise Refused(message)
    number_of(read, "id", 0, 2**53)
    text_of(read, "op")
    return read


def text_of(message: Mapping[str, Any], name: str) -> str:
    """Return a text that is not too long."""
    value = message.get(name)
    if not isinstance(value, str) or len(value) > MOST_LETTERS:
        refusal = f"{name!r} takes a text of at most {MOST_LETTERS} characters."
        raise Refused(refusal)
    return value


def number_of(message: Mapping[str, Any], name: str, low: float, high: float) -> float:
    """Return a number within a range."""
    value: Any = message.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # Compared before conversion, since an integer of a thousand digits is no float.
    if not is_number or not low <= value <= high:
        refusal = f"{name!r} takes a number from {low} to {high}."
        raise Refused(refusal)
    return float(value)


def rows_of(message: Mapping[str, Any], name: str, n_samples: int) -> Indices:
    """Return selected rows, sent as one bit per sample (little-endian, base64)."""
    value = message.get(name)
    try:
        raw = base64.b64decode(value if isinstance(value, str) else "", validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != (n_samples + 7) // 8:
        refusal = f"{name!r} takes one bit for each of the {n_samples} samples."
        raise Refused(refusal)
    bits = np.unpackbits(np.frombuffer(raw, dtype=np.uint8), bitorder="little")
    if bits[n_samples:].any():
        refusal = f"{name!r} names samples beyond the last of {n_samples}."
        raise Refused(refusal)
    return np.flatnonzero(bits)


def write_rows(rows: Sequence[int], n_samples: int) -> str:
    """Encode rows in the format that `rows_of` reads.

    Examples
    --------
    >>> rows_of({"rows": write_rows([0, 9], 10)}, "rows", 10)
    array([0, 9])
    """
    bits = np.zeros(n_samples, dtype=bool)
    bits[list(rows)] = True
    return base64.b64encode(np.packbits(bits, bitorder="little").tobytes()).decode()


def priors_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the priors to factor out, as names, strengths and sources."""
    found = _parts_of(message, "priors", SOURCES, 1)
    for part in found:
        part["strength"] = number_of(part, "strength", 0.01, 1)
    return found


def keep_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the labels to keep, if any, as names and sources."""
    return _parts_of({"keep": [], **message}, "keep", KEPT_SOURCES, 0)


def _parts_of(
    message: Mapping[str, Any], name: str, sources: Sequence[str], least: int
) -> list[dict[str, Any]]:
    value = message.get(name)
    if not isinstance(value, list) or not least <= len(value) <= MOST_PRIORS:
        refusal = f"{name!r} takes a list of {least} to {MOST_PRIORS}."
        raise Refused(refusal)
    found: list[dict[str, Any]] = []
    for part in value:
        if not isinstance(part, dict) or part.get("from") not in sources:
            refusal = f"{name!r} takes parts from one of: {', '.join(sources)}."
            raise Refused(refusal)
        called = text_of(part, "name").strip()
        if not called or called in [other["name"] for other in found]:
            refusal = f"{name!r} takes parts with different names."
            raise Refused(refusal)
        found.append({**part, "name": called})
    return found
