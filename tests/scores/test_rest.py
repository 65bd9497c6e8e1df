import subprocess
import sys

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from reference.residual_smooth import class_weights, neighbor_weights
from reference.scores_rest import rest_kept as slow_rest_kept
from unprior import Residual, priors
from unprior.scores import neighbor_coherence, rest_kept
from unprior.scores._neighbors import search_map
from unprior.scores._rest import estimate_rest, find_rest


def shifted(n, seed=0):
    """Data that a batch shifts in two columns, with a hidden split in two others."""
    rng = np.random.default_rng(seed)
    batch, hidden = rng.choice([*"abc"], n), rng.integers(0, 2, n)
    X = rng.normal(size=(n, 5))
    X[:, 0] += 5 * (batch == "b")
    X[:, 1] += 5 * (batch == "c")
    X[:, 2:4] += 6 * np.eye(2)[hidden]
    return X, batch


@pytest.mark.parametrize("k", [1, 5, 38])
def test_it_equals_its_slow_twin(k):
    X, batch = shifted(40)
    age = X[:, 0] + X[:, 2]
    Y = np.round(X[:, 1:3])  # with ties
    by_class = class_weights(batch)
    by_age = neighbor_weights(np.abs(age[:, None] - age), round(np.sqrt(39)))
    assert rest_kept(Y, X, batch, k) == pytest.approx(slow_rest_kept(Y, X, [by_class], k))
    both = slow_rest_kept(Y, X, [by_class, by_age], k)
    assert rest_kept(Y, X, {"batch": batch, "age": age}, k) == pytest.approx(both)
    assert rest_kept(Y, X, [batch, age], k) == pytest.approx(both)


def test_it_is_one_coherence_over_another():
    X, batch = shifted(80)
    rest = priors.features(Residual().fit_transform(X, prior=batch))
    expected = neighbor_coherence(X[:, 1:3], rest) / neighbor_coherence(rest, rest)
    assert rest_kept(X[:, 1:3], X, batch) == pytest.approx(expected)


@given(seed=st.integers(0, 10**6), k=st.integers(1, 20), scale=st.floats(1e-3, 1e3))
@settings(max_examples=20)
def test_the_rest_itself_keeps_all_and_no_map_more(seed, k, scale):
    X, batch = shifted(60, seed)
    rest = Residual().fit_transform(X, prior=batch)
    assert rest_kept(rest, X, batch, k) == pytest.approx(1)
    order = np.random.RandomState(seed).permutation(60)
    score = rest_kept(X[:, :2], X, batch, k)
    assert score <= 1
    again = rest_kept(scale * X[order, :2], scale * X[order], batch[order], k)
    assert again == pytest.approx(score, abs=1e-9)


def test_what_the_map_leaves_out_is_missing_from_the_score():
    X, batch = shifted(300)
    rest = Residual().fit_transform(X, prior=batch)
    axes = np.linalg.svd(rest - rest.mean(axis=0), full_matrices=False)[2]
    unrelated = [np.random.RandomState(seed).normal(size=(300, 2)) for seed in range(10)]
    two_axes = rest_kept(rest @ axes[:2].T, X, batch)
    batch_alone = rest_kept(X[:, :2], X, batch)
    by_chance = [rest_kept(Y, X, batch) for Y in unrelated]
    assert two_axes > 0.6 > 0.5 > batch_alone
    assert abs(np.mean(by_chance)) < 0.01
    # Neighbours that are chosen to be far apart in the rest do worse than chance.
    ranks = np.argsort(np.argsort(rest @ axes[0]))
    assert rest_kept(ranks % 150, X, batch, k=1) < -0.2


def test_distances_do_as_features_and_are_not_changed():
    X, batch = shifted(50)
    Y, D = X[:, 2:], cdist(X, X)
    before = D.copy()
    expected = rest_kept(Y, X, batch)
    assert rest_kept(Y, D, batch, metric="precomputed") == pytest.approx(expected)
    assert rest_kept(Y, priors.distances(D), batch) == pytest.approx(expected)
    assert rest_kept(Y, priors.features(X), priors.labels(batch)) == pytest.approx(expected)
    assert rest_kept(Y, X.astype(np.float32), batch) == pytest.approx(expected, abs=1e-3)
    np.testing.assert_array_equal(D, before)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_output_set_to_tables_makes_no_difference(metric):
    pytest.importorskip("pandas")
    X, batch = shifted(50)
    data = X if metric == "euclidean" else cdist(X, X)
    expected = rest_kept(X[:, 2:], data, batch, metric=metric)
    with sklearn.config_context(transform_output="pandas"):
        assert rest_kept(X[:, 2:], data, batch, metric=metric) == expected


