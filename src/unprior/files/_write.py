"""A map and the ids of its samples → a file, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from unprior._extras import import_extra
from unprior._typing import Floats
from unprior.files._samples import Column

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


def write_map(path: Path, Y: Floats, ids: Column, *, method: str) -> None:
    r"""Write a map in the format of the path's ending, coordinates beside ids.

    NPY files hold no ids; H5AD files hold the map as ``obsm["X_<method>"]``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "map.csv"
    >>> write_map(path, np.array([[0.5, 1.0]]), np.array(["a"]), method="jedi")
    >>> path.read_text()
    'id,x,y\na,0.5,1.0\n'
    """
    writer = WRITERS[path.suffix.lower()]
    write_whole(path, lambda part: writer(part, Y, ids, method))


def as_csv(Y: Floats, ids: Column, separator: str = ",") -> str:
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
    writer.writerow(["id", *AXES[: Y.shape[1]]])
    writer.writerows([name, *row] for name, row in zip(ids.tolist(), Y.tolist(), strict=True))
    return text.getvalue()


def check_writer(path: Path) -> None:
    """Import what the format needs, so that its lack is told before any work."""
    for package in NEEDS.get(path.suffix.lower(), ()):
        import_extra(package, f"writing {path.name}")


def _write_csv(path: Path, Y: Floats, ids: Column, method: str) -> None:
    path.write_text(as_csv(Y, ids), encoding="utf-8")


def _write_tsv(path: Path, Y: Floats, ids: Column, method: str) -> None:
    path.write_text(as_csv(Y, ids, "\t"), encoding="utf-8")


def _write_parquet(path: Path, Y: Floats, ids: Column, method: str) -> None:
    import pandas as pd

    columns = dict(zip(AXES, Y.T, strict=False))
    pd.DataFrame({"id": ids.astype(str), **columns}).to_parquet(path, engine="pyarrow", index=False)


def _write_npy(path: Path, Y: Floats, ids: Column, method: str) -> None:
    np.save(path, Y, allow_pickle=False)


def _write_npz(path: Path, Y: Floats, ids: Column, method: str) -> None:
    np.savez(path, allow_pickle=False, embedding=Y, ids=ids.astype(str))


def _write_h5ad(path: Path, Y: Floats, ids: Column, method: str) -> None:
    import anndata
    import pandas as pd

    adata: Any = anndata.AnnData(obs=pd.DataFrame(index=pd.Index(ids.astype(str).tolist())))
    adata.obsm[f"X_{method}"] = Y
    adata.write_h5ad(path)


WRITERS: dict[str, Callable[[Path, Floats, Column, str], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".parquet": _write_parquet,
    ".npy": _write_npy,
    ".npz": _write_npz,
    ".h5ad": _write_h5ad,
}

#: Packages beyond the core that a format needs.
NEEDS = {".parquet": ("pandas", "pyarrow"), ".h5ad": ("pandas", "anndata")}
