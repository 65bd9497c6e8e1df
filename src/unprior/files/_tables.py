"""A text, Parquet, Feather or Excel file → samples with columns by name."""

from __future__ import annotations

import importlib
import re
import zlib
from decimal import Decimal
from gzip import BadGzipFile
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from unprior._extras import import_extra
from unprior._forms import are_vectors, stack_vectors
from unprior.files._csv import Dialect, sniff
from unprior.files._ids import find_ids
from unprior.files._samples import Column, Samples, list_names, number_ids
from unprior.files._sizes import check_feather, check_gzip, check_parquet, check_zip


def read_csv(path: Path) -> Samples:
    """Read a text table, whatever separates its columns, decimals and thousands."""
    pandas = import_extra("pandas", f"{path.name}: reading CSV and TSV")
    errors = (pandas.errors.ParserError, pandas.errors.EmptyDataError, UnicodeError)
    try:
        if path.suffix.lower() == ".gz":
            check_gzip(path)
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
        check_parquet(path, importlib.import_module("pyarrow.parquet"))
        frame = pandas.read_parquet(path, engine="pyarrow", dtype_backend="numpy_nullable")
    except (arrow.ArrowException, OSError, ValueError, KeyError) as error:
        message = f"{path.name} is no Parquet file, or only part of one: {_reason(error)}."
        raise ValueError(message) from error
    return from_frame(path.name, frame)


def read_feather(path: Path) -> Samples:
    """Read a Feather file, which is Arrow's own."""
    pandas = import_extra("pandas", f"{path.name}: reading Feather")
    arrow = import_extra("pyarrow", f"{path.name}: reading Feather")
    try:
        check_feather(path, importlib.import_module("pyarrow.dataset"))
        frame = pandas.read_feather(path, dtype_backend="numpy_nullable")
    except (arrow.ArrowException, OSError, ValueError, KeyError) as error:
        message = f"{path.name} is no Feather file, or only part of one: {_reason(error)}."
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
        message = f"{path.name} is no Excel file, or only part of one: {_reason(error)}."
        raise ValueError(message) from error
    told = f"The first of {len(sheets)} sheets is read, {sheets[0]!r}."
    return from_frame(path.name, frame, (told,) if len(sheets) > 1 else ())


def from_frame(name: str, frame: Any, remarks: tuple[str, ...] = ()) -> Samples:
    """Turn a DataFrame into samples; its index, or a column that names the rows, gives the ids."""
    if not len(frame):
        message = f"{name} holds no samples: there are no rows below its header."
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
    taken = next(iter(matrices), None)
    if taken is not None and len(matrices) == 1:
        told = f"The data are the vectors in {taken!r}; --features takes other columns."
        remarks = (*remarks, told)
    return Samples(
        name, as_text(ids), ids_from, column, columns, matrices, remarks=remarks, taken=taken
    )


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
        column = np.empty(len(values), dtype=object)
        column[:] = values  # vectors, too, stay one to a cell
        return column
    if kind == "f":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == "M":
        return np.asarray(series, dtype="datetime64[us]")
    return np.asarray(series.to_numpy())


def as_text(ids: Column) -> Column:
    """Return ids as text; a missing one is empty."""
    return np.array(["" if value is None else str(value) for value in ids.tolist()], dtype=object)


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
    """Return what a reader says, without its own "Error ..." before it and the file's path."""
    said = " ".join(str(error).split())
    for before in ("Error tokenizing data. C error: ", "Error creating dataset. "):
        said = said.replace(before, "")
    return said.rstrip(".")


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
