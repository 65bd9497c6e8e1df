"""Whether values from a file have the types that records are annotated with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np


@cache
def hints_of(kind: type) -> dict[str, Any]:
    """Return the types of a record's fields."""
    return get_type_hints(kind)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, with all that it holds; numbers are finite.

    Examples
    --------
    >>> fits((1.0, 2), tuple[float, ...]), fits((1.0, "2"), tuple[float, ...])
    (True, False)
    """
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if hint in (int, float):
        return isinstance(value, int | hint) and not isinstance(value, bool) and isfinite(value)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and _has_type(value, *get_args(parts[1]))
    if origin is tuple and len(parts) == 2 and parts[1] is ...:
        return isinstance(value, tuple) and _all_fit(value, parts[0])
    if origin is tuple:
        of_length = isinstance(value, tuple) and len(value) == len(parts)
        return of_length and all(map(fits, value, parts))
    if origin in (list, Sequence):
        return isinstance(value, list | tuple) and _all_fit(value, parts[0])
    if origin is Mapping:
        sides = (value, value.values()) if isinstance(value, dict) else ()
        return bool(sides) and all(_all_fit(*pair) for pair in zip(sides, parts, strict=True))
    if origin is Callable:
        return callable(value)
    return isinstance(value, hint)


def _all_fit(values: Iterable[Any], hint: Any) -> bool:
    return all(fits(value, hint) for value in values)


def _has_type(array: Any, numbers: Any) -> bool:
    """Whether an array holds such numbers, which compiled loops take."""
    numbers = get_origin(numbers) or numbers
    of_type = array.dtype.kind in "biuf" if numbers is Any else np.issubdtype(array.dtype, numbers)
    return bool(of_type and array.dtype.isnative)
