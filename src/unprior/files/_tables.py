"""Read Parquet, Feather and Excel files; turn DataFrames into samples."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from unprior._extras import import_extra
from unprior._forms import are_vectors, stack_vectors
from unprior._ids import are_ids, is_id_name
from unprior.files._limits import check_feather, check_parquet, check_zip
from unprior.files._samples import Column, Samples, number_ids


def read_arrow(path: Path) -> Samples:
    """Read a Parquet or a Feather (Arrow) file."""
    kind = "Parquet" if path.suffix.lower() == ".parquet" else "Feather"
    pandas = import_extra("pandas", f"{path.name}: reading {kind}")
    arrow = import_extra("pyarrow", f"{path.name}: reading {kind}")
    try:
        if kind == "Parquet":
            check_parquet(path, importlib.import_module("pyarrow.parquet"))
            frame = pandas.read_parquet(path, engine="pyarrow", dtype_backend="numpy_nullable")
        else:
            check_feather(path, importlib.import_module("pyarrow.dataset"))
            frame = pandas.read_feather(path, dtype_backend="numpy_nullable")
    except (arrow.ArrowException, OSError, ValueError, KeyError) as error:
        message = f"{path.name} is not a {kind} file, or it is damaged: {reason_of(error)}."
        raise ValueError(message) from error
    return from_frame(path.name, frame)


def read_excel(path: Path) -> Samples:
    """Read the first sheet of an Excel file."""
    pandas = import_extra("pandas", f"{path.name}: reading Excel")
    import_extra("openpyxl", f"{path.name}: reading Excel")
    try:
        check_zip(path)
        with pandas.ExcelFile(path, engine="openpyxl") as book:
            sheets = book.sheet_names
            frame = book.parse(sheets[0], dtype_backend="numpy_nullable")
    except (BadZipFile, OSError, ValueError, KeyError) as error:
        message = f"{path.name} is not an Excel file, or it is damaged: {reason_of(error)}."
        raise ValueError(message) from error
    remark = f"Read the first of {len(sheets)} sheets, {sheets[0]!r}."
    return from_frame(path.name, frame, (remark,) if len(sheets) > 1 else ())


def from_frame(name: str, frame: Any, remarks: tuple[str, ...] = ()) -> Samples:
    """Turn a DataFrame into samples, with ids from its index or a column."""
    if not len(frame):
        message = f"{name} holds no samples: there are no rows below the header."
        raise ValueError(message)
    columns = {str(label): as_array(frame.iloc[:, k]) for k, label in enumerate(frame.columns)}
    matrices = find_vectors(name, columns)
    columns = {label: column for label, column in columns.items() if label not in matrices}
    named = type(frame.index).__name__ != "RangeIndex"
    column = None if named or not columns else find_ids(columns)
    if named:
        ids, ids_from = as_array(frame.index.to_series()), "the index"
    elif column is not None:
        ids, ids_from = columns[column], f"column {column!r}" if column else "the first column"
    else:
        ids, ids_from = number_ids(len(frame)), ""
    vectors = next(iter(matrices), None)
    if vectors is not None and len(matrices) == 1:
        remark = f"The data are the vectors in {vectors!r}; --features takes other columns."
        remarks = (*remarks, remark)
    return Samples(
        name,
        as_text(ids),
        ids_from,
        column,
        columns,
        matrices,
        remarks=remarks,
        default_matrix=vectors,
    )


def as_array(series: Any) -> Column:
    """Return a pandas column as an array of the same kind: numbers, dates or text.

    Whole numbers with missing values become objects, so that they are still recognised as whole.
    """
    kind = getattr(series.dtype, "kind", "O")
    if hasattr(series.dtype, "categories") or kind not in "biufMm":
        kind = "O"
    if kind in "biu" and series.isna().any():
        kind = "O"
    if kind == "O":
        values = [None if gap else v for v, gap in zip(series, series.isna(), strict=True)]
        if any(isinstance(value, Decimal) for value in values):
            return np.array(values, dtype=np.float64)
        column = np.empty(len(values), dtype=object)
        column[:] = values  # keeps a vector as one element
        return column
    if kind == "f":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == "M":
        return np.asarray(series, dtype="datetime64[us]")
    # pandas 2.1 makes objects of nullable numbers unless it is told which type they have.
    return np.asarray(series.to_numpy(dtype=getattr(series.dtype, "numpy_dtype", None)))


def as_text(ids: Column) -> Column:
    """Return ids as text; a missing one is empty."""
    return np.array(["" if value is None else str(value) for value in ids.tolist()], dtype=object)


def reason_of(error: Exception) -> str:
    """Return a reader's error message in one line, without its prefix."""
    text = " ".join(str(error).split())
    for prefix in ("Error tokenizing data. C error: ", "Error creating dataset. "):
        text = text.replace(prefix, "")
    return text.rstrip(".")


