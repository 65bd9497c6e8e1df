from __future__ import annotations

import numpy as np
import pytest

from unprior import priors
from unprior.distances import _sample_cells
from unprior.distances._sample_cells import sample_cells


def sizes(*known):
    return np.bincount(sample_cells(known)).tolist()


def test_classes_are_cells_the_largest_first():
    y = np.array(list("abbcccabbccc"))
    cells = sample_cells([priors.labels(y)])
    assert dict(zip(y, cells, strict=True)) == {"c": 0, "b": 1, "a": 2}


def test_classes_of_two_priors_are_crossed():
    assert sizes(priors.labels(list("aaaabbbb")), priors.labels(list("xyxyxyxy"))) == [2] * 4


def test_single_samples_go_together():
    assert sizes(priors.labels(list("aaabbcde"))) == [3, 2, 3]


def test_one_single_sample_goes_with_the_smallest_class():
    assert sizes(priors.labels(list("aaabbc"))) == [3, 3]


def test_of_very_many_classes_the_smallest_go_together(monkeypatch):
    monkeypatch.setattr(_sample_cells, "MOST_CELLS", 3)
    assert sizes(priors.labels(list("aaaaabbbbcccdd"))) == [5, 4, 5]


@pytest.mark.parametrize("kind", ["features", "distances", "geo"])
def test_other_priors_are_cut_into_parts_that_are_near(rng, kind):
    Z = np.repeat(rng.uniform(-60, 60, (8, 2)), 20, axis=0) + rng.normal(size=(160, 2))
    known = {
        "features": priors.features(Z),
        "distances": priors.distances(priors.features(Z).to_array()),
        "geo": priors.geo(*Z.T),
    }[kind]
    cells = sample_cells([known])
    assert 4 <= cells.max() + 1 <= 8
    D = known.to_array()
    assert D[cells[:, None] == cells].mean() < 0.4 * D.mean()


def test_few_values_are_cells_of_their_own():
    z = np.array([0.0, 1.0, 5.0])[np.arange(30) % 3]
    cells = sample_cells([priors.features(z)])
    assert len({*zip(z, cells, strict=True)}) == 3


def test_labels_are_crossed_with_parts(rng):
    y, z = np.arange(200) % 2, rng.uniform(size=200)
    cells = sample_cells([priors.labels(y), priors.features(z)])
    assert cells.max() + 1 == 8
    assert all(len({*y[cells == cell]}) == 1 for cell in range(8))
