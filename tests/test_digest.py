"""Digests: the same for equal values, different for different ones."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from unprior import priors
from unprior._digest import digest
from unprior.storage import _rows


@dataclass
class Record:
    a: object


class Blocks:
    """Distances of a foreign class."""

    def __init__(self, D):
        self.D = D

    def __len__(self):
        return len(self.D)

    def block(self, rows, cols):
        return self.D[np.ix_(rows, cols)]


def make():
    """Values that all differ, made anew."""
    X = np.arange(6.0).reshape(2, 3)
    return {
        "array": X,
        "another type": X.astype("f4"),
        "another shape": X.T.copy(),
        "objects": np.array(["a", None], dtype=object),
        "list": [1, 2],
        "tuple": (1, 2),
        "nested": [[1], 2],
        "mapping": {"a": 1, "b": 2},
        "another order": {"b": 2, "a": 1},
        "sparse": csr_array(X),
        "labels": priors.labels(["a", "b"]),
        "other labels": priors.labels(["a", "c"]),
        "record": Record(1),
        "another record": Record(2),
        "partial": partial(np.sum, axis=0),
        "another partial": partial(np.sum, axis=1),
        "function": np.sum,
        "lambda": lambda x: x + 1,
        "another lambda": lambda x: x + 2,
        "callable": np.poly1d([1]),
        "generator": np.random.RandomState(0),
        "another generator": np.random.RandomState(1),
        "distances": Blocks(np.eye(2)),
        "other distances": Blocks(2 * np.eye(2)),
        "text": "1",
        "number": 1,
        "none": None,
    }


def test_equal_values_have_one_digest_and_others_another():
    one, other = ({name: digest(value) for name, value in make().items()} for _ in range(2))
    assert one == other
    assert len({*one.values()}) == len(one)


def test_addresses_do_not_count():
    assert digest(object()) == digest(object())


def test_the_order_of_sparse_entries_does_not_count():
    one = csr_array((np.array([1.0, 2.0]), np.array([0, 1]), np.array([0, 2])))
    other = csr_array((np.array([2.0, 1.0]), np.array([1, 0]), np.array([0, 2])))
    assert digest(one) == digest(other)


def test_stored_rows_go_by_their_values(tmp_path, monkeypatch):
    monkeypatch.setattr(_rows, "SMALL", 0)
    found = []
    for number, X in enumerate((np.eye(3), np.eye(3), 2 * np.eye(3))):
        path = tmp_path / f"{number}.npy"
        np.save(path, X)
        found.append(digest(_rows.stored_rows(np.load(path, mmap_mode="r"))))
    assert found[0] == found[1] != found[2]
