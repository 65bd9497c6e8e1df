"""A Dask array -> its rows on demand, by whole chunks where many of their rows are wanted."""

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

#: Chunks are fetched whole if at least one in so many of their rows is wanted. Picking rows is work
#: for the worker that has the chunk, and a request takes as long as fetching some megabytes.
ONE_IN = 8

#: Seconds for a chunk to arrive.
PATIENCE = 10


@dataclass(frozen=True, eq=False)
class DaskRows(StoredRows):
    """Rows of a Dask array, whose chunks are where Dask has them.

    Attributes
    ----------
    array : dask.array.Array
        In chunks of whole rows.
    on_cluster : bool
        Whether workers hold its chunks. Otherwise they are computed on demand.
    """

    array: Any
    on_cluster: bool

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Rows and columns."""
        return tuple(map(int, self.array.shape))  # type: ignore[return-value]

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """Type of what is read."""
        return float_type(self.array.dtype)

    def pieces(self, rows: Indices, size: int) -> Iterator[tuple[Indices, Floats]]:
        """Read rows in ascending order; yield up to ``size`` at a time, and their places in it."""
        if not self._are_many(rows):
            yield from super().pieces(rows, size)
            return
        order, bounds = np.argsort(rows, kind="stable"), self._bounds()
        cuts = np.searchsorted(rows[order], bounds)
        for number in np.flatnonzero(np.diff(cuts)):
            chunk = self._chunk(int(number))
            for some in cut_rows(int(cuts[number]), int(cuts[number + 1]), size):
                places = order[some.start : some.stop]
                yield places, chunk[rows[places] - bounds[number]].astype(self.dtype, copy=False)

    def _read(self, rows: slice | Indices) -> Floats:
        wanted = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        if not self._are_many(wanted):
            return np.ascontiguousarray(self.array[rows].compute(), dtype=self.dtype)
        read = np.empty((len(wanted), self.shape[1]), dtype=self.dtype)
        for places, values in self.pieces(wanted, self.step):
            read[places] = values
        return read

    def _bounds(self) -> Indices:
        """First row of every chunk, and the end."""
        return np.cumsum([0, *self.array.chunks[0]])

    def _cut(self, step: int) -> list[range]:
        # No part is in two chunks, which would both be fetched.
        bounds = self._bounds().tolist()
        return [part for start, stop in pairwise(bounds) for part in cut_rows(start, stop, step)]

    def _are_many(self, rows: Indices) -> bool:
        """Whether rows are a fair part of the chunks they are in."""
        bounds = self._bounds()
        touched = np.unique(np.searchsorted(bounds, rows, side="right") - 1)
        return bool(ONE_IN * len(rows) >= np.diff(bounds)[touched].sum())

    def _chunk(self, number: int) -> Floats:
        """All rows of a chunk, which may be another's: they are not to be changed."""
        if self.on_cluster:
            # Moved without a task of its own: for one, a worker that reads would have to step
            # aside, begin other work meanwhile, and hold what that takes too.
            with suppress(TimeoutError):
                return _fetch((self.array.name, number, 0))
        # If its worker is gone, it is computed again.
        return np.asarray(self.array.blocks[number].compute())


def dask_rows(array: Any) -> DaskRows:
    """Have a cluster compute the chunks once; without one, they are computed on demand."""
    array = array.rechunk({1: -1})
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        with suppress(ValueError):
            held = distributed.get_client().persist(array)
            # What is not there yet cannot be fetched.
            distributed.wait(held)
            return DaskRows(held, on_cluster=True)
    return DaskRows(array, on_cluster=False)


def _fetch(key: tuple[str, int, int]) -> Floats:
    """Return a chunk that workers hold: without a copy on the one that has it."""
    from distributed import Future, get_client, get_worker

    with suppress(ValueError, KeyError):
        return np.asarray(get_worker().data[key])
    # Told to be there, as a distributed.Variable tells it: nobody else would say so to this client.
    future: Future[Any] = Future(key, get_client(), "memory")  # type: ignore[arg-type]
    return np.asarray(future.result(timeout=PATIENCE))
