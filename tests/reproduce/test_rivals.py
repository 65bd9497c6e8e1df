import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from unprior import priors
from unprior.reproduce import Setting
from unprior.reproduce._rivals import (
    PRIOR_COORDINATES,
    Corrected,
    erase_linear,
    harmony_corrected,
    partial_distances,
    prior_columns,
    rivals,
)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def residual(X, Z):
    """What least squares leaves of X when Z is known."""
    design = np.column_stack([np.ones(len(Z)), Z])
    return X - design @ np.linalg.lstsq(design, X, rcond=None)[0]


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_partial_distances_are_those_of_least_squares_residuals(rng, metric):
    Z = rng.normal(size=(60, 2))
    X = rng.normal(size=(60, 4)) + Z @ rng.normal(size=(2, 4))
    given = X if metric == "euclidean" else squareform(pdist(X))
    expected = squareform(pdist(residual(X, Z)))
    assert partial_distances(given, metric, Z) == pytest.approx(expected, abs=1e-6)


def test_dependent_columns_are_partialled_out_once(rng):
    X, classes = rng.normal(size=(40, 3)), np.arange(40) % 4
    one_hot = np.eye(4)[classes]
    with_all, with_three = (partial_distances(X, "euclidean", Z) for Z in (one_hot, one_hot[:, 1:]))
    assert with_all == pytest.approx(with_three, abs=1e-6)


def test_erased_data_are_uncorrelated_with_the_columns(rng):
    Z = rng.normal(size=(300, 2))
    X = np.column_stack([rng.normal(size=(300, 5)), Z @ rng.normal(size=(2, 2))])
    X[:, 0] += Z[:, 0]
    erased = erase_linear(X, Z)
    cross = (erased - erased.mean(axis=0)).T @ (Z - Z.mean(axis=0))
    assert cross == pytest.approx(np.zeros((7, 2)), abs=1e-8)
    assert erased.mean(axis=0) == pytest.approx(X.mean(axis=0))


def test_erasing_moves_the_data_less_than_an_orthogonal_projection(rng):
    Z = rng.normal(size=(300, 1))
    X = (rng.normal(size=(300, 4)) + Z * [3, 1, 0, 0]) * [1, 5, 2, 1]
    centered = X - X.mean(axis=0)
    axis = centered.T @ (Z - Z.mean())
    axis /= np.linalg.norm(axis)
    moved, by_projection = ((erase_linear(X, Z) - X) ** 2).sum(), ((centered @ axis) ** 2).sum()
    assert 0 < moved < 0.9 * by_projection


def test_unrelated_columns_erase_nothing():
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    assert erase_linear(X, np.array([[1.0], [1.0], [-1.0], [-1.0]])) == pytest.approx(X)


def test_priors_as_columns(rng):
    values = rng.normal(size=(30, 3))
    assert (prior_columns(priors.features(values)) == values).all()
    assert prior_columns(priors.labels([*"aab"])).tolist() == [[1, 0], [1, 0], [0, 1]]
    distances = priors.distances(squareform(pdist(rng.normal(size=(30, 20)))))
    assert prior_columns(distances).shape == (30, PRIOR_COORDINATES)


def test_only_rivals_that_can_be_run_are_drawn(tmp_path, monkeypatch):
    setting, labels, X = Setting(tmp_path, quick=True), priors.labels([*"aaabbbccc"]), np.eye(9)

    def names(X, labels, **given):
        return [*rivals(setting, 0, X, numbers=labels, labels=labels, **given)]

    monkeypatch.setattr("unprior.reproduce._rivals.find_spec", lambda package: None)
    assert names(X, labels) == ["PARE", "LEACE"]
    assert names(1 - X, labels, metric="precomputed") == ["PARE", "LEACE"]
    # Three classes span both directions of two columns.
    assert names(X[:, :2], labels) == ["PARE"]
    monkeypatch.setattr("unprior.reproduce._rivals.find_spec", lambda package: package)
    assert names(X, labels)[2:] == ["Harmony", "BBKNN"]
    # BBKNN needs three samples of each class.
    assert names(X[:8], priors.labels([*"aaabbbcc"]))[2:] == ["Harmony"]


@pytest.mark.parametrize("transposed", [False, True])
def test_harmony_may_return_samples_in_rows_or_columns(monkeypatch, rng, transposed):
    pytest.importorskip("pandas")
    X = rng.normal(size=(6, 2))
    fake = ModuleType("harmonypy")
    fake.run_harmony = lambda data, *_, **__: SimpleNamespace(Z_corr=data.T if transposed else data)
    monkeypatch.setitem(sys.modules, "harmonypy", fake)
    assert (harmony_corrected(X, priors.labels([*"aabbcc"]), 0) == X).all()


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_a_rival_draws_a_map_without_the_prior(rng, metric):
    kind = np.arange(120) % 3
    X = rng.normal(size=(120, 4)) + 6 * np.eye(4)[kind]
    given = X if metric == "euclidean" else squareform(pdist(X))
    drawer = {"embedder": "tsne", "embedder_params": {"n_iter": 50, "early_exaggeration_iter": 50}}
    Y = Corrected("LEACE", drawer, metric).fit_transform(given, prior=priors.labels(kind))
    assert Y.shape == (120, 2)
    means = np.array([Y[kind == k].mean(axis=0) for k in range(3)])
    assert np.ptp(means, axis=0).max() < 0.5 * Y.std(axis=0).max()