def test_what_goes_entirely_with_the_prior_is_not_seen():
    X, batch = shifted(300)
    Y = X[:, 2:4]
    without = rest_kept(Y, X, batch)

    def lost(factor):
        return without - rest_kept(Y, np.column_stack([X, 8 * factor]), batch)

    # A map that lacks another factor scores less, unless the factor goes with the batch.
    unrelated = np.random.default_rng(1).permutation(batch)
    assert lost(unrelated == "b") > 0.1
    assert abs(lost(batch == "b")) < 0.1 * lost(unrelated == "b")


def test_some_rows_estimate_all():
    X, batch = shifted(400)
    Y = priors.embedding(X[:, 1:3])
    rest = find_rest(priors.features(X), {"batch": priors.labels(batch)})
    exact = rest_kept(X[:, 1:3], X, batch)
    some = [estimate_rest(search_map("me", Y, 15, 100, seed), rest, 15) for seed in range(100)]
    spread = np.std([one.value for one in some])
    assert np.mean([one.value for one in some]) == pytest.approx(exact, abs=3 * spread / 10)
    assert np.mean([one.standard_error for one in some]) == pytest.approx(spread, rel=0.25)
    assert estimate_rest(search_map("me", Y, 15, None, 0), rest, 15).standard_error == 0
    assert rest_kept(Y, X, batch, n_rows=100, random_state=3) == some[3].value
    assert rest_kept(Y, X, batch, n_rows=400) == exact


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_without_a_rest_there_is_no_score(offset):
    _, batch = shifted(60)
    X = np.column_stack([batch == "b", batch == "c"]) * 3.0 + offset
    Y = np.random.RandomState(0).normal(size=(60, 2))
    assert np.isnan(rest_kept(Y, X, batch))
    assert np.isnan(rest_kept(Y, X.astype(np.float32), batch))
    assert np.isnan(rest_kept(Y, cdist(X, X), batch, metric="precomputed"))
    assert np.isnan(rest_kept(Y, 1 - np.eye(60), batch, metric="precomputed"))
    assert np.isnan(rest_kept(Y, np.full((60, 2), offset), batch))
    assert np.isnan(rest_kept(Y[:3], Y[:3], [*"aab"], 1))
    rng = np.random.default_rng(0)
    assert 0 < rest_kept(Y, X + 0.1 * (Y + rng.normal(size=Y.shape)), batch) < 1


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_a_blur_of_the_prior_is_no_rest(metric):
    """Means over neighbours leave a hundredth of smooth data; noise of that size is a rest."""
    rng = np.random.default_rng(0)
    z = rng.uniform(-3, 3, size=(200, 2))
    known, Y = priors.features(z), rng.normal(size=(200, 2))
    smooth = np.hstack([z, z**2 / 3, np.sin(z)])
    noisy = smooth + 0.2 * rng.normal(size=smooth.shape)

    def kept(X):
        return rest_kept(Y, X if metric == "euclidean" else cdist(X, X), known, metric=metric)

    assert np.isnan(kept(smooth))
    assert not np.isnan(kept(noisy))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"metric": "l1"},
            r"'X' takes .* metric 'euclidean' or 'cosine'.*metric 'l1'\.",
        ),
        (
            {"X": priors.labels([*"ab"] * 20)},
            r"'X' takes features with.*, or distances; got labels",
        ),
        ({"metric": "precomputed"}, r"'X' takes a square distance matrix; got shape \(40, 5\)"),
        ({"X": np.ones((39, 2))}, r"'Y' has 40 samples and 'X' 39"),
        ({"prior": [*"ab"]}, r"'prior' has 2 samples, the data 40"),
        ({"prior": ["a"] * 40}, r"'prior' says nothing: .*one class only"),
        ({"prior": {"age": np.ones(40)}}, r"'age' says nothing"),
        ({"k": 39}, r"'k' takes a whole number in \[1, 38\]; got 39"),
        ({"n_rows": 1}, r"'n_rows' takes None"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(options, message):
    X, batch = shifted(40)
    with pytest.raises(ValueError, match=f"^rest_kept: .*{message}"):
        rest_kept(X[:, :2], **{"X": X, "prior": batch, **options})


def test_stored_data_are_refused_in_a_sentence(store):
    X, batch = shifted(40)
    with pytest.raises(ValueError, match=r"^rest_kept: 'X' takes data in memory; got an array on"):
        rest_kept(X[:, :2], store(X, entries=20), batch)


def test_scores_are_imported_without_the_estimators():
    check = "import unprior.scores, sys; print('unprior.estimators' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_four_samples_have_a_rest():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 0.1], [4.0, 1.3]])
    batch = priors.labels([*"aabb"])
    assert find_rest(priors.features(X), {"batch": batch}) is not None
    assert find_rest(priors.features(X[:3]), {"batch": priors.labels([*"aab"])}) is None


def test_cosine_distances_have_the_rest_of_directions():
    X, batch = shifted(80)
    on_sphere = X / np.linalg.norm(X, axis=1, keepdims=True)
    expected = rest_kept(X[:, 1:3], on_sphere, batch)
    assert rest_kept(X[:, 1:3], X, batch, metric="cosine") == pytest.approx(expected)
