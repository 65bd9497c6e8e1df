"""Rows of a Dask array are its own, whether chunks are fetched whole or rows are picked."""

import numpy as np
import pytest

from unprior.storage._dask import DaskRows, dask_rows

array = pytest.importorskip("dask.array")

TRUTH = np.arange(300.0).reshape(100, 3)


@pytest.fixture(autouse=True)
def small_steps(read_few):
    """Work on two rows at a time."""
    read_few(6)


@pytest.fixture
def rows():
    return dask_rows(array.from_array(TRUTH, chunks=((7, 40, 1, 52), (2, 1))))


@pytest.mark.parametrize("count", [0, 1, 3, 60, 250])
def test_pieces_are_all_rows_once(rows, rng, count):
    wanted = rng.integers(100, size=count)
    read, seen = np.empty((count, 3)), np.zeros(count, dtype=int)
    for places, values in rows.pieces(wanted, 4):
        assert 1 <= len(places) <= 4
        read[places] = values
        seen[places] += 1
    assert (seen == 1).all()
    np.testing.assert_array_equal(read, TRUTH[wanted])
    np.testing.assert_array_equal(rows[wanted], TRUTH[wanted])


def test_a_chunk_is_fetched_once_for_all_its_pieces(rows, monkeypatch):
    fetched = []
    monkeypatch.setattr(DaskRows, "_chunk", lambda self, number: fetched.append(number) or TRUTH)
    assert len([*rows.pieces(np.arange(46, 7, -1), 4)]) == 10
    assert fetched == [1]


def test_of_few_rows_no_chunk_is_fetched(rows, monkeypatch):
    monkeypatch.setattr(DaskRows, "_chunk", lambda *_: pytest.fail("fetched a chunk"))
    wanted = np.array([50, 9, 70])
    np.testing.assert_array_equal(rows[wanted], TRUTH[wanted])


def test_what_is_read_is_the_readers_own(rows, monkeypatch):
    chunk = TRUTH[7:47].copy()
    monkeypatch.setattr(DaskRows, "_chunk", lambda *_: chunk)
    for _, values in rows.pieces(np.arange(7, 47), 40):
        values += 1
    rows[slice(7, 47)][:] = 0
    np.testing.assert_array_equal(chunk, TRUTH[7:47])


def test_no_step_is_in_two_chunks(rows):
    assert [len(part) for part in rows.stretches()] == [7, 10, 10, 10, 10, 1, *[10] * 5, 2]
    walk = rows.walk()
    assert max(map(len, walk)) == 2
    for parts in (walk, rows.stretches()):
        np.testing.assert_array_equal(np.concatenate(parts), np.arange(100))
        for bound in (7, 47, 48):
            assert bound in [part.start for part in parts]
