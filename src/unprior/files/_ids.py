"""Columns → the one that names the samples, by a written rule."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unprior._ids import are_ids, is_id_name
from unprior.files._samples import Column

#: Names of a first column that says which sample it is, whatever it holds.
ID_NAMES = {"", "id", "ids", "index", "unnamed: 0"}


def find_ids(columns: dict[str, Column]) -> str | None:
    """Return the column that names the samples, by the written rule.

    It is the first column if that has no name, is called "id", "ids" or "index", or counts the rows
    from 0 or 1; else the first of all columns that is called as ids are and differs in every row;
    else the first column of text that does so; else the first of whole numbers that do so though
    their range is small.

    Examples
    --------
    >>> import numpy as np
    >>> find_ids({"size": np.array([2.0, 3.0]), "bird": np.array(["a", "b"], dtype=object)})
    'bird'
    """
    first = next(iter(columns))
    if first.strip().lower() in ID_NAMES or _counts(columns[first]):
        return first
    rules: tuple[Callable[[str, Column], bool], ...] = (
        lambda name, column: is_id_name(name) and _differ(column),
        lambda name, column: _tells_apart(column),
        lambda name, column: column.dtype.kind in "iu" and are_ids(name, column),
    )
    if _is_square(columns):  # of distances no column is ids by its values
        rules = rules[:2]
    for rule in rules:
        for name, column in columns.items():
            if rule(name, column) and _differ(column):
                return name
    return None


def _is_square(columns: dict[str, Column]) -> bool:
    """Whether there are as many columns of numbers as rows, or one more, which names them."""
    n_numeric = sum(column.dtype.kind in "iuf" for column in columns.values())
    return n_numeric == len(next(iter(columns.values())))


def _differ(column: Column) -> bool:
    """Whether whole numbers or text are different in every row."""
    return column.dtype.kind in "iuO" and len({*map(str, column.tolist())}) == len(column)


def _counts(column: Column) -> bool:
    if column.dtype.kind not in "iu" or len(column) < 2 or column[0] not in (0, 1):
        return False
    return bool((np.diff(column) == 1).all())


def _tells_apart(column: Column) -> bool:
    values = column.tolist()
    return all(isinstance(value, str) for value in values) and len({*values}) == len(values)
