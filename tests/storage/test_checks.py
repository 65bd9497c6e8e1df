import numpy as np
import pytest

from unprior.storage import _rows as storage_rows
from unprior.storage._checks import check_stored
from unprior.storage._rows import stored_rows


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A function that puts rows on disk, of which two are read at a time."""
    monkeypatch.setattr(storage_rows, "SMALL", 0)
    monkeypatch.setattr(storage_rows, "WALK_ENTRIES", 6)

    def put(array):
        np.save(tmp_path / "X.npy", array)
        return stored_rows(np.load(tmp_path / "X.npy", mmap_mode="r"))

    return put


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
