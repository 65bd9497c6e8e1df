"""Kept labels that are missing are those of neighbours, whatever the prior."""

import numpy as np
import pytest

from unprior import priors
from unprior.priors import read_keep
from unprior.residual import transfer_labels


def test_a_batch_without_labels_takes_those_of_the_other():
    rng, n = np.random.default_rng(0), 300
    kind = rng.integers(0, 3, n)
    # Each batch lacks a type.
    plate = np.where(kind == 0, 0, np.where(kind == 2, 1, rng.integers(0, 2, n)))
    X = rng.normal(size=(n, 6)) + 5 * np.eye(6)[kind] + 4 * np.eye(6)[3] * plate[:, None]
    batch, cell = np.array(["a", "b"])[plate], np.array(["x", "y", "z"])[kind]
    kept = read_keep("", np.where(batch == "a", None, cell))
    found = transfer_labels(X, kept, {"batch": priors.labels(batch)}, "euclidean")
    new = (batch == "a") & (cell == "y")
    assert np.mean(found.classes[found.codes[new]] == "y") > 0.9


@pytest.mark.parametrize("seed", range(4))
def test_a_batch_of_other_composition_takes_the_right_labels(seed):
    rng, n = np.random.default_rng(seed), 450
    plate = rng.integers(0, 3, n)
    kind = np.where(rng.random(n) < 0.4, plate, rng.integers(0, 3, n))
    X = rng.normal(size=(n, 6)) + 5 * np.eye(6)[kind]
    X += rng.normal(size=(3, 6))[plate] * [2, 2, 2, 6, 6, 6]
    kept = read_keep("", np.where(plate == 0, None, kind.astype(str)))
    known = {"plate": priors.labels(plate.astype(str))}
    found = transfer_labels(X, kept, known, "euclidean")
    assert (found.classes[found.codes] == kind.astype(str))[plate == 0].mean() > 0.97
