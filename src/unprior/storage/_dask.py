"""Rows of Dask arrays, read on demand; in whole chunks if many of their rows are needed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from unprior._typing import Floats, Indices
from unprior.storage._rows import StoredRows, cut_rows, float_type

#: Chunks are fetched whole if at least 1 / ONE_IN of their rows are needed: selecting rows takes a
#: task on the worker with the chunk, whose latency equals the time to fetch some megabytes.
ONE_IN = 8

#: Timeout for fetching a chunk, in seconds.
TIMEOUT = 10


@dataclass(frozen=True, eq=False)
class DaskRows(StoredRows):
    """Rows of a Dask array.

    Attributes
    ----------
    array : dask.array.Array
        The array, in chunks of whole rows.
    on_cluster : bool
        Whether workers hold its chunks; otherwise they are computed on demand.
    """

    array: Any
    on_cluster: bool

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Number of rows and columns."""
        return tuple(map(int, self.array.shape))  # type: ignore[return-value]

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """Type of the rows that are returned."""
        return float_type(self.array.dtype)

    def pieces(self, rows: Indices, size: int) -> Iterator[tuple[Indices, Floats]]:
        """Yield blocks of up to ``size`` rows in ascending order, with their positions."""
        if not self._are_many(rows):
            yield from super().pieces(rows, size)
            return
        order, bounds = np.argsort(rows, kind="stable"), self._bounds()
        cuts = np.searchsorted(rows[order], bounds)
        for number in np.flatnonzero(np.diff(cuts)):
            chunk = self._chunk(int(number))
            for some in cut_rows(int(cuts[number]), int(cuts[number + 1]), size):
                positions = order[some.start : some.stop]
                block = chunk[rows[positions] - bounds[number]]
                yield positions, block.astype(self.dtype, copy=False)

    def _read(self, rows: slice | Indices) -> Floats:
        wanted = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        if not self._are_many(wanted):
            return np.ascontiguousarray(self.array[rows].compute(), dtype=self.dtype)
        read = np.empty((len(wanted), self.shape[1]), dtype=self.dtype)
        for positions, values in self.pieces(wanted, self.step):
            read[positions] = values
        return read

    def _bounds(self) -> Indices:
        """Return the first row of every chunk, and the number of rows."""
        return np.cumsum([0, *self.array.chunks[0]])

    def _cut(self, step: int) -> list[range]:
        # No block spans two chunks, which would both be fetched.
        bounds = self._bounds().tolist()
        return [part for start, stop in pairwise(bounds) for part in cut_rows(start, stop, step)]

    def _are_many(self, rows: Indices) -> bool:
        """Whether at least 1 / ONE_IN of the rows of the chunks concerned are needed."""
        bounds = self._bounds()
        touched = np.unique(np.searchsorted(bounds, rows, side="right") - 1)
        return bool(ONE_IN * len(rows) >= np.diff(bounds)[touched].sum())

    def _chunk(self, number: int) -> Floats:
        """Return all rows of a chunk, which may be shared, so must not be changed."""
        if self.on_cluster:
            # Fetched without a task: a worker waiting for one would start other tasks meanwhile,
            # which need memory too.
            with suppress(TimeoutError):
                return _fetch((self.array.name, number, 0))
        # If its worker was lost, it is computed again.
        return np.asarray(self.array.blocks[number].compute())


def dask_rows(array: Any) -> DaskRows:
    """Compute the chunks once if there is a cluster; otherwise they are computed on demand."""
    array = array.rechunk({1: -1})
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        with suppress(ValueError):
            held = distributed.get_client().persist(array)
            # Only finished chunks can be fetched.
            distributed.wait(held)
            return DaskRows(held, on_cluster=True)
    return DaskRows(array, on_cluster=False)


def _fetch(key: tuple[str, int, int]) -> Floats:
    """Return a chunk held by a worker, without a copy if it is this one."""
    from distributed import Future, get_client, get_worker

    with suppress(ValueError, KeyError):
        return np.asarray(get_worker().data[key])
    # Marked as finished, as distributed.Variable does: this client is not notified otherwise.
    future: Future[Any] = Future(key, get_client(), "memory")  # type: ignore[arg-type]
    return np.asarray(future.result(timeout=TIMEOUT))
