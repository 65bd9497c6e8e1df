"""The search in tiles equals sorting the dense matrix: all priors, operators and scales."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.confetti import nearest
from unprior import factor_out, priors
from unprior.geometry import data_distances
from unprior.neighbors import find_neighbors
from unprior.operators import _sampled_pairs, factor_on_demand

N = 120
RECIPES = [
    {"strength": 1.0},
    {"strength": 4.0, "scale": "quantile"},
    {"strength": "auto"},
    {"strength": 1.0, "operator": "quantile"},
    {"strength": 0.6, "operator": "quantile", "scale": "quantile"},
    {"strength": 0.0, "operator": "quantile"},
    {"strength": 0.0, "operator": "balanced", "scale": "quantile"},
]


@pytest.fixture(autouse=True, params=["rows alone", "rows and columns"])
def always(in_tiles, request):
    """Go this way for few samples too, and over several tiles that do not divide them."""
    if request.param == "rows alone":
        in_tiles(50, 77, mirrored=False)
    else:
        in_tiles(23, 17)


def known(rng, X):
    n = len(X)
    return {
        "labels": {"y": priors.labels(rng.integers(4, size=n))},
        "line": {"z": priors.features(X[:, 0])},
        "plane": {"z": priors.features(X[:, :2])},
        "many axes": {"z": priors.features(rng.normal(size=(n, 20)))},
        "l1": {"z": priors.features(X[:, :2], metric="l1")},
        "cosine": {"z": priors.features(X[:, :3], metric="cosine")},
        "given": {"D": priors.distances(priors.features(X[:, :2]).to_array())},
        "globe": {"place": priors.geo(rng.uniform(-90, 90, n), rng.uniform(-180, 180, n))},
        "circle": {"hour": priors.cyclic(rng.uniform(0, 24, n), period=24)},
        "graph": {"path": priors.graph(np.diag(np.ones(n - 1), 1))},
        "two": {"y": priors.labels(rng.integers(3, size=n)), "z": priors.features(X[:, 0])},
        "many labels": {"y": priors.labels(np.arange(n) // 2), "z": priors.features(X[:, 0])},
        "two labels": {name: priors.labels(rng.integers(7, size=n)) for name in "ab"},
    }


def assert_equals_dense(data, priors_by_name, recipe, k=9):
    factored = factor_on_demand(data, priors_by_name, **recipe)
    assert factored.in_tiles(np.arange(data.n_samples)) is not None
    graph, F = find_neighbors(factored, k), factored.to_array()
    indices, distances = nearest(F, k)
    np.testing.assert_allclose(graph.distances, distances, rtol=1e-9, atol=1e-12)
    # Different neighbours only where two distances differ by rounding alone.
    own = np.take_along_axis(F, graph.indices, axis=1)
    np.testing.assert_allclose(own, distances, rtol=1e-9, atol=1e-12)
    return graph, indices


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", known(np.random.default_rng(0), np.zeros((9, 4)) + 1))
def test_equals_dense_for_every_prior(rng, name, recipe):
    X = rng.normal(size=(N, 4))
    graph, indices = assert_equals_dense(priors.features(X), known(rng, X)[name], recipe)
    np.testing.assert_array_equal(graph.indices, indices)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("metric", ["cosine", "l1", "precomputed"])
def test_equals_dense_for_other_data(rng, metric, recipe):
    X = rng.normal(size=(N, 4))
    values = priors.features(X).to_array() if metric == "precomputed" else X
    data = data_distances(values, metric)
    assert_equals_dense(data, known(rng, X)["plane"], recipe)


@pytest.mark.parametrize("strength", [0.01, 50.0])
def test_weak_and_strong(rng, strength):
    X = rng.normal(size=(N, 4))
    for name in ("labels", "line", "two"):
        assert_equals_dense(priors.features(X), known(rng, X)[name], {"strength": strength})


@given(st.integers(6, 30), st.sampled_from(RECIPES), st.integers(0, 10**6))
def test_ties_and_duplicates(n, recipe, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, 2)).astype(float)
    X[0], X[1] = 0, 5
    y = np.r_[0, 1, rng.integers(2, size=n - 2)]
    assert_equals_dense(priors.features(X), {"y": priors.labels(y)}, recipe, k=4)


def test_an_outlier_does_not_matter(rng):
    X = rng.normal(size=(N, 4))
    X[5] = 1e6
    for scale in ("max", "quantile"):
        recipe = {"strength": 1.0, "scale": scale}
        assert_equals_dense(priors.features(X), known(rng, X[::-1])["line"], recipe)


def test_learnt_from_drawn_pairs_it_is_still_exact(rng, monkeypatch):

    monkeypatch.setattr(_sampled_pairs, "MANY_PAIRS", 500)
    X = rng.normal(size=(N, 4))
    assert_equals_dense(priors.features(X), known(rng, X)["line"], RECIPES[3])


def test_the_dense_matrix_is_that_of_factor_out(rng):
    X = rng.normal(size=(N, 4))
    prior = known(rng, X)["plane"]["z"]
    graph = find_neighbors(factor_on_demand(priors.features(X), {"z": prior}), 9)
    F = factor_out(priors.features(X).to_array(), prior)
    np.testing.assert_array_equal(graph.indices, nearest(F, 9)[0])
