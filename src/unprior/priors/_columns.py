"""Reading columns of values: whether they are labels or features, and dates in days."""

from __future__ import annotations

import datetime as dt
import decimal
import numbers
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior.priors._labels import is_missing

_MEANINGS = {
    **dict.fromkeys("UTSb", "labels"),  # three string types, booleans
    **dict.fromkeys("fMm", "features"),  # floats, dates, durations
    **dict.fromkeys("iu", "integers"),
}

#: Dates by ISO 8601, and with points; other notations are ambiguous.
_YEAR_FIRST = re.compile(r"\d{4}-\d{2}(-\d{2}|$)")
_DAY_FIRST = re.compile(r"\d{2}\.\d{2}\.\d{4}")


def read_column(values: Any) -> tuple[str, Any]:
    """Return whether values are "labels", "features", "integers" or "unknown", and the values.

    Objects that are numbers or dates are returned as an array of these; other values unchanged.
    """
    dtype = getattr(values, "dtype", None)
    if hasattr(dtype, "categories"):
        return "labels", values
    # Converted to arrays, pandas integers with missing values would become floats, and dates with
    # a time zone objects.
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


def in_days(values: Any) -> Any:
    """Return dates and durations in days, missing ones as NaN; other values unchanged.

    Examples
    --------
    >>> in_days(np.array(["1970-01-01T12:00", "1970-01-03"], dtype="M8[h]"))
    array([0.5, 2. ])
    """
    try:
        array = values if hasattr(values, "dtype") else np.asarray(values)
    except ValueError:  # rows of unequal lengths, which are refused where they are read
        return values
    kind = getattr(array.dtype, "kind", "")
    if kind == "M":  # dates with a time zone are converted to UTC
        array = np.asarray(array, dtype="datetime64[us]") - np.datetime64(0, "us")
    elif kind != "m":
        return values
    return np.asarray(array, dtype="timedelta64[us]") / np.timedelta64(1, "D")


def as_dates(column: Any) -> Any:
    """Return text such as 2024-05-31 or 31.05.2024 as dates, and anything else unchanged.

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
