"""Choose the columns of a file that are the data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse

from unprior._ids import are_ids
from unprior._params import suggest
from unprior._projection import Projection
from unprior._typing import Indices
from unprior.files._samples import Column, Matrix, Samples, gaps, list_names
from unprior.files._specs import split_names

#: The reason to leave out a column of ids.
IDS = "ids"

#: Name of an AnnData's matrix of variables.
WHOLE = "X"


@dataclass(frozen=True, eq=False)
class ChosenData:
    """The data of a map.

    Attributes
    ----------
    X : array of shape (n_samples, n_features)
        The numbers, dense or sparse.
    names : tuple of str
        Names of the columns, or of the matrices they come from.
    remarks : tuple of str
        What was left out, and why.
    """

    X: Matrix
    names: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    def take(self, rows: Indices, *, both_axes: bool) -> ChosenData:
        """Return some samples; for a distance matrix, on both axes."""
        X = self.X[rows]
        return replace(self, X=X[:, rows] if both_axes else X)


def choose_data(
    samples: Samples,
    *,
    features: Sequence[str] = (),
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    roles: Mapping[str, str] | None = None,
    reduces: bool = False,
    square: bool = False,
) -> ChosenData:
    """Choose the data: the given features, or all numeric columns without another role.

    ``columns`` are the exact names of all columns that a model was fitted to.
    ``roles`` maps columns that are not data to what they are instead, such as "the prior".
    ``reduces`` says that the data will be reduced by PCA, so that stored components are not used;
    ``square``, that the data are distances, none of whose columns are ids.

    Examples
    --------
    >>> import numpy as np
    >>> columns = {"mass": np.array([1.0, 2.0]), "age": np.array([3, 4])}
    >>> samples = Samples("birds.csv", np.array(["a", "b"]), columns=columns)
    >>> choose_data(samples, roles={"age": "the prior"}).remarks
    ('Left out of the data: age (the prior).',)
    """
    if columns:
        return ChosenData(stack(samples, _columns_of_model(samples, columns)), tuple(columns))
    dropped = named_columns("--drop", samples, drop)
    if [*features] == [WHOLE] and WHOLE not in samples and samples.data is not None:
        features, samples = (), replace(samples, default_matrix=None)
    names = named_columns("--features", samples, features)
    remarks: tuple[str, ...] = ()
    if names:
        names = [name for name in names if name not in dropped]
    else:
        matrix = _default_matrix(samples, {*dropped, *(roles or {})}, reduces=reduces)
        if matrix is not None:
            return ChosenData(stack(samples, [matrix]), (matrix,), _explain(samples, matrix))
        names, remarks = _default_names(samples, dropped, roles or {}, square=square)
    if not names:
        message = f"{samples.name} has no numeric column left for the map."
        raise ValueError(message + "".join(f" {remark}" for remark in remarks))
    return ChosenData(stack(samples, names), tuple(names), remarks)


def _default_matrix(samples: Samples, excluded: Collection[str], *, reduces: bool) -> str | None:
    """Return the matrix to use as data by default; None if the columns are the data."""
    if samples.default_matrix is None:
        return None
    if samples.data is not None:  # dropping or reducing variables means that X is the data
        return None if reduces or {*samples.data_names} & {*excluded} else samples.default_matrix
    vectors = [name for name in samples.matrices if name not in excluded]
    if len(vectors) > 1:
        message = (
            f"{samples.name} has several columns of vectors, {list_names(vectors)}; choose the "
            f"data, for example --features {vectors[0]}."
        )
        raise ValueError(message)
    return vectors[0] if vectors else None


def _explain(samples: Samples, matrix: str) -> tuple[str, ...]:
    """Explain why stored components are used instead of the variables."""
    if samples.data is None:
        return ()
    return (
        f"The data are {matrix!r} of obsm, since X has {samples.data.shape[1]} variables; "
        "--features X uses X itself, --pca N its components.",
    )


def stack(samples: Samples, names: Sequence[str]) -> Matrix:
    """Put columns and matrices side by side, as numbers."""
    if samples.data is not None and tuple(names) == samples.data_names:
        return samples.data
    place = {name: k for k, name in enumerate(samples.data_names)}
    if samples.data is not None and all(name in place for name in names):
        columns = [place[name] for name in names]
        # Column indexing of other sparse formats would be slow or unsupported.
        return (
            csr_matrix(samples.data)[:, columns]
            if issparse(samples.data)
            else (samples.data[:, columns])
        )
    return np.hstack([_as_numbers(samples, name) for name in names])


def scale_and_reduce(
    X: Matrix, *, standardize: bool, pca: int | None
) -> tuple[Matrix, Projection | None]:
    """Standardise columns and reduce them to principal components, if requested and possible.

    Also returns what does the same to new samples; None if nothing was done.
    """
    center, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
    if standardize:
        from sklearn.preprocessing import StandardScaler

        scaler = StandardScaler()
        X = scaler.fit_transform(X.toarray() if issparse(X) else np.asarray(X))
        center, scale = scaler.mean_, scaler.scale_
    if pca and pca < min(X.shape):
        from sklearn.decomposition import PCA

        model = PCA(pca, svd_solver="arpack" if issparse(X) else "auto", random_state=0)
        X = model.fit_transform(X)
        return X, Projection(center + scale * model.mean_, scale, model.components_.T)
    return X, Projection(center, scale) if standardize else None


def explain_gaps(chosen: ChosenData) -> tuple[NDArray[np.bool_], str]:
    """Return which samples have missing values, and the first column that has one."""
    missing = gaps(chosen.X)
    if not missing.any() or issparse(chosen.X) or chosen.X.shape[1] != len(chosen.names):
        return missing, ""
    column = int(np.argmax(np.isnan(chosen.X[int(missing.argmax())])))
    return missing, chosen.names[column]


def named_columns(
    option: str, samples: Samples, texts: Iterable[str], *, single: bool = False
) -> list[str]:
    """Return the columns that an option names; ``single`` allows only one value per sample."""
    names = [name for text in texts for name in split_names(text, [*samples])]
    for name in names:
        if name not in samples or (single and samples[name].ndim != 1):
            message = (
                f"{option}: {samples.name} has no column {name!r}.{suggest(name, samples)} It "
                f"has {list_names(samples)}."
            )
            raise ValueError(message)
    return names


def _columns_of_model(samples: Samples, columns: Sequence[str]) -> Sequence[str]:
    """Return the columns that a model was fitted to; refuse a file without one of them."""
    present = {*samples}
    missing = [name for name in columns if name not in present]
    if missing:
        message = (
            f"{samples.name} has no column {missing[0]!r}, one of the {len(columns)} that the "
            f"model was fitted to; {len(missing)} in all are missing, {list_names(missing)}."
        )
        raise ValueError(message)
    return columns


def _default_names(
    samples: Samples, dropped: Collection[str], roles: Mapping[str, str], *, square: bool
) -> tuple[list[str], tuple[str, ...]]:
    """Return the numeric columns without another role, and a remark on those left out."""
    candidates = samples.data_names if samples.data is not None else tuple(samples.columns)
    excluded = {*dropped, *samples.meta_columns, samples.ids_column}
    names, left_out = [], []
    for name in candidates:
        if name in excluded:
            continue
        why = roles.get(name) or _why_not(samples, name)
        if why == IDS and square:
            why = ""
        if why:
            left_out.append(f"{name} ({why})")
        else:
            names.append(name)
    remarks = (f"Left out of the data: {list_names(left_out)}.",) if left_out else ()
    return names, remarks


def _why_not(samples: Samples, name: str) -> str:
    """Return why a column cannot be data; "" if it can."""
    if samples.data is not None:
        return ""
    column = samples.columns[name]
    if gaps(column).all():
        return "no values"
    if column.dtype.kind in "iuf" or _whole_numbers(column):
        return IDS if are_ids(name, column) else ""
    if column.dtype.kind == "b":
        return "true or false"
    if column.dtype.kind in "Mm":
        return "dates"
    return _why_text(column)


def _why_text(column: Column) -> str:
    """Return "text", with an example of what is not a number if most values are."""
    present = [value for value in column.tolist() if value is not None]
    words = [value for value in present if not _is_number(value)]
    return f"text such as {words[0]!r}" if 0 < len(words) < len(present) / 2 else "text"


def _whole_numbers(column: Column) -> bool:
    """Whether an object column holds whole numbers and missing values."""
    return all(type(value) is int for value in column.tolist() if value is not None)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _as_numbers(samples: Samples, name: str) -> Matrix:
    values: Matrix = samples[name]
    if issparse(values):
        values = values.toarray()
    if values.dtype.kind == "M":
        values = values - np.datetime64(0, "us")
    if values.dtype.kind == "m":  # in days, as `priors.features` counts
        values = values / np.timedelta64(1, "D")
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        message = f"{samples.name}: column {name!r} holds text; the data must be numbers."
        raise ValueError(message) from None
    return numbers[:, None] if numbers.ndim == 1 else numbers
