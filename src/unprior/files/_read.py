"""The path of a file → samples, by the file's ending."""

from __future__ import annotations

from pathlib import Path

from unprior.files._arrays import read_npy, read_npz
from unprior.files._h5ad import read_h5ad, read_zarr
from unprior.files._samples import Samples
from unprior.files._tables import read_csv, read_excel, read_feather, read_parquet

READERS = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".csv.gz": read_csv,
    ".tsv.gz": read_csv,
    ".parquet": read_parquet,
    ".feather": read_feather,
    ".arrow": read_feather,
    ".xlsx": read_excel,
    ".npy": read_npy,
    ".npz": read_npz,
    ".h5ad": read_h5ad,
    ".zarr": read_zarr,
}


def ending(path: Path) -> str:
    """Return the ending of a file's name, with that below a ".gz".

    Examples
    --------
    >>> ending(Path("birds.of.1990.CSV.gz")), ending(Path("birds.npy"))
    ('.csv.gz', '.npy')
    """
    last = path.suffix.lower()
    return Path(path.stem).suffix.lower() + last if last == ".gz" else last


def read_samples(path: Path) -> Samples:
    r"""Read a file of samples; what cannot be read is refused in one sentence.

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
        message = f"{path.name}: takes a file that ends in {', '.join(READERS)}."
        raise ValueError(message)
    if path.is_dir() and reader is not read_zarr:
        message = f"{path.name} is a folder; only .zarr is one."
        raise ValueError(message)
    if not path.stat().st_size:
        message = f"{path.name} is empty (0 bytes)."
        raise ValueError(message)
    return reader(path)
