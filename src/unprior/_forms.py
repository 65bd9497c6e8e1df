"""Convert arrays and tables of other packages to NumPy and pandas, by their protocols."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

#: The Arrow protocol of tables and arrays, as in polars, pyarrow and DuckDB.
_ARROW_TABLE, _ARROW_ARRAY = "__arrow_c_stream__", "__arrow_c_array__"


def plain(value: Any, *, who: str = "plain", name: str = "X") -> Any:
    """Convert an object of another package to NumPy or pandas; return others unchanged.

    Tensors are copied from their device, Arrow data and polars converted by Arrow, tables with
    ``__dataframe__`` by pandas. A column of vectors becomes a matrix.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> plain(pd.Series([np.array([1.0, 2.0]), np.array([3.0, 4.0])]))
    array([[1., 2.],
           [3., 4.]])
    """
    if isinstance(value, str | bytes | list | tuple | dict) or issparse(value):
        return value
    if not isinstance(value, np.ndarray) and not is_pandas(value):
        value = _converted(value)
    if is_pandas(value) and value.ndim == 2 and value.shape[1] == 1:
        column = value.iloc[:, 0]
        value = column if are_vectors(column) else value
    if are_vectors(value):
        return stack_vectors(value, who=who, name=name)
    return value


def is_pandas(value: Any) -> bool:
    """Whether this is a pandas Series or DataFrame, without importing pandas."""
    return hasattr(value, "iloc") and hasattr(value, "index")


def are_vectors(column: Any) -> bool:
    """Whether a column holds a vector of numbers for each sample, as in databases."""
    if getattr(column, "ndim", 0) != 1 or not len(column):
        return False
    if getattr(getattr(column, "dtype", None), "kind", "O") != "O":
        return False
    first = column.iloc[0] if hasattr(column, "iloc") else column[0]
    return _is_vector(first)


def stack_vectors(column: Any, *, who: str, name: str) -> NDArray[Any]:
    """Return a column of vectors as a matrix; refuse missing ones and different lengths."""
    rows = list(column)
    length = len(rows[0])
    for place, row in enumerate(rows):
        if not _is_vector(row) or len(row) != length:
            got = f"a vector of {len(row)}" if _is_vector(row) else type(row).__name__
            message = (
                f"{who}: {name!r} takes vectors of one length, {length} in its first row; got "
                f"{got} in row {place}."
            )
            raise ValueError(message)
    stacked = np.array(rows)
    if stacked.dtype.kind == "O":  # numbers and None
        stacked = stacked.astype(np.float64)
    return stacked.astype(np.float32) if stacked.dtype == np.float16 else stacked


def _is_vector(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.size > 0 and value.dtype.kind in "fiubO"
    if not isinstance(value, Sequence) or isinstance(value, str | bytes) or not len(value):
        return False
    return all(part is None or isinstance(part, int | float | np.number) for part in value)


def _converted(value: Any) -> Any:
    """Convert by the first protocol of an object, except for NumPy's, which is used later."""
    if hasattr(value, "detach"):  # a tensor, perhaps with a gradient, on a GPU, or in bfloat16
        tensor = value.detach().cpu()
        return (tensor.float() if "bfloat16" in str(tensor.dtype) else tensor).numpy()
    if hasattr(value, _ARROW_TABLE) or hasattr(value, _ARROW_ARRAY):
        return _from_arrow(value)
    if hasattr(value, "__dataframe__"):
        interchange = importlib.import_module("pandas.api.interchange")
        return interchange.from_dataframe(value)
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        return np.from_dlpack(value)
    return value


def _from_arrow(value: Any) -> Any:
    """Return a pandas object; dictionaries become categories."""
    try:
        arrow = importlib.import_module("pyarrow")
        importlib.import_module("pandas")
    except ImportError:  # polars works without them
        return value.to_numpy() if hasattr(value, "to_numpy") else value
    if not isinstance(value, arrow.Table | arrow.Array | arrow.ChunkedArray):
        value = _read_capsule(arrow, value)
    if isinstance(value, arrow.Array | arrow.ChunkedArray):
        return value.to_pandas()
    return value.to_pandas(ignore_metadata=True)


def _read_capsule(arrow: Any, value: Any) -> Any:
    """Read a table or a single column by the Arrow protocol."""
    if not hasattr(value, _ARROW_TABLE):
        return arrow.array(value)
    try:
        return arrow.table(value)
    except (TypeError, ValueError, arrow.ArrowException):  # a stream of one column
        return arrow.chunked_array(value)
