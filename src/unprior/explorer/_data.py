"""The samples that a page shows: data, columns, ids and existing maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from unprior._typing import Floats
from unprior.explorer._columns import Column, read_column
from unprior.priors import Prior
from unprior.priors._coerce import name_parts, parts_of

#: Up to this many features are sent with the page; if there are more, each is sent on request.
MOST_SENT = 24


@dataclass(frozen=True, eq=False)
class ExplorerData:
    """The samples that a page shows.

    Attributes
    ----------
    title : str
        Title of the page.
    n_samples : int
        Number of samples.
    X : ndarray, sparse matrix or None
        The data to draw; None if there are only existing maps.
    table : ndarray, sparse matrix or None
        The data before scaling, by whose columns selections are compared.
    feature_names : tuple of str
        Names of the columns of ``table``.
    ids : ndarray of str or None
        Names of the samples; None if they are numbered.
    columns : dict of str to Column
        Columns that are not data, by name.
    maps : dict of str to ndarray
        Existing maps, by name.
    metric : str
        Distance between rows of ``X``.
    origin : str
        Python code that makes this record again, for snippets.
    priors : dict of str to Prior
        Priors given at the start; columns can become priors as well.
    keep : tuple of str
        Columns of labels to keep on the first map without the prior.
    """

    title: str
    n_samples: int
    X: Any = None
    table: Any = None
    feature_names: tuple[str, ...] = ()
    ids: NDArray[Any] | None = None
    columns: dict[str, Column] = field(default_factory=dict)
    maps: dict[str, Floats] = field(default_factory=dict)
    metric: str = "euclidean"
    origin: str = ""
    priors: dict[str, Prior] = field(default_factory=dict)
    keep: tuple[str, ...] = ()

    def feature(self, name: str) -> Column:
        """Return a column of the data."""
        column = self.table[:, [self.feature_names.index(name)]]
        values = np.asarray(column.todense() if issparse(column) else column)
        return read_column(name, values.ravel().astype(np.float64), is_feature=True)

    def column(self, name: str) -> Column:
        """Return a column by name, or else the feature of that name."""
        if name in self.columns:
            return self.columns[name]
        if name in self.feature_names:
            return self.feature(name)
        message = f"There is no column {name!r}."
        raise ValueError(message)

    def sent_columns(self) -> list[Column]:
        """Return the columns that are sent with the page."""
        sent = [*self.columns.values()]
        if len(self.feature_names) <= MOST_SENT:
            sent += [self.feature(name) for name in self.feature_names if name not in self.columns]
        return sent

    def names_on_demand(self) -> list[str]:
        """Return the names of the columns that are sent on request."""
        if len(self.feature_names) <= MOST_SENT:
            return []
        return [name for name in self.feature_names if name not in self.columns]


def from_arrays(
    X: Any = None,
    *,
    columns: Mapping[str, Any] | None = None,
    maps: Mapping[str, Any] | None = None,
    ids: Sequence[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    prior: Any = None,
    keep: Any = None,
    title: str = "",
    metric: str = "euclidean",
) -> ExplorerData:
    """Make the samples from arrays or DataFrames: data, columns by name, and existing maps.

    Priors with one value per sample and labels to keep become columns as well.

    Examples
    --------
    >>> data = from_arrays([[0.0, 1.0], [2.0, 3.0]], columns={"batch": ["a", "b"]})
    >>> data.n_samples, [*data.columns], data.feature_names
    (2, ['batch'], ('0', '1'))
    """
    given = {name: _read_map(name, Y) for name, Y in (maps or {}).items()}
    if hasattr(X, "iloc"):  # a DataFrame, whose index names the samples
        feature_names = feature_names or [str(name) for name in X.columns]
        ids = ids if ids is not None or type(X.index).__name__ == "RangeIndex" else [*X.index]
        X = X.to_numpy()
    table: Any = X if X is None or issparse(X) else np.asarray(X, dtype=np.float64)
    if table is None and not given:
        message = "explore: give data, or maps to show."
        raise ValueError(message)
    n = (next(iter(given.values())) if table is None else table).shape[0]
    kept = {} if keep is None else dict(keep) if isinstance(keep, Mapping) else {"keep": keep}
    columns = {**_single_columns(prior), **(columns or {}), **kept}
    read = {
        str(name): read_column(str(name), values, kind="groups" if name in kept else None)
        for name, values in columns.items()
    }
    lengths = {f"the map {name!r}": len(Y) for name, Y in given.items()}
    lengths |= {f"the column {name!r}": len(c.values) for name, c in read.items()}
    lengths |= {} if ids is None else {"'ids'": len(ids)}
    for what, length in lengths.items():
        if length != n:
            message = f"explore: {what} takes one value per sample; got {length} for {n} samples."
            raise ValueError(message)
    features = () if table is None or metric == "precomputed" else tuple(feature_names or ())
    if table is not None and metric != "precomputed" and not features:
        features = tuple(str(place) for place in range(table.shape[1]))
    dense = table.toarray() if issparse(table) else table
    return ExplorerData(
        title or f"{n} samples",
        n,
        dense,
        table,
        features,
        None if ids is None else np.array([str(name) for name in ids], dtype=object),
        read,
        given,
        metric,
        "from unprior.explorer import from_arrays\n\n"
        "data = from_arrays(...)  # the arguments of explore: data, prior, keep, columns, maps",
        {} if prior is None else parts_of(prior, n, who="explore"),
        tuple(str(name) for name in kept),
    )


def _single_columns(prior: Any) -> dict[str, Any]:
    """Return the priors with one value per sample, by name."""
    parts = {} if prior is None else name_parts("explore", "prior", prior) or {"prior": prior}
    return {
        name: part
        for name, part in parts.items()
        if not isinstance(part, Prior) and np.ndim(part) == 1
    }


def _read_map(name: str, Y: Any) -> Floats:
    read = np.asarray(Y, dtype=np.float64)
    if read.ndim != 2 or read.shape[1] < 2 or not np.isfinite(read).all():
        message = (
            f"explore: the map {name!r} takes finite numbers of shape (n_samples, 2); got shape "
            f"{read.shape}."
        )
        raise ValueError(message)
    return read[:, :2]
