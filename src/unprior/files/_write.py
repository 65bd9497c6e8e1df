"""A map and the ids of its samples → a file, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from unprior._extras import import_extra
from unprior._typing import Floats
from unprior.files._samples import Column

Columns: TypeAlias = Mapping[str, Column]

#: Names of a map's columns, as far as they go.
AXES = ("x", "y", "z")


def check_target(path: Path, endings: tuple[str, ...], *, force: bool) -> None:
    """Refuse before any work what could not be written after it."""
    if path.suffix.lower() not in endings:
        message = f"{path}: takes a file that ends in {', '.join(endings)}."
        raise ValueError(message)
    if not path.parent.is_dir():
        message = f"{path}: there is no folder {str(path.parent)!r}."
        raise ValueError(message)
    if path.is_dir() or (path.exists() and not force):
        message = f"{path} is there already; give --force to overwrite it, or another name."
        raise ValueError(message)
    check_room(path, 1)


def check_room(path: Path, n_bytes: int) -> None:
    """Refuse a folder that cannot be written to, or has not enough room."""
    part = path.with_name(f".{path.stem}.{secrets.token_hex(4)}")
    try:
        with part.open("wb") as file:
            file.write(b"0")
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror or error}; give another place."
        raise ValueError(message) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    free = shutil.disk_usage(path.parent).free
    if free < n_bytes:
        message = (
            f"{path} takes about {n_bytes / 2**20:.0f} MiB, and there are {free / 2**20:.0f} free "
            "there; give another place."
        )
        raise ValueError(message)


def write_somewhere(path: Path, write: Callable[[Path], object]) -> Path:
    """Write to a path, or if that fails to a folder where it does not; return where it is.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "gone" / "a.txt"
    >>> write_somewhere(path, lambda part: part.write_text("all of it")).name
    'a.txt'
    """
    try:
        write(path)
    except OSError as error:
        for folder in (Path(tempfile.gettempdir()), Path.home()):
            with contextlib.suppress(OSError):
                place = Path(tempfile.mkdtemp(prefix="unprior-", dir=folder)) / path.name
                write(place)
                return place
        raise error from None
    return path


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write to a temporary name beside the target and move it there when all is written.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.txt"
    >>> write_whole(path, lambda part: part.write_text("all of it"))
    >>> [file.name for file in path.parent.iterdir()]
    ['a.txt']
    """
    # The ending stays, as writers go by it.
    part = path.with_name(f".{path.stem}.{secrets.token_hex(4)}{path.suffix}")
    try:
        write(part)
        os.replace(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()


def write_map(
    path: Path, Y: Floats, ids: Column, *, method: str, beside: Mapping[str, Column] | None = None
) -> None:
    r"""Write a map in the format of the path's ending, coordinates beside ids.

    NPY files hold no ids; H5AD files hold the map as ``obsm["X_<method>"]``. ``beside`` are other
    columns that go along.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "map.csv"
    >>> write_map(path, np.array([[0.5, 1.0]]), np.array(["a"]), method="jedi")
    >>> path.read_text()
    'id,x,y\na,0.5,1.0\n'
    """
    writer, columns = WRITERS[path.suffix.lower()], dict(beside or {})
    write_whole(path, lambda part: writer(part, Y, ids, method, columns))


def as_csv(
    Y: Floats, ids: Column, separator: str = ",", beside: Mapping[str, Column] | None = None
) -> str:
    r"""Return a map as the text of a table.

    Examples
    --------
    >>> as_csv(np.array([[0.5, 1.0]]), np.array(["a"]))
    'id,x,y\na,0.5,1.0\n'
    """
    import csv
    from io import StringIO

    text = StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    columns = dict(beside or {})
    writer.writerow(["id", *AXES[: Y.shape[1]], *columns])
    told = zip(*(_cells(column) for column in columns.values()), strict=True)
    rows = told if columns else [()] * len(Y)
    for name, place, more in zip(ids.tolist(), Y.tolist(), rows, strict=True):
        writer.writerow([name, *place, *more])
    return text.getvalue()


def _cells(column: Column) -> list[Any]:
    """Return values as a text table has them; dates by ISO 8601, missing ones empty."""
    if column.dtype.kind == "M":
        column = column.astype(str).astype(object)
        return ["" if value == "NaT" else value for value in column.tolist()]
    return ["" if value is None or value != value else value for value in column.tolist()]


def check_writer(path: Path, *, with_columns: bool = False) -> None:
    """Import what the format needs, so that a missing package is reported before any work."""
    if with_columns and path.suffix.lower() == ".npy":
        message = f"{path}: an .npy file holds the map alone; --with takes .csv, .npz or another."
        raise ValueError(message)
    for package in NEEDS.get(path.suffix.lower(), ()):
        import_extra(package, f"writing {path.name}")


def _write_csv(path: Path, Y: Floats, ids: Column, method: str, beside: Columns) -> None:
    path.write_text(as_csv(Y, ids, beside=beside), encoding="utf-8")


def _write_tsv(path: Path, Y: Floats, ids: Column, method: str, beside: Columns) -> None:
    path.write_text(as_csv(Y, ids, "\t", beside), encoding="utf-8")


def _write_parquet(path: Path, Y: Floats, ids: Column, method: str, beside: Columns) -> None:
    import pandas as pd

    columns = dict(zip(AXES, Y.T, strict=False))
    frame = pd.DataFrame({"id": ids.astype(str), **columns, **beside})
    frame.to_parquet(path, engine="pyarrow", index=False)


def _write_npy(path: Path, Y: Floats, ids: Column, method: str, beside: Columns) -> None:
    np.save(path, Y, allow_pickle=False)


def _write_npz(path: Path, Y: Floats, ids: Column, method: str, beside: Columns) -> None:
    plain = {
        name: np.array(_cells(column)).astype(str) if column.dtype.kind == "O" else column
        for name, column in beside.items()
    }
    np.savez(path, allow_pickle=False, embedding=Y, ids=ids.astype(str), **plain)


def _write_h5ad(path: Path, Y: Floats, ids: Column, method: str, beside: Columns) -> None:
    import anndata
    import pandas as pd

    obs = pd.DataFrame(dict(beside), index=pd.Index(ids.astype(str).tolist()))
    adata: Any = anndata.AnnData(obs=obs)
    adata.obsm[f"X_{method}"] = Y
    adata.write_h5ad(path)


WRITERS: dict[str, Callable[[Path, Floats, Column, str, Columns], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".parquet": _write_parquet,
    ".npy": _write_npy,
    ".npz": _write_npz,
    ".h5ad": _write_h5ad,
}

#: Packages beyond the core that a format needs.
NEEDS = {".parquet": ("pandas", "pyarrow"), ".h5ad": ("pandas", "anndata")}
