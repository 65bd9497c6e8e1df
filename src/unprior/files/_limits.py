"""Refuse files that would not fit into memory, or that reach outside themselves, before reading.

A small file can claim to hold terabytes: some formats compress a thousandfold, and HDF5 and Zarr
omit chunks that are all zero. So sizes are read from headers, or counted while decompressing. HDF5
can also refer to other files, and Zarr can store pickles, which run code when opened.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from unprior._memory import check_file_fits
from unprior._npy import count_bytes, read_header

#: The highest compression ratio of deflate; a file that fits at this ratio need not be counted.
MAX_RATIO = 1032

#: Bytes decompressed at a time while counting.
PIECE = 2**18

#: Bytes per value of a table in memory; text takes more.
VALUE_BYTES = 8

#: Limits on the number of objects in an HDF5 file and on their nesting: links can be circular.
MAX_OBJECTS, MAX_DEPTH = 100_000, 32

#: Metadata files of a Zarr store; the second and third can describe many arrays at once.
ZARR_METADATA = (".zarray", ".zmetadata", "zarr.json")


class UnsafeFileError(ValueError):
    """A file refused because reading it could run code, exhaust memory or open other files."""


def check_npy(name: str, file: BinaryIO, n_bytes: int) -> None:
    """Refuse an array that declares more bytes than the file has; the reader refuses objects."""
    shape, _, dtype = read_header(file)
    if not dtype.hasobject and count_bytes(shape, dtype) > n_bytes - file.tell():
        message = f"{name} declares the shape {shape} but holds fewer values"
        raise ValueError(message)


def check_npz(name: str, file: BinaryIO) -> None:
    """Refuse an archive whose declared sizes do not fit; NumPy reads no more than declared."""
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
    """Refuse a ZIP archive, such as an Excel file, whose declared sizes do not fit."""
    with zipfile.ZipFile(path) as archive:
        check_file_fits(path.name, sum(entry.file_size for entry in archive.infolist()))


def check_gzip(path: Path) -> None:
    """Refuse text that does not fit once decompressed, counting piece by piece if necessary."""
    size = path.stat().st_size * MAX_RATIO
    try:
        check_file_fits(path.name, size)
    except MemoryError:
        size = 0
        with gzip.open(path) as file:
            while piece := file.read(PIECE):
                size += len(piece)
                check_file_fits(path.name, size)


def check_parquet(path: Path, parquet: Any) -> None:
    """Refuse a table that does not fit, by its declared size and by rows times columns.

    Repeated values take no space in the file, so the declared size alone can be far too small.
    """
    with parquet.ParquetFile(path) as file:
        meta = file.metadata
        groups = [meta.row_group(k) for k in range(meta.num_row_groups)]
        declared = sum(group.total_byte_size for group in groups)
        n_rows = max(meta.num_rows, sum(group.num_rows for group in groups))
    check_file_fits(path.name, max(VALUE_BYTES * n_rows * meta.num_columns, declared))


def check_feather(path: Path, dataset: Any) -> None:
    """Refuse a table that does not fit, by its numbers of rows and columns."""
    table = dataset.dataset(path, format="feather")
    check_file_fits(path.name, VALUE_BYTES * table.count_rows() * len(table.schema))


def check_hdf5(path: Path, h5py: Any) -> None:
    """Refuse an HDF5 file whose arrays do not fit, counted once for every link to them."""
    n_bytes = n_objects = 0
    with h5py.File(path, "r") as file:
        waiting = [(file, 0)]
        while waiting:
            group, depth = waiting.pop()
            for name in group:
                n_objects += 1
                if n_objects > MAX_OBJECTS or depth > MAX_DEPTH:
                    message = f"{path.name} has too many objects, or circular links."
                    raise UnsafeFileError(message)
                if isinstance(group.get(name, getlink=True), h5py.ExternalLink):
                    _refuse_other_files(path, name)
                part = group.get(name)
                if isinstance(part, h5py.Group):
                    waiting.append((part, depth + 1))
                elif isinstance(part, h5py.Dataset):
                    if part.external or part.is_virtual:
                        _refuse_other_files(path, name)
                    n_bytes += count_bytes(part.shape or (), part.dtype)
                    check_file_fits(path.name, n_bytes)


def _refuse_other_files(path: Path, name: str) -> None:
    message = f"{path.name}: {name!r} in it is stored in another file; save it as a single file."
    raise UnsafeFileError(message)


def check_zarr(path: Path) -> None:
    """Refuse a Zarr store whose described arrays do not fit."""
    single = consolidated = 0  # an array can be described on its own, with all others, or both
    for file in path.rglob("*"):
        if file.name not in ZARR_METADATA:
            continue
        metadata = json.loads(file.read_bytes())
        if "pickle" in _codecs(metadata):
            message = (
                f"{path.name} holds Python objects (a pickle), which could run code when opened; "
                "save it again with plain numbers and text."
            )
            raise UnsafeFileError(message)
        if file.name == ".zmetadata":
            consolidated += _described_bytes(metadata)
        else:
            consolidated += _described_bytes(metadata.pop("consolidated_metadata", None))
            single += _described_bytes(metadata)
    check_file_fits(path.name, max(single, consolidated))


def _dicts(metadata: Any) -> Iterator[dict[str, Any]]:
    """Yield all dicts in JSON metadata, at any depth, except in user attributes."""
    if isinstance(metadata, dict):
        yield metadata
        metadata = [part for key, part in metadata.items() if key != "attributes"]
    for part in metadata if isinstance(metadata, list) else ():
        yield from _dicts(part)


def _codecs(metadata: Any) -> set[str]:
    """Return the names of all codecs."""
    found = {str(part.get(key)).lower() for part in _dicts(metadata) for key in ("id", "name")}
    return {name.removeprefix("numcodecs.") for name in found}


def _described_bytes(metadata: Any) -> int:
    """Return the total size of all arrays in the metadata."""
    n_bytes = 0
    for part in _dicts(metadata):
        if isinstance(part.get("shape"), list) and ("dtype" in part or "data_type" in part):
            dtype: np.dtype[Any]
            try:
                dtype = np.dtype(part.get("dtype", part.get("data_type")))
            except TypeError:  # variable-length text, and types of Zarr's own
                dtype = np.dtype(np.uint64)
            n_bytes += count_bytes(tuple(int(side) for side in part["shape"]), dtype)
    return n_bytes
