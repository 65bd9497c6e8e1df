"""One-dimensional values -> what they are: labels, features, or integers, which may be either."""

from __future__ import annotations

import datetime as dt
import decimal
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior.priors._labels import is_missing

_MEANINGS = {
    **dict.fromkeys("UTSb", "labels"),  # strings of three kinds, booleans
    **dict.fromkeys("fMm", "features"),  # floats, dates, durations
    **dict.fromkeys("iu", "integers"),
}


def read_column(values: Any) -> tuple[str, Any]:
    """Say what one-dimensional values are: "labels", "features", "integers" or "unknown".

    The values come back as they were, or as an array of numbers or dates if they were objects.
    """
    dtype = getattr(values, "dtype", None)
    if hasattr(dtype, "categories"):
        return "labels", values
    # By the type the values have now: as arrays, integers of pandas with a gap turn into floats,
    # and dates with a time zone into objects.
    kind = getattr(dtype, "kind", "O")
    if kind in "biuM":
        return _MEANINGS[kind], values
    array = np.asarray(values)
    if array.dtype.kind == "O":
        return _read_objects(array)
    return _MEANINGS.get(array.dtype.kind, "unknown"), values


def _read_objects(array: NDArray[Any]) -> tuple[str, Any]:
    entries = array.tolist()
    present = [entry for entry in entries if not is_missing(entry)]
    if any(isinstance(entry, str | bytes) for entry in present):
        return "labels", array
    if all(isinstance(entry, bool) for entry in present):
        return "labels", array
    if all(isinstance(entry, numbers.Integral) for entry in present):
        return "integers", array
    if all(isinstance(entry, numbers.Real | decimal.Decimal) for entry in present):
        return "features", np.array([np.nan if is_missing(e) else float(e) for e in entries])
    if all(_is_date(entry) for entry in present):
        dates = [None if is_missing(entry) else entry for entry in entries]
        return "features", np.array(dates, dtype="datetime64[us]")
    return "unknown", array


def _is_date(entry: Any) -> bool:
    return isinstance(entry, dt.date) and getattr(entry, "tzinfo", None) is None
