"""Reading and checking the labels passed as ``keep``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from unprior._forms import plain
from unprior.priors._base import Prior
from unprior.priors._columns import read_column
from unprior.priors._combined import Combined, Several
from unprior.priors._keep import Keep
from unprior.priors._labels import Labels, is_missing, read_labels
from unprior.priors._table import is_table


def read_keep(who: str, keep: Any, n_samples: int | None = None) -> Keep | None:
    """Check kept labels for `who`; None if there are none, or only one class for all samples.

    Several label sets, in a list, a dict or a table, are kept jointly: each combination is a class,
    and samples with any label missing have none.

    Examples
    --------
    >>> read_keep("embed", ["T", "B", None, "T"]).codes
    array([ 1,  0, -1,  1])
    >>> read_keep("embed", {"type": ["T", "B", "T"], "day": [1, 1, 2]}).classes.tolist()
    [('B', 1), ('T', 1), ('T', 2)]
    >>> read_keep("embed", ["T", "T", "T"]) is None
    True
    """
    if keep is None:
        return None
    parts = {name: _read_one(who, name, part) for name, part in _parts(who, "keep", keep)}
    for name, one in parts.items():
        if n_samples is not None and one.n_samples != n_samples:
            message = (
                f"{who}: {name!r} has {one.n_samples} samples, the data {n_samples}; it takes one "
                "label for each sample, in the same order."
            )
            raise ValueError(message)
    found = next(iter(parts.values())) if len(parts) == 1 else _cross(parts)
    says_nothing = not found.count or (found.count == 1 and found.labeled.all())
    return None if says_nothing else found


def _parts(who: str, name: str, keep: Any) -> Iterator[tuple[str, Any]]:
    """Yield the label sets by name."""
    if isinstance(keep, Keep | Labels):
        yield name, keep
    elif isinstance(keep, Combined | Several | Mapping):
        parts = keep if isinstance(keep, Mapping) else keep.parts
        if not parts:
            message = f"{who}: {name!r} is empty; give at least one label set, or none at all."
            raise ValueError(message)
        for each, part in parts.items():
            yield from _parts(who, str(each), part)
    elif is_table(keep):
        for column in keep.columns:
            yield str(column), keep[column]
    elif isinstance(keep, list | tuple) and keep and all(_is_column(part) for part in keep):
        for number, part in enumerate(keep, start=1):
            yield from _parts(who, f"{name} {number}", part)
    else:
        yield name, keep


def _is_column(value: Any) -> bool:
    return not isinstance(value, str | bytes | np.generic) and hasattr(value, "__len__")


def _is_one_column(values: Any) -> bool:
    if isinstance(values, str | Prior):
        return False
    try:
        return np.ndim(values) == 1
    except (ValueError, TypeError):  # rows of different lengths, or not an array
        return False


def _read_one(who: str, name: str, keep: Any) -> Keep:
    if isinstance(keep, Keep):
        return keep
    if isinstance(keep, Labels):
        return Keep(keep.codes, keep.classes, name)
    values = plain(keep, who=who, name=name)
    if not _is_one_column(values):
        message = (
            f"{who}: {name!r} takes one label for each sample, or several such label sets in a "
            f"list or dict; got {type(keep).__name__}."
        )
        raise TypeError(message)
    entries = _entries(who, name, values)
    missing = np.array([is_missing(entry) for entry in entries], dtype=bool)
    codes = np.full(len(entries), -1, dtype=np.intp)
    read = read_labels(f"{who}: {name!r}", [e for e in entries if not is_missing(e)])
    codes[~missing] = read.codes
    return Keep(codes, read.classes, name)


def _entries(who: str, name: str, values: Any) -> list[Any]:
    """Return the labels as a list; refuse numbers and dates."""
    meaning, read = read_column(values)
    entries = np.asarray(values, dtype=object).tolist()
    if all(map(is_missing, entries)):
        return entries
    if meaning == "features":
        numbers = np.asarray(read)
        whole = numbers.dtype.kind == "f" and not np.mod(numbers[np.isfinite(numbers)], 1).any()
        # Integers with missing values are floats in NumPy, and in pandas by default.
        if not (whole and np.isnan(numbers).any()):
            message = (
                f"{who}: {name!r} takes labels; got numbers or dates. Cut them into classes first, "
                "for example with pandas.qcut."
            )
            raise ValueError(message)
    return entries


def _cross(parts: Mapping[str, Keep]) -> Keep:
    """Return the joint classes of several label sets."""
    codes = np.column_stack([part.codes for part in parts.values()])
    joint = np.full(len(codes), -1, dtype=np.intp)
    labeled = (codes >= 0).all(axis=1)
    combinations, joint[labeled] = np.unique(codes[labeled], axis=0, return_inverse=True)
    names = [part.classes.tolist() for part in parts.values()]
    classes = np.empty(len(combinations), dtype=object)
    for place, combination in enumerate(combinations):
        classes[place] = tuple(own[code] for own, code in zip(names, combination, strict=True))
    return Keep(joint, classes, " and ".join(parts))
