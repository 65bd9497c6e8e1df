from __future__ import annotations

import numpy as np
import pytest

from unprior import priors
from unprior._landmarks import draw_landmarks
from unprior.distances import _principal, _sample_cells
from unprior.distances._sample_cells import sample_cells, sample_kin


def cells_of(known):
    (cells,) = sample_cells([known])
    return cells


def sizes(*known):
    return np.bincount(sample_cells(known).ravel()).tolist()


def test_classes_are_cells_the_largest_first():
    y = np.array(list("abbcccabbccc"))
    cells = cells_of(priors.labels(y))
    assert dict(zip(y, cells, strict=True)) == {"c": 0, "b": 1, "a": 2}


def test_every_prior_has_cells_of_its_own():
    y, u = priors.labels(list("aaaaabbb")), priors.labels(list("xyxyxyxx"))
    both = sample_cells([y, u])
    np.testing.assert_array_equal(both[0], cells_of(y))
    np.testing.assert_array_equal(both[1], 2 + cells_of(u))


def test_classes_that_never_meet_twice_stay_classes():
    assert sizes(priors.labels(list("aabbcc")), priors.labels(list("xyxyxy"))) == [2, 2, 2, 3, 3]


def test_single_samples_go_together():
    assert sizes(priors.labels(list("aaabbcde"))) == [3, 2, 3]


def test_one_single_sample_goes_with_the_smallest_class():
    assert sizes(priors.labels(list("aaabbc"))) == [3, 3]


def test_of_very_many_classes_those_below_an_equal_share_go_together(monkeypatch):
    monkeypatch.setattr(_sample_cells, "MOST_CELLS", 3)
    y, few = priors.labels(list("aaaaabbbbcccdd")), priors.labels(list("aaaaaaabbbbbbb"))
    assert sizes(y) == [5, 9]
    (kin,) = sample_kin([few, y])
    assert len({*kin[:5]} | {*kin[5:]}) == 8
    assert [len({*kin[s]}) for s in (slice(0, 5), slice(5, 9), slice(9, 12))] == [5, 1, 1]


def test_classes_that_are_not_too_many_have_no_kin(rng):
    known = [priors.labels(np.arange(600) % 200), priors.features(rng.normal(size=600))]
    assert sample_kin(known).shape == (0, 600)
    assert sizes(known[0]) == [3] * 200


@pytest.mark.parametrize("kind", ["features", "distances", "geo"])
def test_other_priors_are_cut_into_parts_that_are_near(rng, kind):
    Z = np.repeat(rng.uniform(-60, 60, (8, 2)), 20, axis=0) + rng.normal(size=(160, 2))
    known = {
        "features": priors.features(Z),
        "distances": priors.distances(priors.features(Z).to_array()),
        "geo": priors.geo(*Z.T),
    }[kind]
    cells = cells_of(known)
    assert 4 <= cells.max() + 1 <= 8
    D = known.to_array()
    assert D[cells[:, None] == cells].mean() < 0.4 * D.mean()


def test_few_values_are_cells_of_their_own():
    z = np.array([0.0, 1.0, 5.0])[np.arange(30) % 3]
    cells = cells_of(priors.features(z))
    assert len({*zip(z, cells, strict=True)}) == 3


def test_labels_do_not_make_parts_of_others_coarser(rng):
    y, z = priors.labels(np.arange(200) % 5), priors.features(rng.uniform(size=200))
    cells = sample_cells([y, z])
    np.testing.assert_array_equal(cells[1], 5 + cells_of(z))
    assert cells.max() == 12


def test_distances_in_which_no_landmark_differs_are_cut_all_the_same(monkeypatch):
    monkeypatch.setattr(_principal, "LANDMARKS", 20)
    z = np.zeros(300)
    missed = np.setdiff1d(np.arange(300), draw_landmarks(300, 20))[:4]
    z[missed] = 5.0
    cells = sample_cells([priors.features(z, metric="l1")])[0]
    assert len({*cells[missed]}) == 1
    assert cells[missed[0]] not in np.delete(cells, missed)
