"""A packed file -> a refusal if what it holds does not fit into memory, before it is unpacked.

A small file can claim to hold terabytes, and some formats unpack a thousandfold and more. So sizes
are read from headers, or counted in passing, and nothing is made of a file that is too large.
"""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from unprior._memory import check_file_fits
from unprior._npy import count_bytes, read_header

#: Deflate makes nothing smaller than by this factor: a smaller file needs no second look.
MOST_DEFLATED = 1032
PIECE = 2**18

#: Bytes of one cell of a table in memory; text takes more.
CELL = 8


def check_npy(name: str, file: BinaryIO, n_bytes: int) -> None:
    """Refuse an array that claims more bytes than its file has; leave objects to the reader."""
    shape, _, dtype = read_header(file)
    if not dtype.hasobject and count_bytes(shape, dtype) > n_bytes - file.tell():
        message = f"{name} claims a shape, {shape}, that it has not"
        raise ValueError(message)


def check_npz(name: str, file: BinaryIO) -> None:
    """Refuse an archive whose arrays do not fit, by what it declares; NumPy reads no more."""
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        check_file_fits(name, sum(entry.file_size for entry in entries))
        for entry in entries:
            with archive.open(entry) as member:
                start = member.read(len(np.lib.format.MAGIC_PREFIX))
            if start == np.lib.format.MAGIC_PREFIX:
                with archive.open(entry) as member:
                    check_npy(f"{entry.filename!r} in it", member, entry.file_size)  # type: ignore[arg-type]


def check_zip(path: Path) -> None:
    """Refuse an archive of other files, such as Excel's, by what it declares."""
    with zipfile.ZipFile(path) as archive:
        check_file_fits(path.name, sum(entry.file_size for entry in archive.infolist()))


def check_gzip(path: Path) -> None:
    """Refuse text that does not fit once it is unpacked; large files are counted piece by piece."""
    size = path.stat().st_size * MOST_DEFLATED
    try:
        check_file_fits(path.name, size)
    except MemoryError:
        size = 0
        with gzip.open(path) as file:
            while piece := file.read(PIECE):
                size += len(piece)
                check_file_fits(path.name, size)


def check_parquet(path: Path, parquet: Any) -> None:
    """Refuse a table by its rows and columns, and by the sizes of its parts.

    Values that repeat take no room in the file: rows count, whatever the parts declare.
    """
    with parquet.ParquetFile(path) as file:
        about = file.metadata
        parts = [about.row_group(k) for k in range(about.num_row_groups)]
        packed = sum(part.total_byte_size for part in parts)
        rows = max(about.num_rows, sum(part.num_rows for part in parts))
    check_file_fits(path.name, max(CELL * rows * about.num_columns, packed))


def check_feather(path: Path, dataset: Any) -> None:
    """Refuse a table by its rows and columns, which stand before the packed values."""
    table = dataset.dataset(path, format="feather")
    check_file_fits(path.name, CELL * table.count_rows() * len(table.schema))
