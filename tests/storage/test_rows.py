"""Rows read on demand equal those of the array, wherever it is and whichever are requested."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unprior.storage import _rows as storage_rows
from unprior.storage._rows import FileRows, check_stored, row_blocks, stored_rows


@pytest.fixture(autouse=True)
def small_steps(read_few):
    """Keep small arrays where they are too, and read few rows at a time."""
    read_few(20)


@pytest.fixture
def on_disk(tmp_path):
    """A function that puts an array on disk and maps it."""

    def put(array, **how):
        np.save(tmp_path / "X.npy", array)
        return np.load(tmp_path / "X.npy", **{"mmap_mode": "r", **how})

    return put


VIEWS = {
    "whole": lambda X: X,
    "later rows": lambda X: X[5:],
    "every other row": lambda X: X[::2],
    "backwards": lambda X: X[::-1],
    "some columns": lambda X: X[:, 1:3],
    "as an array": np.asarray,
    "transposed": lambda X: X.T,
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["f4", "f8", ">f8", "f2", "u1", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_reads_any_view_of_a_file(on_disk, rng, view, dtype, order):
    mapped = on_disk(np.asarray(rng.normal(size=(30, 6)) * 9, order=order).astype(dtype))
    X = VIEWS[view](mapped)
    rows, truth = stored_rows(X), np.array(X)
    assert isinstance(rows, FileRows)
    assert rows.dtype == (np.float32 if dtype == "f4" else np.float64)
    assert rows.shape == X.shape
    np.testing.assert_array_equal(rows, truth.astype(rows.dtype))
    np.testing.assert_array_equal(rows[slice(2, 4)], truth[2:4].astype(rows.dtype))
    assert rows[slice(2, 4)].dtype == rows.dtype


@given(st.lists(st.integers(0, 39), max_size=60))
def test_reads_rows_in_any_order_and_repeatedly(tmp_path_factory, wanted):
    truth = np.arange(120.0).reshape(40, 3)
    path = tmp_path_factory.getbasetemp() / "rows.npy"
    if not path.exists():
        np.save(path, truth)
    rows = storage_rows._on_disk(np.load(path, mmap_mode="r"))
    wanted = np.array(wanted, dtype=int)
    np.testing.assert_array_equal(rows[wanted], truth[wanted])


def test_a_walk_meets_every_row_once(on_disk):
    truth = np.arange(90.0).reshape(30, 3)
    blocks = [*row_blocks(stored_rows(on_disk(truth)))]
    assert max(len(rows) for _, rows in blocks) == 20 // 3
    np.testing.assert_array_equal(np.vstack([rows for _, rows in blocks]), truth)
    assert [start for start, _ in blocks] == [*range(0, 30, 6)]


def test_a_row_wider_than_a_step_is_read_by_itself(on_disk):
    assert [len(rows) for _, rows in row_blocks(stored_rows(on_disk(np.ones((3, 50)))))] == [1] * 3


def test_the_name_of_the_file_travels_not_its_content(on_disk):
    truth = np.arange(40_000.0).reshape(-1, 4)
    sent = pickle.dumps(stored_rows(on_disk(truth)))
    assert len(sent) < 1000
    np.testing.assert_array_equal(pickle.loads(sent), truth)


def test_what_is_read_is_the_readers_own(on_disk):
    rows = stored_rows(on_disk(np.zeros((4, 2))))
    some = rows[slice(0, 2)]
    some += 1
    assert not np.asarray(rows).any()


def test_a_file_that_is_gone_is_named(on_disk, tmp_path):
    rows = stored_rows(on_disk(np.zeros((4, 2))))
    (tmp_path / "X.npy").unlink()
    with pytest.raises(FileNotFoundError, match=r"X\.npy' cannot be found; every worker must"):
        rows[slice(0, 1)]


def test_what_memory_holds_stays_as_it_is(on_disk):
    assert stored_rows(np.zeros((4, 2))) is None
    assert stored_rows([[1.0, 2.0]]) is None
    assert stored_rows(on_disk(np.zeros(4))) is None
    assert stored_rows(on_disk(np.array([["a", "b"]]))) is None
    changed = on_disk(np.zeros((4, 2)), mmap_mode="c")
    changed += 1  # in memory only
    assert stored_rows(changed) is None


def test_small_arrays_are_simply_read(on_disk, monkeypatch):
    X = on_disk(np.zeros((4, 2)))
    monkeypatch.setattr(storage_rows, "SMALL", X.nbytes)
    assert stored_rows(X) is None


@pytest.mark.parametrize("chunks", [(7, 2), (40, 3), (1, 3)])
def test_reads_dask_arrays(chunks):
    array = pytest.importorskip("dask.array")
    truth = np.arange(120).reshape(40, 3)
    rows = stored_rows(array.from_array(truth, chunks=chunks))
    assert rows.shape == (40, 3)
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(rows, truth)
    wanted = np.array([3, 39, 3, 0])
    np.testing.assert_array_equal(rows[wanted], truth[wanted])
    np.testing.assert_array_equal(np.vstack([part for _, part in row_blocks(rows)]), truth)


def test_dask_arrays_of_unknown_length_are_refused():
    array = pytest.importorskip("dask.array")
    X = array.from_array(np.arange(12.0).reshape(4, 3), chunks=(2, 3))
    unknown = X[X[:, 0] > 1]
    message = (
        r"^Confetti: 'X' takes a Dask .* chunk sizes; call its compute_chunk_sizes\(\) first\.$"
    )
    with pytest.raises(ValueError, match=message):
        stored_rows(unknown, who="Confetti")
    np.testing.assert_array_equal(stored_rows(unknown.compute_chunk_sizes()), X[1:].compute())


@pytest.fixture
def stored(store):
    """A function that puts rows on disk, of which two are read at a time."""
    return lambda array: stored_rows(store(array, entries=6))


def test_sees_all_rows(stored, rng):
    X = rng.normal(size=(11, 3))
    X[7, 2] = -9
    sight = check_stored("Map", "X", stored(X))
    assert sight.largest == 9
    assert not sight.same
    assert check_stored("Map", "X", stored(np.tile(X[:1], (5, 1)))).same
    X[1:] = X[0]
    X[10, 0] += 1
    assert not check_stored("Map", "X", stored(X)).same


def test_gaps_are_counted_over_all_rows_and_the_first_is_named(stored):
    X = np.zeros((9, 3))
    X[5, 1] = np.inf
    X[8] = np.nan
    with pytest.raises(ValueError, match=r"^Map: 'X' holds infinity \(first in row 5, column 1; 2"):
        check_stored("Map", "X", stored(X))
