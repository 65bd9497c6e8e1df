"""Dates and durations -> days, the unit in which all priors count them."""

from __future__ import annotations

from typing import Any

import numpy as np


def in_days(values: Any) -> Any:
    """Return dates and durations as days, missing ones as NaN; other values as they are.

    Examples
    --------
    >>> in_days(np.array(["1970-01-01T12:00", "1970-01-03"], dtype="M8[h]"))
    array([0.5, 2. ])
    """
    array = values if hasattr(values, "dtype") else np.asarray(values)
    kind = getattr(array.dtype, "kind", "")
    if kind == "M":  # dates with a time zone count in universal time
        array = np.asarray(array, dtype="datetime64[us]") - np.datetime64(0, "us")
    elif kind != "m":
        return values
    return np.asarray(array, dtype="timedelta64[us]") / np.timedelta64(1, "D")
