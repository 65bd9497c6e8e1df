import joblib
import numpy as np
import pytest
import sklearn.manifold
from scipy.spatial.distance import cdist

from reference import overlap as reference
from unprior import priors
from unprior.scores import overlap_curve, trustworthiness
from unprior.scores._distances import read_map
from unprior.scores._neighbors import search_map
from unprior.scores._trustworthiness import chance_trustworthiness, estimate_kept


def data_and_map(n=80):
    rng = np.random.RandomState(0)
    X = rng.normal(size=(n, 5))
    return X, X[:, :2] + 0.3 * rng.normal(size=(n, 2))


@pytest.mark.parametrize("k", [1, 5, 39])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "precomputed"])
def test_all_rows_equal_scikit_learn(k, metric):
    X, Y = data_and_map()
    X = cdist(X, X) if metric == "precomputed" else X
    expected = sklearn.manifold.trustworthiness(X, Y, n_neighbors=k, metric=metric)
    assert trustworthiness(X, Y, k, metric=metric) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("k", [1, 4, 12])
def test_ties_count_by_the_mean_over_their_orders(k):
    rng = np.random.RandomState(k)
    X, Y = (rng.randint(3, size=(25, d)).astype(float) for d in (2, 3))
    expected = reference.trustworthiness(cdist(X, X), cdist(Y, Y), k)
    assert trustworthiness(X, Y, k) == pytest.approx(expected, abs=1e-13)
    assert trustworthiness(priors.features(X), Y, k) == pytest.approx(expected, abs=1e-13)


def test_labels_as_data_are_distances_with_ties():
    _X, Y = data_and_map(30)
    labels = np.tile([*"abc"], 10)
    D = (labels[:, None] != labels).astype(float)
    expected = reference.trustworthiness(D, cdist(Y, Y), 5)
    assert trustworthiness(priors.labels(labels), Y, 5) == pytest.approx(expected)


def test_chance_is_the_mean_of_unrelated_maps():
    rng = np.random.RandomState(2)
    scores = [trustworthiness(*rng.normal(size=(2, 60, 2)), 10) for _ in range(60)]
    error = np.std(scores) / np.sqrt(60)
    assert np.mean(scores) == pytest.approx(chance_trustworthiness(60, 10), abs=4 * error)


def test_shared_neighbors_are_the_overlap_at_k():
    X, Y = data_and_map()
    for k in (1, 9):
        _, shared = estimate_kept(
            search_map("me", read_map("me", Y), k, None, None), read_map("me", X), k
        )
        assert shared.value == pytest.approx(overlap_curve(X, Y).score[k - 1])


def test_some_rows_estimate_all(in_blocks):
    X, Y = (read_map("me", Z) for Z in data_and_map(500))
    exact = estimate_kept(search_map("me", Y, 10, None, None), X, 10)
    misses = []
    for seed in range(30):
        some = estimate_kept(search_map("me", Y, 10, 100, seed), X, 10)
        misses.append(
            [(a.value - b.value) / a.standard_error for a, b in zip(some, exact, strict=True)]
        )
    assert np.abs(misses).max() < 4
    assert 0.6 < np.std(misses) < 1.5
    in_blocks(500 * 9)
    with joblib.parallel_config(n_jobs=2):
        assert estimate_kept(search_map("me", Y, 10, None, None), X, 10) == exact


@pytest.mark.parametrize(
    ("X", "Y", "options", "message"),
    [
        (
            np.ones((10, 3)),
            np.ones((10, 2)),
            {"k": 5},
            r"'k' takes a whole number in \[1, 4\]; got 5",
        ),
        (np.ones((10, 3)), np.ones((9, 2)), {"k": 2}, r"'X' has 10 samples and 'Y' 9"),
        (
            np.ones((10, 3)),
            np.ones((10, 2)),
            {"k": 2, "metric": "precomputed"},
            r"'X' takes a square",
        ),
        (np.ones((10, 3)), np.ones((10, 2)), {"k": 2, "metric": "euclidian"}, r"euclidean"),
        (np.ones((10, 3)), np.ones((10, 2, 2)), {"k": 2}, r"'Y' takes .* shape \(10, 2, 2\)"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(X, Y, options, message):
    with pytest.raises(ValueError, match=f"^trustworthiness: .*{message}"):
        trustworthiness(X, Y, **options)


def test_chance_is_the_mean_over_maps_of_noise():
    rng = np.random.default_rng(0)
    found = [
        sklearn.manifold.trustworthiness(*rng.normal(size=(2, 20, 2)), n_neighbors=3)
        for _ in range(200)
    ]
    assert chance_trustworthiness(20, 3) == pytest.approx(np.mean(found), abs=0.01)
