"""Bytes from stdin → a file with the ending that they call for."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO

#: What a file begins with -> its ending; the rest is text.
BEGINNINGS = {
    b"\x93NUMPY": ".npy",
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"\x89HDF": ".h5ad",
    b"\x1f\x8b": ".csv.gz",
}


#: Where streams are kept.
FOLDERS: list[Path] = []


def keep_stdin(stream: BinaryIO) -> Path:
    r"""Write a stream to a file that is gone when the program ends; formats are read from files.

    Examples
    --------
    >>> from io import BytesIO
    >>> keep_stdin(BytesIO(b"a,b\n1,2\n")).name
    'stdin.csv'
    """
    folder = Path(tempfile.mkdtemp(prefix="unprior-"))
    FOLDERS.append(folder)
    part = folder / "stdin"
    with part.open("wb") as file:
        shutil.copyfileobj(stream, file)
    return part.rename(folder / f"stdin{_ending(part)}")


@atexit.register
def forget() -> None:
    """Remove what was kept."""
    while FOLDERS:
        shutil.rmtree(FOLDERS.pop(), ignore_errors=True)


def _ending(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(8)
    if start.startswith(b"PK"):
        import zipfile

        names = zipfile.ZipFile(path).namelist() if zipfile.is_zipfile(path) else []
        return ".xlsx" if "[Content_Types].xml" in names else ".npz"
    return next((end for begin, end in BEGINNINGS.items() if start.startswith(begin)), ".csv")
