"""Seeded data that many tests share, and arrays on disk."""

import itertools
import os
import sys
from functools import partial

# Tests run side by side: threads that wait must leave their core to others, not spin. The libraries
# read this when they are loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# Each worker of a cluster would import the same packages again.
os.environ.setdefault(
    "DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD",
    "forkserver" if sys.platform == "linux" else "spawn",
)

import numba
import numpy as np
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

from compiling import compile_part
from unprior.geometry import StoredDistances
from unprior.neighbors import _exact, _index, _mirrored, _tiled
from unprior.operators import _coarse_potentials
from unprior.storage import _rows

# How long an example takes depends on the machine, not on the code. In CI the examples are the
# same every time; elsewhere new ones are tried.
settings.register_profile("patient", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("patient")


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Tests run side by side: more threads of each would only wait for one another."""
    numba.set_num_threads(1)
    with threadpool_limits(1):
        yield


#: In fewer tests than these, most loops may be of no use.
MOST_TESTS = 3000


@pytest.fixture(scope="session", autouse=True)
def compiled(request, one_thread):
    """Processes that run all tests side by side begin by compiling a part of the loops each."""
    count = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if count > 1 and len(request.session.items) > MOST_TESTS:
        compile_part(int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw")), count)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def two_groups(rng):
    """Small data with a known split (columns 0-2) and a hidden one (columns 3-5)."""
    n = 90
    known, hidden = rng.integers(0, 3, n), rng.integers(0, 2, n)
    X = rng.normal(size=(n, 6))
    X[:, :3] += 6 * np.eye(3)[known]
    X[:, 3:5] += 6 * np.eye(2)[hidden]
    return X, known, hidden


@pytest.fixture
def in_blocks(monkeypatch):
    """A function: all that goes block by block holds at most so many numbers at a time."""

    def limit(entries):
        for name, module in [*sys.modules.items()]:
            if name.startswith("unprior.") and hasattr(module, "BLOCK_ENTRIES"):
                monkeypatch.setattr(module, "BLOCK_ENTRIES", entries)

    return limit


@pytest.fixture
def in_tiles(monkeypatch):
    """A function: neighbours of few samples, too, are found in tiles, which may be so large."""

    def search(rows=None, columns=None, *, mirrored=True):
        monkeypatch.setattr(_exact, "MANY", 0)
        monkeypatch.setattr(_exact, "FEW_SHARE", 1)
        for module in (_exact, _tiled, _mirrored) if rows else ():
            monkeypatch.setattr(module, "TILE_ROWS", rows)
        for module in (_tiled, _mirrored) if columns else ():
            monkeypatch.setattr(module, "TILE_COLUMNS", columns)
        if not mirrored:
            monkeypatch.setattr(_mirrored, "MOST_BYTES", 0)

    return search


@pytest.fixture
def in_buckets(monkeypatch):
    """A function: from so many samples on, neighbours are found by an index."""

    def search(n_samples):
        monkeypatch.setattr(_index, "MANY", n_samples)
        monkeypatch.setattr(_exact, "LARGE", n_samples)

    return search


@pytest.fixture
def landmarks(monkeypatch):
    """A function: the balanced operator starts from so many landmarks."""
    return partial(monkeypatch.setattr, _coarse_potentials, "LANDMARKS")


@pytest.fixture
def read_few(monkeypatch):
    """A function: arrays of any size stay on disk, and so many numbers are read at a time."""

    def limit(entries):
        monkeypatch.setattr(_rows, "SMALL", 0)
        monkeypatch.setattr(_rows, "WALK_ENTRIES", entries)
        monkeypatch.setattr(StoredDistances, "entries", entries)

    return limit


@pytest.fixture
def store(tmp_path, read_few):
    """A function that puts an array on disk or into a Dask array, to be read in small parts."""
    numbers = itertools.count()

    def put(array, kind="disk", *, entries, chunks=(50, 2)):
        read_few(entries)
        if kind == "dask":
            return pytest.importorskip("dask.array").from_array(array, chunks=chunks)
        path = tmp_path / f"stored {next(numbers)}.npy"
        np.save(path, array)
        return np.load(path, mmap_mode="r")

    return put
