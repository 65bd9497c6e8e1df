"""Numbers as priors: reading them, their largest distance, and data as distances."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from unprior import priors
from unprior.geometry import MatrixDistances, data_distances
from unprior.geometry._metrics import METRICS


def test_one_dimension_is_one_column():
    prior = priors.features([1.0, 4.0, 2.0])
    assert prior.values.shape == (3, 1)
    np.testing.assert_array_equal(prior.to_array(), [[0, 3, 1], [3, 0, 2], [1, 2, 0]])


def test_single_precision_is_kept_and_measured_in_double(rng):
    Z = rng.normal(size=(20, 3)).astype(np.float32)
    prior = priors.features(Z)
    assert np.shares_memory(prior.values, Z)
    np.testing.assert_array_equal(prior.to_array(), cdist(Z.astype(float), Z.astype(float)))


def test_equal_and_almost_equal_rows_are_told_apart_far_from_the_origin():
    prior = priors.features([[1e6, 1e6], [1e6, 1e6], [1e6, 1e6 + 1e-6]])
    D = prior.to_array()
    assert D[0, 1] == 0
    assert D[0, 2] == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.parametrize(
    "Z",
    [
        pd.Series(pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-04"])),
        pd.Series(pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-04"]).tz_localize("CET")),
        np.array(["2024-01-01", "2024-01-02", "2024-01-04"], dtype="datetime64[D]"),
        [np.datetime64("2024-01-01"), np.datetime64("2024-01-02"), np.datetime64("2024-01-04")],
        pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-04"])}),
        np.array([0, 24, 72], dtype="timedelta64[h]"),
    ],
    ids=["series", "with a time zone", "array", "list", "table", "durations"],
)
def test_dates_count_in_days(Z):
    np.testing.assert_allclose(priors.features(Z).block([0], [0, 1, 2]), [[0, 1, 3]], atol=1e-9)


def test_centuries_are_no_matter():
    dates = np.array(["1500-01-01", "2024-01-01"], dtype="datetime64[D]")
    assert priors.features(dates).largest() == (dates[1] - dates[0]).astype(int)


def test_a_missing_date_is_refused():
    with pytest.raises(ValueError, match=r"'Z' holds NaN .first in row 1; 1 row in all"):
        priors.features(np.array(["2024-01-01", "NaT"], dtype="datetime64[D]"))


@pytest.mark.parametrize(
    ("Z", "error", "match"),
    [
        ([1.0, np.nan, np.inf], ValueError, "^features: 'Z' holds NaN .first in row 1; 2 rows"),
        ([[1.0, 2.0], [1.0, -np.inf]], ValueError, "'Z' holds infinity .first in row 1, column 1"),
        (csr_array(np.eye(3)), TypeError, "^features: 'Z' takes a dense array; got a sparse"),
        (["a", "b"], ValueError, "^features: 'Z' takes numbers; got"),
        (
            np.ones((2, 2, 2)),
            ValueError,
            "^features: 'Z' takes a number or a row .* shape .2, 2, 2",
        ),
        (
            np.ones((3, 0)),
            ValueError,
            "a row of numbers for each sample; got an array of shape .3, 0",
        ),
        (3.0, ValueError, r"a row of numbers for each sample; got an array of shape \(\)"),
        (None, ValueError, r"a row of numbers for each sample; got an array of shape \(\)"),
        ([1j, 2.0], ValueError, "takes real numbers; got complex ones"),
        (
            [1e200, 1.0],
            ValueError,
            "^features: 'Z' holds numbers as large as 1e.200, whose squares",
        ),
        ([-1e200, 1.0], ValueError, "'Z' holds numbers as large as 1e.200, whose squares"),
    ],
)
def test_bad_numbers_are_refused(Z, error, match):
    with pytest.raises(error, match=match):
        priors.features(Z)


def test_the_input_is_left_alone(rng):
    Z = rng.normal(size=(10, 2))
    before = Z.copy()
    prior = priors.features(Z, metric="correlation")
    prior.to_array(), prior.largest(), prior[:3]
    np.testing.assert_array_equal(Z, before)


finite = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(arrays(float, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=finite))
def test_largest_distance_of_any_points(points):
    expected = cdist(points, points).max()
    assert priors.features(points).largest() == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_pairs_go_through_in_pieces(monkeypatch, rng):
    prior = priors.features(rng.normal(size=(20, 3)))
    i, j = rng.integers(0, 20, size=(2, 101))
    expected = prior.to_array()[i, j]
    monkeypatch.setattr(priors.Features, "entries", 3 * 10)
    np.testing.assert_allclose(prior.pairs(i, j), expected, rtol=1e-12)


def test_an_embedding_is_a_prior_of_its_own_kind(rng):
    Y = rng.normal(size=(15, 2))
    prior = priors.embedding(Y)
    assert prior.kind == prior[:4].kind == "embedding"
    np.testing.assert_array_equal(prior.to_array(), cdist(Y, Y))
    with pytest.raises(ValueError, match=r"^embedding: 'Y' holds NaN"):
        priors.embedding([[0.0, np.nan], [1.0, 2.0]])


def test_data_as_distances(rng):
    X = rng.normal(size=(12, 3))
    D = cdist(X, X, "cityblock")
    np.testing.assert_array_equal(data_distances(X, "l1").to_array(), D)
    given = data_distances(D, "precomputed")
    assert isinstance(given, MatrixDistances)
    assert given.matrix is D
    with pytest.raises(ValueError, match=r"^JEDI: row 0 of 'X' is all zeros"):
        data_distances(np.zeros((3, 2)), "cosine", who="JEDI")
    with pytest.raises(ValueError, match=r"^JEDI: 'metric' takes"):
        data_distances(X, "nothing", who="JEDI")


@pytest.mark.parametrize("metric", sorted(METRICS))
def test_a_pickled_prior_is_the_same_in_compiled_loops(metric):
    rng = np.random.RandomState(0)
    prior = priors.features(rng.random((20, 2)), metric=metric)
    points, again = (p.points() for p in (prior, pickle.loads(pickle.dumps(prior))))
    if points is None:
        assert again is None
        return
    assert (points.curve, points.unit) == (again.curve, again.unit)
    np.testing.assert_array_equal(points.values, again.values)
