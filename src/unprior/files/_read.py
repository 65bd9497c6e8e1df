"""Read a file of samples by its ending; stdin by its first bytes."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO

from unprior.files._arrays import read_npy, read_npz
from unprior.files._csv import read_csv
from unprior.files._h5ad import read_h5ad
from unprior.files._samples import Samples
from unprior.files._tables import read_arrow, read_excel

READERS = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".csv.gz": read_csv,
    ".tsv.gz": read_csv,
    ".parquet": read_arrow,
    ".feather": read_arrow,
    ".arrow": read_arrow,
    ".xlsx": read_excel,
    ".npy": read_npy,
    ".npz": read_npz,
    ".h5ad": read_h5ad,
    ".zarr": read_h5ad,
}


def ending(path: Path) -> str:
    """Return the lower-case ending of a file name, including the one before ".gz".

    Examples
    --------
    >>> ending(Path("birds.of.1990.CSV.gz")), ending(Path("birds.npy"))
    ('.csv.gz', '.npy')
    """
    last = path.suffix.lower()
    return Path(path.stem).suffix.lower() + last if last == ".gz" else last


def read_samples(path: Path) -> Samples:
    r"""Read a file of samples; a file that cannot be read is refused in one sentence.

    Parameters
    ----------
    path : Path
        A file that ends in .csv or .tsv, both also gzipped (.csv.gz), .parquet, .feather, .arrow,
        .xlsx, .npy, .npz, .h5ad or .zarr. Pickles inside are never opened.

    Returns
    -------
    samples : Samples

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "birds.csv"
    >>> _ = path.write_text("bird;mass\nann;1,5\nbob;2,5\n")
    >>> samples = read_samples(path)
    >>> samples.ids.tolist(), samples["mass"].tolist()
    (['ann', 'bob'], [1.5, 2.5])
    """
    reader = READERS.get(ending(path))
    if reader is None:
        message = f"{path.name}: unknown file type; takes files that end in {', '.join(READERS)}."
        raise ValueError(message)
    if path.is_dir() and ending(path) != ".zarr":
        message = f"{path.name} is a folder; only .zarr can be one."
        raise ValueError(message)
    if not path.stat().st_size:
        message = f"{path.name} is empty (0 bytes)."
        raise ValueError(message)
    return reader(path)


#: First bytes of a file -> its ending; everything else is text.
SIGNATURES = {
    b"\x93NUMPY": ".npy",
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"\x89HDF": ".h5ad",
    b"\x1f\x8b": ".csv.gz",
}


#: Temporary folders with copies of stdin.
FOLDERS: list[Path] = []


def keep_stdin(stream: BinaryIO) -> Path:
    r"""Copy a stream to a temporary file that is removed when the program exits.

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
    return part.rename(folder / f"stdin{_guess_ending(part)}")


@atexit.register
def forget() -> None:
    """Remove the temporary folders."""
    while FOLDERS:
        shutil.rmtree(FOLDERS.pop(), ignore_errors=True)


def _guess_ending(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(8)
    if start.startswith(b"PK"):
        import zipfile

        names = zipfile.ZipFile(path).namelist() if zipfile.is_zipfile(path) else []
        return ".xlsx" if "[Content_Types].xml" in names else ".npz"
    return next((end for bytes_, end in SIGNATURES.items() if start.startswith(bytes_)), ".csv")
