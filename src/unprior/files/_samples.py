"""The record that every file is read into: samples with ids, named columns and matrices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from unprior._typing import Indices
from unprior.priors._labels import is_missing

Column: TypeAlias = NDArray[Any]

#: A two-dimensional dense array or sparse matrix.
Matrix: TypeAlias = Any

#: Number of names that a message lists before it abbreviates.
MOST_LISTED = 8


@dataclass(frozen=True, eq=False)
class Samples:
    """The contents of a file of samples.

    Attributes
    ----------
    name : str
        The file's name, which begins messages.
    ids : ndarray of shape (n_samples,)
        Ids of the samples, as text; numbers from 0 if the file has none.
    ids_from : str
        Where the ids come from, in words; "" if they are numbers.
    ids_column : str or None
        The column of ids, which is not a feature.
    columns : dict of str to ndarray of shape (n_samples,)
        Columns by name, one value per sample.
    matrices : dict of str to array of shape (n_samples, n_columns)
        Matrices by name, several numbers per sample.
    data : array of shape (n_samples, n_features) or None
        The data; None if the numeric columns are the data.
    data_names : tuple of str
        Names of the data's columns.
    remarks : tuple of str
        What the user should know about how the file was read.
    categories : frozenset of str
        Names of the columns that are labels by their type, even if they are numbers.
    default_matrix : str or None
        The matrix to use as data unless others are chosen.
    meta_columns : frozenset of str
        Names of the columns that came from ``--meta``, which are not data.

    Examples
    --------
    >>> import numpy as np
    >>> samples = Samples("a.npy", np.array(["0", "1"]), data=np.eye(2), data_names=("0", "1"))
    >>> samples["1"]
    array([0., 1.])
    """

    name: str
    ids: Column
    ids_from: str = ""
    ids_column: str | None = None
    columns: dict[str, Column] = field(default_factory=dict)
    matrices: dict[str, Matrix] = field(default_factory=dict)
    data: Matrix | None = None
    data_names: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    categories: frozenset[str] = frozenset()
    default_matrix: str | None = None
    meta_columns: frozenset[str] = frozenset()

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.ids)

    def __contains__(self, name: object) -> bool:
        return name in self.columns or name in self.matrices or name in self.data_names

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.columns, *self.matrices, *self.data_names]))

    def __getitem__(self, name: str) -> Column:
        """Return a column or a matrix by its name."""
        if name in self.columns:
            return self.columns[name]
        if name in self.matrices:
            return self.matrices[name]
        assert self.data is not None
        column = self.data[:, [self.data_names.index(name)]]
        return np.asarray(column.todense() if issparse(column) else column).ravel()

    def without(self, codes: Iterable[float]) -> Samples:
        """Return the samples with some numbers read as missing values."""
        missing = [*codes]
        data = self.data
        if data is not None and not issparse(data):
            data = as_missing(data, missing)
        columns = {name: as_missing(column, missing) for name, column in self.columns.items()}
        return replace(self, columns=columns, data=data)

    def rows_of(self, ids: Iterable[str]) -> Indices | None:
        """Return the row of each id; None if an id is missing or the file has duplicates."""
        rows = {name: row for row, name in enumerate(self.ids.tolist())}
        wanted = list(ids)
        if len(rows) < self.n_samples or not rows.keys() >= {*wanted}:
            return None
        return np.array([rows[name] for name in wanted], dtype=np.intp)


def as_missing(values: Column, codes: list[float]) -> Column:
    """Replace some numbers by NaN; values without any of them are returned unchanged.

    Examples
    --------
    >>> as_missing(np.array([1, -999]), [-999.0])
    array([ 1., nan])
    """
    if values.dtype.kind not in "iuf":
        return values
    coded = np.isin(values, codes)
    if not coded.any():
        return values
    return np.where(coded, np.nan, values.astype(np.float64))


def number_ids(n_samples: int) -> Column:
    """Return the numbers from 0 as ids."""
    return np.arange(n_samples).astype(str)


def gaps(values: Column | Matrix) -> NDArray[np.bool_]:
    """Return for each sample whether one of its values is missing."""
    if issparse(values):
        return np.isnan(np.asarray(values.sum(axis=1), dtype=np.float64)).ravel()
    if values.dtype.kind in "OT":
        missing = np.array([is_missing(v) for v in values.ravel().tolist()], dtype=bool)
        missing = missing.reshape(values.shape)
    elif values.dtype.kind in "fcMm":
        missing = np.isnan(values)
    else:
        missing = np.zeros(values.shape, dtype=bool)
    return np.asarray(missing.reshape(len(values), -1).any(axis=1))


def list_names(names: Iterable[str]) -> str:
    """Return names separated by commas, abbreviated if there are many.

    Examples
    --------
    >>> list_names(["a", "b"])
    'a, b'
    """
    named = list(names)
    more = f", ... ({len(named)} in all)" if len(named) > MOST_LISTED else ""
    return ", ".join(named[:MOST_LISTED]) + more
