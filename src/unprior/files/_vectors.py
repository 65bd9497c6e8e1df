"""Columns → those of them that hold a vector for each sample, as matrices."""

from __future__ import annotations

import numpy as np

from unprior._forms import are_vectors, stack_vectors
from unprior.files._samples import Column

#: What a cell that holds a vector as text begins and ends with.
BRACKETS = ("[", "]")


def find_vectors(file: str, columns: dict[str, Column]) -> dict[str, Column]:
    """Return the columns that hold a vector for each sample, as matrices.

    Examples
    --------
    >>> import numpy as np
    >>> cells = np.array(["[1, 2]", "[3, 4]"], dtype=object)
    >>> find_vectors("a.csv", {"embedding": cells})["embedding"].tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    found = {}
    for label, column in columns.items():
        values = _read_brackets(column)
        if are_vectors(values):
            found[label] = stack_vectors(values, who=file, name=label).astype(np.float64)
    return found


def _read_brackets(column: Column) -> Column:
    """Return text such as "[0.5, 1]", as pandas and NumPy write vectors, as vectors."""
    if column.dtype.kind != "O" or not isinstance(column[0], str):
        return column
    rows = np.empty(len(column), dtype=object)
    for place, cell in enumerate(column.tolist()):
        text = cell.strip() if isinstance(cell, str) else ""
        if not (text.startswith(BRACKETS[0]) and text.endswith(BRACKETS[1])):
            return column
        try:
            rows[place] = np.array(text[1:-1].replace(",", " ").split(), dtype=np.float64)
        except ValueError:  # such as words, or the three points of a vector that was cut
            return column
    return rows
