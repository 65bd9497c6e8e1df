"""An array on disk or a Dask array -> its rows on demand, never all of them in memory."""

from __future__ import annotations

import mmap
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unprior._typing import Floats, Indices

#: Arrays of fewer bytes are simply read: whoever walks through rows holds as much at a time.
SMALL = 2**25

#: Numbers that are read at a time (8 MB in double precision).
WALK_ENTRIES = 1_000_000


class StoredRows(ABC):
    """Rows of numbers that are somewhere else. Indexing reads some of them, as an array.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    dtype : dtype
        Of what is read: single precision stays single, all else is made double.
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]

    @abstractmethod
    def _read(self, rows: slice | Indices) -> Floats:
        """Read rows: consecutive ones, or different ones in ascending order."""

    @property
    def ndim(self) -> int:
        """Number of dimensions, 2."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | Indices) -> Floats:
        if isinstance(rows, slice):
            return self._read(rows)
        rows = np.asarray(rows, dtype=np.intp)
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all():
            return self._read(slice(int(rows[0]), int(rows[-1]) + 1))
        different, places = np.unique(rows, return_inverse=True)
        return self._read(different)[places]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:  # noqa: FBT001
        """Read all rows, for those who cannot do with some at a time."""
        return np.asarray(self._read(slice(0, len(self))), dtype=dtype)

    def walk(self) -> list[range]:
        """All rows, cut into what is read at a time."""
        step = max(1, WALK_ENTRIES // self.shape[1])
        return [range(s, min(s + step, len(self))) for s in range(0, len(self), step)]


@dataclass(frozen=True)
class FileRows(StoredRows):
    """Rows in a file: where in it each number is, and of what type.

    The file is opened for each reading. So nothing of it stays in memory, and what goes to a worker
    is its name.
    """

    path: str
    offset: int
    shape: tuple[int, int]
    strides: tuple[int, ...]
    stored: np.dtype[Any]

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """Type of what is read."""
        return _float_type(self.stored)

    def _read(self, rows: slice | Indices) -> Floats:
        try:
            file = np.memmap(self.path, mode="r")
        except FileNotFoundError as error:
            message = (
                f"the array on disk {self.path!r} is not there; every worker must be able to read "
                "it under this name."
            )
            raise FileNotFoundError(message) from error
        mapped = np.ndarray(self.shape, self.stored, file, self.offset, self.strides)
        return mapped[rows].astype(self.dtype, order="C")


@dataclass(frozen=True, eq=False)
class DaskRows(StoredRows):
    """Rows of a Dask array: its chunks are where Dask has them, and sliced there."""

    array: Any

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Rows and columns."""
        return tuple(map(int, self.array.shape))  # type: ignore[return-value]

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """Type of what is read."""
        return _float_type(self.array.dtype)

    def _read(self, rows: slice | Indices) -> Floats:
        return np.ascontiguousarray(self.array[rows].compute(), dtype=self.dtype)


def stored_rows(X: Any, *, who: str = "stored_rows", name: str = "X") -> StoredRows | None:
    """Return a large array on disk, or a large Dask array, as rows on demand; None for all else."""
    if isinstance(X, StoredRows):
        return X
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if getattr(X, "ndim", 0) != 2 or kind not in [*"fiub"]:
        return None
    if isinstance(X, np.ndarray):
        return _on_disk(X) if X.nbytes > SMALL else None
    dask = sys.modules.get("dask.array")
    if dask is None or not isinstance(X, dask.Array):
        return None
    if np.isnan(X.nbytes):
        message = (
            f"{who}: {name!r} takes a Dask array whose chunks are of known length, to read some "
            "rows of it at a time; call its compute_chunk_sizes() first."
        )
        raise ValueError(message)
    if X.nbytes <= SMALL:
        return None
    return DaskRows(_held_by_cluster(X.rechunk({1: -1})))


def row_blocks(X: Any) -> Iterator[tuple[int, Floats]]:
    """Yield (first row, rows) for all rows: at once for what is in memory, else some at a time."""
    if not isinstance(X, StoredRows):
        yield 0, X
        return
    for rows in X.walk():
        yield rows.start, X[slice(rows.start, rows.stop)]


def _on_disk(X: Any) -> FileRows | None:
    """Return where an array is on disk; None if it is in memory, or may differ from its file."""
    root = X
    while isinstance(root.base, np.ndarray):
        root = root.base
    if not (isinstance(root, np.memmap) and isinstance(root.base, mmap.mmap)):
        return None
    if root.filename is None or root.mode == "c" or not Path(root.filename).exists():
        return None
    start, first = (array.__array_interface__["data"][0] for array in (root, X))
    return FileRows(
        str(root.filename), int(root.offset) + first - start, X.shape, X.strides, X.dtype
    )


def _held_by_cluster(array: Any) -> Any:
    """Compute the chunks once, on the cluster; without one, they are computed on demand."""
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        with suppress(ValueError):
            return distributed.get_client().persist(array)
    return array


def _float_type(stored: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(stored if stored in (np.float32, np.float64) else np.float64)
