"""Read a file for the explorer: data, columns, priors and existing maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from unprior._typing import Floats
from unprior.explorer._columns import Column, read_column
from unprior.explorer._data import ExplorerData
from unprior.files import (
    NamedPrior,
    Samples,
    choose_data,
    explain_gaps,
    find_prior,
    join_meta,
    make_prior,
    read_samples,
    scale_and_reduce,
)


def read_file(
    path: str | Path,
    *,
    prior: Sequence[str] = (),
    keep: Sequence[str] = (),
    features: Sequence[str] = (),
    drop: Sequence[str] = (),
    meta: str | Path | None = None,
    on: str | None = None,
    missing: Sequence[float] = (),
    drop_missing: bool = False,
    metric: str = "euclidean",
    standardize: bool = False,
    pca: int | None = None,
) -> ExplorerData:
    r"""Read a file as ``unprior explore`` does.

    Parameters
    ----------
    path : str or Path
        A file that ends in .csv, .tsv, .parquet, .npy, .npz or .h5ad.
    prior : sequence of str
        Priors, as after ``--prior``: "species", "hour:cyclic=24".
    keep : sequence of str
        Columns with labels to protect, as after ``--keep``.
    features, drop : sequence of str
        The columns of the data, and columns to leave out.
    meta : str or Path, optional
        A second file with more columns of the same samples.
    on : str, optional
        The column by which the rows of both files are matched.
    missing : sequence of float
        Numbers that mean a missing value.
    drop_missing : bool, default=False
        Leave out rows with missing values in data or prior.
    metric : str, default="euclidean"
        Distance between rows of the data.
    standardize : bool, default=False
        Give every column mean 0 and variance 1.
    pca : int, optional
        Reduce the data to this number of principal components.

    Returns
    -------
    data : ExplorerData

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "birds.csv"
    >>> _ = path.write_text("bird,mass,wing,kind\na,1.5,3,x\nb,2.5,4,y\nc,3.5,6,y\n")
    >>> data = read_file(path)
    >>> data.X.shape, [*data.columns]
    ((3, 2), ['kind'])
    """
    path = Path(path)
    samples = read_samples(path)
    if meta is not None:
        samples = join_meta(samples, read_samples(Path(meta)), on)
    samples = samples.without(missing) if missing else samples
    named = [find_prior("--prior", text, samples) for text in prior]
    roles = {name: "the prior" for part in named for name in part.taken}
    for name in keep:
        if name not in samples.columns:
            message = f"{samples.name}: '--keep' takes a column with labels; there is no {name!r}."
            raise ValueError(message)
    roles |= dict.fromkeys(keep, "labels to keep")
    chosen = choose_data(samples, features=features, drop=drop, roles=roles)
    gaps, column = explain_gaps(chosen)
    for part in named:
        gaps = gaps | part.gaps()
    if gaps.any() and not drop_missing:
        what = f"column {column!r}" if column else "the data or the prior"
        message = (
            f"{samples.name}: {what} has no value in row {int(gaps.argmax())}, counted from 0 "
            f"({int(gaps.sum())} such rows in all); leave such rows out with --drop-missing."
        )
        raise ValueError(message)
    rows = np.flatnonzero(~gaps)
    both = metric == "precomputed"
    X = chosen.take(rows, both_axes=both).X
    scaled, _ = scale_and_reduce(X, standardize=standardize, pca=pca)
    table = X if samples.data is None or both else samples.data[rows]
    options = {
        "prior": prior,
        "keep": keep,
        "features": features,
        "drop": drop,
        "drop_missing": drop_missing,
        "meta": meta and str(meta),
        "on": on,
        "missing": missing,
        "metric": metric,
        "standardize": standardize,
        "pca": pca,
    }
    return ExplorerData(
        path.name,
        len(rows),
        scaled.toarray() if issparse(scaled) else np.asarray(scaled, dtype=np.float64),
        None if both else table,
        () if both else _feature_names(samples, chosen.names, X),
        samples.ids[rows] if samples.ids_from else None,
        _columns(samples, chosen.names, named, rows, keep),
        {} if both else _maps(samples, rows),
        metric,
        _origin(path, options),
        {part.name: make_prior(part.take(rows)) for part in named},
        tuple(keep),
    )


def _feature_names(samples: Samples, names: Sequence[str], X: Any) -> tuple[str, ...]:
    if samples.data is not None:
        return samples.data_names
    return tuple(names) if len(names) == X.shape[1] else ()


def _columns(
    samples: Samples,
    features: Sequence[str],
    named: Sequence[NamedPrior],
    rows: Any,
    keep: Sequence[str],
) -> dict[str, Column]:
    kinds = {part.spec.what: part.spec for part in named if len(part.columns) == 1}
    found = {}
    for name, values in samples.columns.items():
        if name == samples.ids_column or (name in features and name not in kinds):
            continue
        spec = kinds.get(name)
        kind, period = None, None
        if name in samples.categories or name in keep or (spec and spec.kind == "labels"):
            kind = "groups"
        elif spec and spec.kind == "cyclic":
            kind, period = "cyclic", float(spec.value)
        elif spec and spec.kind == "features" and values.dtype.kind != "M":
            kind = "amounts"
        found[name] = read_column(name, values[rows], kind=kind, period=period)
    return found


def _maps(samples: Samples, rows: Any) -> dict[str, Floats]:
    """Return matrices of two columns, which is how scanpy stores maps."""
    return {
        name: np.asarray(matrix, dtype=np.float64)[rows]
        for name, matrix in samples.matrices.items()
        if matrix.shape[1] == 2 and not issparse(matrix) and np.isfinite(matrix[rows]).all()
    }


def _origin(path: Path, options: Mapping[str, Any]) -> str:
    """Return Python code that reads the file again, by its name."""
    defaults: dict[str, Any] = {"metric": "euclidean"}
    arguments = [
        f"{name}={[*value] if isinstance(value, tuple | list) else value!r}"
        for name, value in options.items()
        if value and value != defaults.get(name)
    ]
    call = ", ".join([repr(path.name), *arguments])
    return f"from unprior.explorer import read_file\n\ndata = read_file({call})"
