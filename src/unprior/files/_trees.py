"""An HDF5 file or a Zarr store -> a refusal if its arrays do not fit, or reach outside of it.

Both are trees of arrays that are packed in pieces, and a piece that is left out stands for zeros: a
file of some kilobytes can claim any size. HDF5 can also point at other files, and Zarr can keep
Python objects as pickles, which run code when they are opened.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from unprior._memory import check_file_fits
from unprior._npy import count_bytes

#: Parts of a file, and how deep they may be nested: links can go round in circles.
MOST_PARTS, DEEPEST = 100_000, 32

#: Files of a Zarr store that describe arrays; the second and third describe many at once.
DESCRIPTIONS = (".zarray", ".zmetadata", "zarr.json")


class UnsafeFileError(ValueError):
    """A file that could do harm, refused in a sentence of its own."""


def check_hdf5(path: Path, h5py: Any) -> None:
    """Refuse an HDF5 file by the shapes of its arrays, counted once for every way to them."""
    need = parts = 0
    with h5py.File(path, "r") as file:
        waiting = [(file, 0)]
        while waiting:
            group, depth = waiting.pop()
            for name in group:
                parts += 1
                if parts > MOST_PARTS or depth > DEEPEST:
                    message = f"{path.name} has too many parts, or links that go round in circles."
                    raise UnsafeFileError(message)
                if isinstance(group.get(name, getlink=True), h5py.ExternalLink):
                    _refuse_other_files(path, name)
                part = group.get(name)
                if isinstance(part, h5py.Group):
                    waiting.append((part, depth + 1))
                elif isinstance(part, h5py.Dataset):
                    if part.external or part.is_virtual:
                        _refuse_other_files(path, name)
                    need += count_bytes(part.shape or (), part.dtype)
                    check_file_fits(path.name, need)


def _refuse_other_files(path: Path, name: str) -> None:
    message = f"{path.name}: {name!r} in it is kept in another file; write it anew, as a whole."
    raise UnsafeFileError(message)


def check_zarr(path: Path) -> None:
    """Refuse a Zarr store by what its arrays are described as."""
    alone = together = 0  # arrays are described by themselves, or all at once, or both ways
    for file in path.rglob("*"):
        if file.name not in DESCRIPTIONS:
            continue
        told = json.loads(file.read_bytes())
        if "pickle" in _codecs(told):
            message = (
                f"{path.name} holds Python objects (a pickle), which could run code when opened; "
                "write it anew with plain numbers and text."
            )
            raise UnsafeFileError(message)
        if file.name == ".zmetadata":
            together += _size(told)
        else:
            together += _size(told.pop("consolidated_metadata", None))
            alone += _size(told)
    check_file_fits(path.name, max(alone, together))


def _parts(told: Any) -> Iterator[dict[str, Any]]:
    """Go through all that is described, at any depth; what users say of it is left out."""
    if isinstance(told, dict):
        yield told
        told = [part for key, part in told.items() if key != "attributes"]
    for part in told if isinstance(told, list) else ():
        yield from _parts(part)


def _codecs(told: Any) -> set[str]:
    """Return the names of everything that packs values."""
    found = {str(part.get(key)).lower() for part in _parts(told) for key in ("id", "name")}
    return {name.removeprefix("numcodecs.") for name in found}


def _size(told: Any) -> int:
    """Return the bytes of all arrays that are described."""
    need = 0
    for part in _parts(told):
        if isinstance(part.get("shape"), list) and ("dtype" in part or "data_type" in part):
            dtype: np.dtype[Any]
            try:
                dtype = np.dtype(part.get("dtype", part.get("data_type")))
            except TypeError:  # text of any length, and types of Zarr's own
                dtype = np.dtype(np.uint64)
            need += count_bytes(tuple(int(side) for side in part["shape"]), dtype)
    return need
