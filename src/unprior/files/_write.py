"""Write maps to files, atomically: either the whole file appears or none."""

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

#: Column names of a map's coordinates.
AXES = ("x", "y", "z")


def check_target(path: Path, endings: tuple[str, ...], *, force: bool) -> None:
    """Refuse early what could not be written later."""
    if path.suffix.lower() not in endings:
        message = f"{path}: takes a file name that ends in {_either(endings)}."
        raise ValueError(message)
    if not path.parent.is_dir():
        message = f"{path}: there is no folder {str(path.parent)!r}."
        raise ValueError(message)
    if path.is_dir() or (path.exists() and not force):
        message = f"{path} already exists; give --force to overwrite it, or another name."
        raise ValueError(message)
    check_room(path, 1)


def _either(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def check_room(path: Path, n_bytes: int) -> None:
    """Refuse a folder that is not writable, or has too little free space."""
    part = path.with_name(f".{path.stem}.{secrets.token_hex(4)}")
    try:
        with part.open("wb") as file:
            file.write(b"0")
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror or error}; give another folder."
        raise ValueError(message) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    free = shutil.disk_usage(path.parent).free
    if free < n_bytes:
        message = (
            f"{path} needs about {n_bytes / 2**20:.0f} MiB, but only {free / 2**20:.0f} are free; "
            "give another folder."
        )
        raise ValueError(message)


def write_somewhere(path: Path, write: Callable[[Path], object]) -> Path:
    """Write to a path, or to a temporary or home folder if that fails; return the path written.

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
    """Write to a temporary file in the same folder, then rename it to the target.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.txt"
    >>> write_whole(path, lambda part: part.write_text("all of it"))
    >>> [file.name for file in path.parent.iterdir()]
    ['a.txt']
    """
    # Writers choose the format by the ending, so it is kept.
    part = path.with_name(f".{path.stem}.{secrets.token_hex(4)}{path.suffix}")
    try:
        write(part)
        os.replace(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()


def write_map(
    path: Path, Y: Floats, ids: Column, *, method: str, extra: Mapping[str, Column] | None = None
) -> None:
    r"""Write ids, coordinates and ``extra`` columns in the format of the path's ending.

    NPY files hold coordinates only; H5AD files hold the map as ``obsm["X_<method>"]``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "map.csv"
    >>> write_map(path, np.array([[0.5, 1.0]]), np.array(["a"]), method="jedi")
    >>> path.read_text()
    'id,x,y\na,0.5,1.0\n'
    """
    writer, columns = WRITERS[path.suffix.lower()], dict(extra or {})
    write_whole(path, lambda part: writer(part, Y, ids, method, columns))


def as_csv(
    Y: Floats, ids: Column, separator: str = ",", extra: Mapping[str, Column] | None = None
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
    columns = dict(extra or {})
    writer.writerow(["id", *AXES[: Y.shape[1]], *columns])
    values = zip(*(_fields(column) for column in columns.values()), strict=True)
    rows = values if columns else [()] * len(Y)
    for name, point, more in zip(ids.tolist(), Y.tolist(), rows, strict=True):
        writer.writerow([name, *point, *more])
    return text.getvalue()


def _fields(column: Column) -> list[Any]:
    """Return values for a text table: dates in ISO 8601, missing values empty."""
    if column.dtype.kind == "M":
        column = column.astype(str).astype(object)
        return ["" if value == "NaT" else value for value in column.tolist()]
    return ["" if value is None or value != value else value for value in column.tolist()]


def check_writer(path: Path, *, with_columns: bool = False) -> None:
    """Import the packages a format needs, so that a missing one is reported early."""
    if with_columns and path.suffix.lower() == ".npy":
        message = f"{path}: an .npy file cannot hold the columns of --with; use .csv or .npz."
        raise ValueError(message)
    for package in NEEDS.get(path.suffix.lower(), ()):
        import_extra(package, f"writing {path.name}")


def _write_csv(path: Path, Y: Floats, ids: Column, method: str, extra: Columns) -> None:
    path.write_text(as_csv(Y, ids, extra=extra), encoding="utf-8")


def _write_tsv(path: Path, Y: Floats, ids: Column, method: str, extra: Columns) -> None:
    path.write_text(as_csv(Y, ids, "\t", extra), encoding="utf-8")


def _write_parquet(path: Path, Y: Floats, ids: Column, method: str, extra: Columns) -> None:
    import pandas as pd

    columns = dict(zip(AXES, Y.T, strict=False))
    frame = pd.DataFrame({"id": ids.astype(str), **columns, **extra})
    frame.to_parquet(path, engine="pyarrow", index=False)


def _write_npy(path: Path, Y: Floats, ids: Column, method: str, extra: Columns) -> None:
    np.save(path, Y, allow_pickle=False)


def _write_npz(path: Path, Y: Floats, ids: Column, method: str, extra: Columns) -> None:
    plain = {
        name: np.array(_fields(column)).astype(str) if column.dtype.kind == "O" else column
        for name, column in extra.items()
    }
    np.savez(path, allow_pickle=False, embedding=Y, ids=ids.astype(str), **plain)


def _write_h5ad(path: Path, Y: Floats, ids: Column, method: str, extra: Columns) -> None:
    import anndata
    import pandas as pd

    obs = pd.DataFrame(dict(extra), index=pd.Index(ids.astype(str).tolist()))
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

#: Optional packages that a format needs.
NEEDS = {".parquet": ("pandas", "pyarrow"), ".h5ad": ("pandas", "anndata")}
