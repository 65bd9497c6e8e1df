"""Data on disk or in a Dask array give the same results as data in memory."""

from functools import partial

import numpy as np
import pytest

import unprior as up
from unprior.estimators._base import read_inputs
from unprior.storage._rows import FileRows

KINDS = ["disk", "dask"]


@pytest.fixture(scope="module")
def data():
    return up.datasets.make_two_factor(250, random_state=0)


@pytest.fixture
def stored(store):
    """A function that stores an array, of which few rows are read at a time."""
    return partial(store, entries=1000, chunks=(100, 5))


def assert_same(there, here):
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(there, part), getattr(here, part))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("n_jobs", "options"),
    [(1, {}), (2, {}), (2, {"strength": 0.5}), (2, {"strength": 2.0, "operator": "linear"})],
)
def test_confetti_finds_the_same_neighbors(data, stored, kind, n_jobs, options):
    X, known = data.X.astype(np.float32), data.known.astype(str)
    search = up.ConfettiNeighbors(10, n_jobs=n_jobs, **options)
    here = search.fit_transform(X, prior=known)
    there = search.fit_transform(stored(X, kind), prior=known)
    assert_same(there, here)
    assert search.n_features_in_ == X.shape[1]
    assert_same(search.transform(stored(X, kind)), here)
    assert_same(search.transform(X), here)
    with pytest.raises(ValueError, match="keeps no copy of data on disk"):
        search.transform(stored(X + 1, kind))
    with pytest.raises(ValueError, match="features"):
        search.transform(stored(X[:, :-1], kind))


def test_dask_arrays_with_chunks_of_unknown_length_are_refused(data, stored):
    X = stored(data.X, "dask")
    unknown = X[X[:, 0] > X[:, 0].min()]
    for values, prior in ((unknown, data.known[1:].astype(str)), (data.X[1:], unknown)):
        with pytest.raises(ValueError, match=r"^\w+: '\w+' takes a Dask .*compute_chunk_sizes\(\)"):
            up.ConfettiNeighbors().fit(values, prior=prior)


def test_confetti_draws_the_same_map(data, stored):
    params = {"n_iter": 20, "early_exaggeration_iter": 20}
    confetti = up.Confetti(embedder="tsne", embedder_params=params, random_state=0)
    here = confetti.fit_transform(data.X, prior=data.X[:, :8])
    np.testing.assert_array_equal(confetti.fit_transform(stored(data.X), prior=data.X[:, :8]), here)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_the_same(data, stored, kind):
    X, Y = stored(data.X, kind), data.X[:, ::9]
    here = up.scores.report(Y, X=data.X, hidden=data.hidden.astype(str)).to_dict()
    assert up.scores.report(Y, X=X, hidden=data.hidden.astype(str)).to_dict() == here
    curves = [up.scores.overlap_curve(Y, values) for values in (X, data.X)]
    np.testing.assert_array_equal(curves[0].score, curves[1].score)
    assert up.scores.trustworthiness(X, Y) == up.scores.trustworthiness(data.X, Y)


@pytest.mark.parametrize("kind", KINDS)
def test_priors_may_be_stored(data, stored, kind):
    Z = data.X[:, :8]
    search = up.ConfettiNeighbors(10)
    there = search.fit_transform(data.X, prior=stored(Z, kind))
    assert_same(there, search.fit_transform(data.X, prior=Z))


@pytest.mark.parametrize("kind", KINDS)
def test_others_read_what_they_need(data, stored, kind):
    X, Z = data.X, data.X[:, :8]
    residual = up.Residual("linear")
    here = residual.fit_transform(X, prior=Z)
    np.testing.assert_array_equal(residual.fit_transform(stored(X, kind), prior=Z), here)
    np.testing.assert_array_equal(residual.fit_transform(X, prior=stored(Z, kind)), here)


def test_tuning_is_the_same(data, stored):
    def tune(X):
        known = data.known.astype(str)
        return up.tune(up.ConfettiNeighbors(10), X, prior=known, strengths=[0, 1], n_samples=200)

    assert str(tune(stored(data.X))) == str(tune(data.X))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X.__setitem__((222, 4), np.nan), r"'X' holds NaN \(first in row 222, column 4"),
        (lambda X: X.__setitem__(slice(None), X[0]), "all 250 rows of 'X' are identical"),
        (lambda X: X.__setitem__((3, 4), 1e200), "numbers as large as 1e[+]200"),
    ],
    ids=["missing", "identical", "large"],
)
def test_bad_data_are_refused_in_the_same_words(data, stored, change, message):
    X = data.X.copy()
    change(X)
    for values in (X, stored(X)):
        with pytest.raises(ValueError, match=f"^ConfettiNeighbors: .*{message}"):
            up.ConfettiNeighbors().fit(values, prior=data.known.astype(str))


def test_arrays_on_disk_are_not_read_to_be_checked(data, stored):
    X, _, _ = read_inputs(up.Confetti(), stored(data.X), data.known)
    assert isinstance(X, FileRows)
    # An n × n matrix would be.
    D = up.priors.features(data.X).to_array()
    X, _, _ = read_inputs(up.Confetti(metric="precomputed"), stored(D), data.known)
    assert isinstance(X, np.ndarray)
