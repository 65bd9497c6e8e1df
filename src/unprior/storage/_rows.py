"""Rows that are stored outside memory: reading them in blocks, checks and a fingerprint."""

from __future__ import annotations

import hashlib
import mmap
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior._validation import Gaps, find_gaps, refuse_gaps

#: Arrays of at most this many bytes are loaded: a pass over stored rows needs as much memory.
SMALL = 2**25

#: Number of entries processed at a time (8 MB in double precision), and the multiple of it that is
#: held in memory while others are read.
WALK_ENTRIES, HELD = 1_000_000, 5


class StoredRows(ABC):
    """Rows of numbers outside memory. Indexing reads some of them as an array.

    Attributes
    ----------
    shape : tuple of int
        Number of rows and columns.
    dtype : dtype
        Type of the rows that are returned: single precision for single, otherwise double.
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]

    @abstractmethod
    def _read(self, rows: slice | Indices) -> Floats:
        """Read consecutive rows, or distinct rows in ascending order."""

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
        distinct, positions = np.unique(rows, return_inverse=True)
        return self._read(distinct)[positions]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:  # noqa: FBT001
        """Read all rows at once."""
        return np.asarray(self._read(slice(0, len(self))), dtype=dtype)

    def pieces(self, rows: Indices, size: int) -> Iterator[tuple[Indices, Floats]]:
        """Yield blocks of up to ``size`` rows in ascending order, with their positions."""
        order = np.argsort(rows, kind="stable")
        for start in range(0, len(order), size):
            positions = order[start : start + size]
            yield positions, self[rows[positions]]

    def walk(self) -> list[range]:
        """Return all rows in blocks that are processed at a time."""
        return self._cut(self.step)

    def stretches(self) -> list[range]:
        """Return all rows in blocks that are held while others are read."""
        return self._cut(HELD * self.step)

    def _cut(self, step: int) -> list[range]:
        return cut_rows(0, len(self), step)

    @property
    def step(self) -> int:
        """Number of rows processed at a time."""
        return max(1, WALK_ENTRIES // self.shape[1])


@dataclass(frozen=True)
class FileRows(StoredRows):
    """Rows of an array in a file, with its offset, strides and type.

    The file is opened for every read, so nothing of it stays in memory, and only its name is sent
    to workers.
    """

    path: str
    offset: int
    shape: tuple[int, int]
    strides: tuple[int, ...]
    stored: np.dtype[Any]

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """Type of the rows that are returned."""
        return float_type(self.stored)

    def _read(self, rows: slice | Indices) -> Floats:
        wanted = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        read = np.empty((len(wanted), self.shape[1]), dtype=self.dtype)
        for some in cut_rows(0, len(wanted), self.step):
            part = slice(some.start, some.stop)
            # Mapped anew for each part: pages that were read count as memory until it is closed.
            read[part] = self._mapped()[wanted[part]]
        return read

    def _mapped(self) -> Any:
        try:
            file = np.memmap(self.path, mode="r")
        except FileNotFoundError as error:
            message = (
                f"the array on disk {self.path!r} cannot be found; every worker must be able to "
                "read it under this name."
            )
            raise FileNotFoundError(message) from error
        return np.ndarray(self.shape, self.stored, file, self.offset, self.strides)


def stored_rows(X: Any, *, who: str = "stored_rows", name: str = "X") -> StoredRows | None:
    """Return a large array on disk or a large Dask array as stored rows; None for all else."""
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
            f"{who}: {name!r} takes a Dask array with known chunk sizes; call its "
            "compute_chunk_sizes() first."
        )
        raise ValueError(message)
    if X.nbytes <= SMALL:
        return None
    from unprior.storage._dask import dask_rows

    return dask_rows(X)


def row_blocks(X: Any) -> Iterator[tuple[int, Floats]]:
    """Yield (first row, rows) for all rows: at once if in memory, otherwise in blocks."""
    if not isinstance(X, StoredRows):
        yield 0, X
        return
    for positions, rows in X.pieces(np.arange(len(X)), X.step):
        yield int(positions[0]), rows


def cut_rows(start: int, stop: int, step: int) -> list[range]:
    """Split consecutive rows into blocks of ``step`` rows."""
    return [range(first, min(first + step, stop)) for first in range(start, stop, step)]


def _on_disk(X: Any) -> FileRows | None:
    """Return the rows of a memory-mapped array; None if in memory or different from its file."""
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


def float_type(stored: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which numbers of a stored type are returned."""
    return np.dtype(stored if stored in (np.float32, np.float64) else np.float64)


@dataclass(frozen=True)
class RowSummary:
    """A summary of rows, computed in one pass.

    Attributes
    ----------
    gaps : Gaps or None
        NaN and infinity.
    largest : float
        The largest absolute value.
    same : bool
        Whether every row equals the first of all.
    """

    gaps: Gaps | None
    largest: float
    same: bool


def check_stored(who: str, name: str, rows: StoredRows) -> RowSummary:
    """Summarize all rows in one pass, and refuse NaN and infinity."""
    summary = _summarize(rows)
    refuse_gaps(who, name, summary.gaps)
    return summary


def _summarize(rows: StoredRows) -> RowSummary:
    summarize = partial(_summarize_some, rows, rows[slice(0, 1)])
    parts = map_blocks(summarize, rows.walk(), title="reading")
    gaps = [summary.gaps for summary in parts if summary.gaps]
    first = replace(gaps[0], n_rows=sum(each.n_rows for each in gaps)) if gaps else None
    return RowSummary(first, max(s.largest for s in parts), all(s.same for s in parts))


def _summarize_some(rows: StoredRows, first: Floats, some: range) -> RowSummary:
    block = rows[slice(some.start, some.stop)]
    gaps = find_gaps(block)
    if gaps:
        gaps = replace(gaps, where=(some.start + gaps.where[0], *gaps.where[1:]))
    largest = max(float(block.max()), -float(block.min()))
    return RowSummary(
        gaps, largest, bool(np.array_equal(block, np.broadcast_to(first, block.shape)))
    )


def fingerprint(X: Any) -> str:
    """Return a hash that identifies the samples of ``fit`` without storing them."""
    if X.dtype.kind != "f":
        return str(joblib.hash(np.ascontiguousarray(X)))
    # In blocks, so that equal rows in memory and on disk have the same hash.
    digest = hashlib.blake2b(f"{X.shape} {X.dtype}".encode())
    for _, rows in row_blocks(X):
        digest.update(np.ravel(rows).data)
    return digest.hexdigest()
