"""Text -> dates, and dates -> days, the unit in which all priors count them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

#: How dates are written by ISO 8601, and by points; others may be read in two ways.
_YEAR_FIRST = re.compile(r"\d{4}-\d{2}(-\d{2}|$)")
_DAY_FIRST = re.compile(r"\d{2}\.\d{2}\.\d{4}")


def in_days(values: Any) -> Any:
    """Return dates and durations as days, missing ones as NaN; other values as they are.

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
    if kind == "M":  # dates with a time zone count in universal time
        array = np.asarray(array, dtype="datetime64[us]") - np.datetime64(0, "us")
    elif kind != "m":
        return values
    return np.asarray(array, dtype="timedelta64[us]") / np.timedelta64(1, "D")


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
