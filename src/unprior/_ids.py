"""Recognise columns of ids, by name or values."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The whole name, or its first or last word; "acid" and "grid" do not match.
_ID_NAME = re.compile(
    r"(?:.*[^a-z])?(?:id|ids|uid|uuid|guid|pid)|ids?[^a-z].*|index|idx|row[^a-z]?(?:number|names?)"
)

#: Integers count as ids if random ones of the same range would all differ with probability e^-SURE.
SURE = 10


def is_id_name(name: str) -> bool:
    """Whether a name is typical of ids.

    Examples
    --------
    >>> [is_id_name(name) for name in ("user_id", "PID", "sampleId", "id_patient", "acid", "idea")]
    [True, True, True, True, False, False]
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip()).lower()
    return _ID_NAME.fullmatch(words) is not None


def are_ids(name: str, column: NDArray[Any]) -> bool:
    """Whether a column holds ids, by its name or by its values.

    Integers and text are ids if their name says so, even with repetitions. Whatever the name, text
    counts as ids if all values differ, and integers do if all differ although their range is so
    small that measured values would repeat.

    Examples
    --------
    >>> import numpy as np
    >>> shuffled = np.random.default_rng(0).permutation(1000) + 5000
    >>> are_ids("n", shuffled), are_ids("n", shuffled.astype(float)), are_ids("n", shuffled**2)
    (True, True, False)
    """
    if len(column) < 2:
        return False
    if column.dtype.kind in "OUT":
        return _are_text_ids(name, column)
    if not _are_whole(column):
        return False
    return is_id_name(name) or numbers_samples(column)


def numbers_samples(column: NDArray[Any]) -> bool:
    """Whether integers all differ, although measured values of such a range would repeat."""
    n, span = len(column), float(column.max()) - float(column.min()) + 1
    if span < n or n * n < 2 * SURE * span:
        return False
    return len(np.unique(column)) == n


def _are_text_ids(name: str, column: NDArray[Any]) -> bool:
    values = column.tolist()
    if all(isinstance(value, str) for value in values):
        return is_id_name(name) or len({*values}) == len(values)
    present = [value for value in values if value is not None]
    codes = all(isinstance(value, str | int) for value in present)
    return codes and bool(present) and is_id_name(name)


def _are_whole(column: NDArray[Any]) -> bool:
    if column.dtype.kind in "iu":
        return True
    if column.dtype.kind != "f":
        return False
    with np.errstate(invalid="ignore"):
        return bool((column == np.floor(column)).all() and np.isfinite(column).all())