def find_vectors(file: str, columns: dict[str, Column]) -> dict[str, Column]:
    """Return the columns that hold one vector per sample, as matrices.

    Examples
    --------
    >>> import numpy as np
    >>> column = np.array(["[1, 2]", "[3, 4]"], dtype=object)
    >>> find_vectors("a.csv", {"embedding": column})["embedding"].tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    found = {}
    for label, column in columns.items():
        values = _read_brackets(column)
        if are_vectors(values):
            found[label] = stack_vectors(values, who=file, name=label).astype(np.float64)
    return found


def _read_brackets(column: Column) -> Column:
    """Parse text such as "[0.5, 1]", which is how pandas and NumPy write vectors."""
    if column.dtype.kind != "O" or not isinstance(column[0], str):
        return column
    rows = np.empty(len(column), dtype=object)
    for row, value in enumerate(column.tolist()):
        text = value.strip() if isinstance(value, str) else ""
        if not (text.startswith("[") and text.endswith("]")):
            return column
        try:
            rows[row] = np.array(text[1:-1].replace(",", " ").split(), dtype=np.float64)
        except ValueError:  # such as words, or the "..." of an abbreviated vector
            return column
    return rows


#: Names that make the first column the ids, whatever it holds.
ID_NAMES = {"", "id", "ids", "index", "unnamed: 0"}


def find_ids(columns: dict[str, Column]) -> str | None:
    """Return the column of ids, or None.

    It is the first column if that has no name, is called "id", "ids" or "index", or counts the rows
    from 0 or 1. Otherwise it is the first column without duplicates that has a name typical of ids;
    else the first of text without duplicates; else the first of whole numbers in a small range
    without duplicates.

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
        lambda name, column: is_id_name(name) and _is_unique(column),
        lambda name, column: _is_unique_text(column),
        lambda name, column: column.dtype.kind in "iu" and are_ids(name, column),
    )
    if _is_square(columns):  # columns of a distance matrix can look like ids
        rules = rules[:2]
    for rule in rules:
        for name, column in columns.items():
            if rule(name, column) and _is_unique(column):
                return name
    return None


def _is_square(columns: dict[str, Column]) -> bool:
    """Whether there are as many numeric columns as rows."""
    n_numeric = sum(column.dtype.kind in "iuf" for column in columns.values())
    return n_numeric == len(next(iter(columns.values())))


def _is_unique(column: Column) -> bool:
    """Whether a column holds whole numbers or text without duplicates."""
    return column.dtype.kind in "iuO" and len({*map(str, column.tolist())}) == len(column)


def _counts(column: Column) -> bool:
    if column.dtype.kind not in "iu" or len(column) < 2 or column[0] not in (0, 1):
        return False
    return bool((np.diff(column) == 1).all())


def _is_unique_text(column: Column) -> bool:
    values = column.tolist()
    return all(isinstance(value, str) for value in values) and len({*values}) == len(values)
