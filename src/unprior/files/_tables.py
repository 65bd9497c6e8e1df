"""A CSV, TSV or Parquet file → samples with columns by name."""

from __future__ import annotations

import re
import zlib
from decimal import Decimal
from gzip import BadGzipFile
from pathlib import Path
from typing import Any

import numpy as np

from unprior._extras import import_extra
from unprior.files._csv import Dialect, sniff
from unprior.files._samples import Column, Samples, list_names, number_ids

#: Names of a first column that says which sample it is, whatever it holds.
ID_NAMES = {"", "id", "ids", "index", "unnamed: 0"}


def read_csv(path: Path) -> Samples:
    """Read a text table, whatever separates its columns, decimals and thousands."""
    pandas = import_extra("pandas", f"{path.name}: reading CSV and TSV")
    errors = (pandas.errors.ParserError, pandas.errors.EmptyDataError, UnicodeError)
    try:
        dialect = sniff(path)
        try:
            frame = _parse(pandas, path, dialect, dialect.encoding)
        except UnicodeDecodeError:  # beyond the lines that were looked at
            frame = _parse(pandas, path, dialect, "cp1252")
    except (*errors, BadGzipFile, EOFError, zlib.error) as error:
        message = f"{path.name} cannot be read as a table: {_reason(error)}."
        raise ValueError(message) from error
    joined = join_thousands(pandas, frame, dialect)
    return from_frame(path.name, frame, _remarks(dialect, joined))


def read_parquet(path: Path) -> Samples:
    """Read a Parquet file."""
    pandas = import_extra("pandas", f"{path.name}: reading Parquet")
    arrow = import_extra("pyarrow", f"{path.name}: reading Parquet")
    try:
        frame = pandas.read_parquet(path, engine="pyarrow", dtype_backend="numpy_nullable")
    except (arrow.ArrowException, OSError, ValueError, KeyError) as error:
        message = f"{path.name} is no Parquet file, or only part of one: {_reason(error)}."
        raise ValueError(message) from error
    return from_frame(path.name, frame)


def from_frame(name: str, frame: Any, remarks: tuple[str, ...] = ()) -> Samples:
    """Turn a DataFrame into samples; its index, or a column that names the rows, gives the ids."""
    if not len(frame):
        message = f"{name} holds no samples: there are no rows below its header."
        raise ValueError(message)
    columns = {str(label): as_array(frame.iloc[:, k]) for k, label in enumerate(frame.columns)}
    named = type(frame.index).__name__ != "RangeIndex"
    column = None if named else find_ids(columns)
    if named:
        ids, ids_from = as_array(frame.index.to_series()), "the index"
    elif column is not None:
        ids, ids_from = columns[column], f"column {column!r}" if column else "the first column"
    else:
        ids, ids_from = number_ids(len(frame)), ""
    return Samples(name, as_text(ids), ids_from, column, columns, remarks=remarks)


def as_array(series: Any) -> Column:
    """Return a pandas column as an array in which numbers, dates and text keep their kind.

    Whole numbers with gaps stay whole numbers, as objects: floats would hide what they are.
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
        return np.array(values, dtype=object)
    if kind == "f":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == "M":
        return np.asarray(series, dtype="datetime64[us]")
    return np.asarray(series.to_numpy())


def as_text(ids: Column) -> Column:
    """Return ids as text; a missing one is empty."""
    return np.array(["" if value is None else str(value) for value in ids.tolist()], dtype=object)


def find_ids(columns: dict[str, Column]) -> str | None:
    """Return the column that names the samples, by the written rule.

    It is the first column if that has no name, is called "id", "ids" or "index", or counts the rows
    from 0 or 1; else the first column of text that is different in every row.

    Examples
    --------
    >>> import numpy as np
    >>> find_ids({"size": np.array([2.0, 3.0]), "bird": np.array(["a", "b"], dtype=object)})
    'bird'
    """
    first = next(iter(columns))
    if first.strip().lower() in ID_NAMES or _counts(columns[first]):
        return first
    return next((name for name, column in columns.items() if _tells_apart(column)), None)


def _counts(column: Column) -> bool:
    if column.dtype.kind not in "iu" or len(column) < 2 or column[0] not in (0, 1):
        return False
    return bool((np.diff(column) == 1).all())


def _tells_apart(column: Column) -> bool:
    values = column.tolist()
    return all(isinstance(value, str) for value in values) and len({*values}) == len(values)


def _parse(pandas: Any, path: Path, dialect: Dialect, encoding: str) -> Any:
    return pandas.read_csv(
        path,
        sep=dialect.separator,
        decimal=dialect.decimal,
        encoding=encoding,
        header=0 if dialect.has_header else None,
        # False drops a last cell that the header does not know of; None would refuse it.
        index_col=0 if dialect.has_row_names else False if dialect.ends_blank else None,
        skiprows=dialect.n_skipped,
        skipinitialspace=True,
        low_memory=False,
        dtype_backend="numpy_nullable",
    )


def join_thousands(pandas: Any, frame: Any, dialect: Dialect) -> list[str]:
    """Turn columns of numbers such as 1.234,5 into numbers, in place; return their names."""
    mark, point = re.escape(dialect.thousands), re.escape(dialect.decimal)
    # What begins with a zero and goes on is a code.
    number = rf"[+-]?(?:0|[1-9]\d{{0,2}}(?:{mark}\d{{3}})*)(?:{point}\d+)?"
    joined = []
    for place, name in enumerate(frame.columns):
        cells = frame.iloc[:, place]
        if not pandas.api.types.is_string_dtype(cells) or not cells.notna().any():
            continue
        text = cells.dropna().str.strip()
        if text.str.fullmatch(number).all() and text.str.contains(mark).any():
            plain = cells.str.replace(dialect.thousands, "").str.replace(dialect.decimal, ".")
            frame.isetitem(place, pandas.to_numeric(plain))
            joined.append(str(name))
    return joined


def _remarks(dialect: Dialect, joined: list[str]) -> tuple[str, ...]:
    remarks = []
    if dialect.decimal == ",":
        remarks.append("Numbers are read with decimal commas.")
    if joined:
        mark = {".": "Points", ",": "Commas"}[dialect.thousands]
        remarks.append(f"{mark} are taken for marks of thousands in: {list_names(joined)}.")
    if not dialect.has_header:
        remarks.append("The first line holds numbers, so the columns are called 0, 1, 2, ...")
    if dialect.encoding == "cp1252":
        remarks.append("The text is not UTF-8; it is read as Western European (cp1252).")
    return tuple(remarks)


def _reason(error: Exception) -> str:
    return " ".join(str(error).replace("Error tokenizing data. C error: ", "").split()).rstrip(".")
