import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unprior import priors, scores
from unprior.scores import _distances, _measurement
from unprior.scores._distances import (
    distances_to_all,
    quick_block,
    rank_climbs,
    read_data,
    read_either,
    read_map,
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_sample_comes_before_its_neighbors(dtype):
    D = np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]], dtype=dtype)
    prior, before = priors.distances(D), D.copy()
    distances = distances_to_all(prior, np.array([0, 1, 2]))
    assert distances.dtype == np.float64
    np.testing.assert_array_equal(distances.argmin(axis=1), [0, 1, 2])
    np.testing.assert_array_equal(D, before)
    low, high = rank_climbs(prior, np.array([0, 2]))
    # Sample 0 has a duplicate, 2, which is its first neighbour all the same.
    np.testing.assert_array_equal(low, [[3, 1, 0], [0, 1, 3]])
    np.testing.assert_array_equal(high, [[4, 2, 1], [1, 2, 4]])


def test_maps_are_coordinates_in_any_shape():
    assert read_map("me", [0.0, 1.0, 3.0]).block([0], [2]) == 3
    square = np.diag([3.0, 4.0, 0.0])
    assert read_map("me", square).block([0], [1]) == 5
    assert read_data("me", "X", square, "cityblock").block([0], [1]) == 7
    prior = priors.features(square)
    assert read_map("me", prior) is prior


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_give_the_distances_but_for_rounding(rng, monkeypatch, dtype):
    monkeypatch.setattr(_distances, "MANY_SAMPLES", 100)
    prior = priors.features((rng.normal(size=(300, 9)) + 100).astype(dtype))
    rows = np.array([3, 200])
    monkeypatch.setattr(type(prior.row_metric), "block", lambda *_: pytest.fail("not by products"))
    for others in (np.arange(300), np.arange(0, 300, 2)):
        want = cdist(prior.values[rows], prior.values[others])
        got = quick_block(prior, rows, others)
        np.testing.assert_allclose(got, want, atol=1e-5, rtol=1e-6)


@pytest.mark.parametrize("metric", ["cityblock", "cosine"])
def test_other_metrics_and_few_samples_are_measured_as_ever(rng, metric):
    prior = priors.features(rng.normal(size=(300, 9)), metric=metric)
    rows, others = np.array([3, 200]), np.arange(300)
    np.testing.assert_array_equal(quick_block(prior, rows, others), prior.block(rows, others))


def test_areas_of_some_samples_are_those_of_all(rng, monkeypatch):
    X = rng.normal(size=(3000, 9))
    X[:, 0] *= 4
    known = {"known": (X[:, 0] > 0).astype(str)}
    options = {"X": X, "prior": known, "n_rows": 1000}
    want = scores.report(X[:, :2], **options).to_dict()
    monkeypatch.setattr(_measurement, "MOST_RANKED", 1500)
    got = scores.report(X[:, :2], **options).to_dict()
    area = want["data"]["overlap_area"]
    assert got["data"]["overlap_area"] == pytest.approx(area, abs=0.02)
    known_got, known_want = (each["prior"]["known"]["overlap_area"] for each in (got, want))
    assert known_got == pytest.approx(known_want, abs=0.02)
    assert got["data"]["trustworthiness"] == want["data"]["trustworthiness"]
    every = scores.report(X[:, :2], X=X, prior=known, n_rows=None).to_dict()
    assert every["data"]["overlap_area"] != got["data"]["overlap_area"]


def test_either_side_is_read_as_a_prior():
    assert read_either("me", "a", [*"aab"]).block([0], [1, 2]).tolist() == [[0, 1]]
    assert read_either("me", "a", [0.0, 1.0, 3.0]).block([0], [2]) == 3
