"""Read NPY and NPZ files; pickles inside are never opened."""

from __future__ import annotations

import lzma
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from unprior.files._limits import check_npy, check_npz
from unprior.files._samples import Column, Samples, number_ids

#: Array names in an NPZ file that mean the data, in order of preference.
DATA_NAMES = ("X", "x", "data", "embedding", "D")
#: Array names that mean the ids, in order of preference.
ID_NAMES = ("ids", "id", "names", "index")

_BROKEN_ARCHIVE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, TypeError)


def read_npy(path: Path) -> Samples:
    """Read one array: one- or two-dimensional numbers, or a structured array."""
    array = _load(path)
    if not isinstance(array, np.ndarray):
        message = f"{path.name} is an NPZ archive; rename it to end in .npz."
        raise ValueError(message)
    if array.dtype.names:
        columns = {name: array[name] for name in array.dtype.names}
        return Samples(path.name, number_ids(len(array)), columns=columns)
    if array.ndim == 1 and len(array):
        return Samples(path.name, number_ids(len(array)), columns={"0": array})
    _check_data(path.name, "the array", array)
    return Samples(
        path.name, number_ids(len(array)), data=array, data_names=_numbers(array.shape[1])
    )


def read_npz(path: Path) -> Samples:
    """Read several arrays: two-dimensional data, and columns or matrices with as many rows."""
    arrays = _load(path)
    if isinstance(arrays, np.ndarray):
        message = f"{path.name} is a single array; rename it to end in .npy."
        raise ValueError(message)
    name = _data_name(path.name, arrays)
    data = arrays.pop(name)
    _check_data(path.name, repr(name), data)
    others = {key: a for key, a in arrays.items() if a.ndim in (1, 2) and len(a) == len(data)}
    ids = next((key for key in ID_NAMES if key in others and others[key].ndim == 1), None)
    left_out = sorted({*arrays} - {*others})
    return Samples(
        path.name,
        number_ids(len(data)) if ids is None else others[ids].astype(str).astype(object),
        "" if ids is None else f"array {ids!r}",
        ids,
        {key: a for key, a in others.items() if a.ndim == 1},
        {key: a for key, a in others.items() if a.ndim == 2},
        data,
        _numbers(data.shape[1]),
        (f"The data are the array {name!r}.",)
        + ((f"Ignored arrays of other shapes: {', '.join(left_out)}.",) * bool(left_out)),
    )


def _load(path: Path) -> NDArray[Any] | dict[str, Column]:
    """Load plain arrays; refuse pickles, which could run code."""
    with path.open("rb") as file:  # NumPy itself does not close a damaged file
        if not file.read(6).startswith((b"\x93NUMPY", b"PK")):
            message = f"{path.name} is not a NumPy file; it does not start like one."
            raise ValueError(message)
        return _load_plain(path.name, file)


def _load_plain(name: str, file: BinaryIO) -> NDArray[Any] | dict[str, Column]:
    try:
        file.seek(0)
        if file.read(2) == b"PK":
            check_npz(name, file)
        else:
            file.seek(0)
            check_npy("it", file, os.fstat(file.fileno()).st_size)
        file.seek(0)
        loaded = np.load(file, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            arrays = {key: loaded[key] for key in loaded.files}
            return {key: a for key, a in arrays.items() if isinstance(a, np.ndarray)}
    except (ValueError, LookupError, OSError, EOFError, *_BROKEN_ARCHIVE) as error:
        if "allow_pickle" in str(error):
            message = (
                f"{name} holds Python objects (a pickle), which could run code when opened; "
                "save plain numbers or text instead, for example array.astype(str)."
            )
        else:
            reason = " ".join(str(error).split()).rstrip(".")
            message = f"{name} is damaged or cut short: {reason}."
        raise ValueError(message) from error


def _data_name(file: str, arrays: dict[str, Column]) -> str:
    named = [key for key in DATA_NAMES if key in arrays]
    matrices = [key for key, a in arrays.items() if a.ndim == 2 and a.dtype.kind in "fiub"]
    if named:
        return named[0]
    if len(matrices) != 1:
        message = (
            f"{file} holds {len(matrices)} two-dimensional arrays of numbers "
            f"({', '.join(matrices) or 'its arrays: ' + (', '.join(arrays) or 'none')}); name the "
            "one with the data 'X'."
        )
        raise ValueError(message)
    return matrices[0]


def _check_data(file: str, which: str, array: Column) -> None:
    if array.ndim != 2 or array.dtype.kind not in "fiub" or not array.size:
        message = (
            f"{file}: {which} must be a two-dimensional array of numbers, one row per sample; got "
            f"shape {array.shape} of {array.dtype}."
        )
        raise ValueError(message)


def _numbers(n: int) -> tuple[str, ...]:
    return tuple(str(k) for k in range(n))
