from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unprior import factor_out, priors
from unprior.operators import factor_on_demand

RECIPES = [
    {"strength": 1.5},
    {"strength": 0.7, "scale": "quantile"},
    {"strength": "auto"},
    {"strength": 0.8, "operator": "quantile"},
    {"strength": 0.8, "operator": "balanced"},
]


@pytest.fixture(scope="module")
def sources():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(3, size=60)
    return priors.features(X), {"place": priors.features(X[:, :1]), "class": priors.labels(y)}


@pytest.mark.parametrize("recipe", RECIPES)
def test_on_demand_equals_dense(sources, recipe):
    data, known = sources
    matrices = {name: priors.distances(prior.to_array()) for name, prior in known.items()}
    lazy = factor_on_demand(priors.distances(data.to_array()), matrices, **recipe)
    dense = factor_out(data.to_array(), {n: p.to_array() for n, p in known.items()}, **recipe)
    np.testing.assert_array_equal(lazy.to_array(), dense)


# The balanced operator knows classes from a matrix of zeros and ones.
@pytest.mark.parametrize("recipe", [r for r in RECIPES if r.get("operator") != "balanced"])
def test_features_equal_their_distances(sources, recipe):
    data, known = sources
    dense = factor_out(data.to_array(), {n: p.to_array() for n, p in known.items()}, **recipe)
    np.testing.assert_allclose(factor_on_demand(data, known, **recipe).to_array(), dense, atol=1e-9)


@pytest.mark.parametrize("recipe", RECIPES)
def test_blocks_and_pairs_are_pieces_of_the_matrix(sources, recipe):
    factored = factor_on_demand(*sources, **recipe)
    whole = factored.to_array()
    rows, cols = np.array([3, 50, 7]), np.array([7, 3, 3, 59])
    np.testing.assert_array_equal(factored.block(rows, cols), whole[np.ix_(rows, cols)])
    i, j = np.array([0, 5, 5, 59]), np.array([1, 5, 30, 0])
    np.testing.assert_allclose(factored.pairs(i, j), whole[i, j], rtol=1e-9)
    assert factored.n_samples == 60


@pytest.mark.parametrize("recipe", RECIPES)
def test_result_is_symmetric_with_a_zero_diagonal(sources, recipe):
    F = factor_on_demand(*sources, **recipe).to_array()
    np.testing.assert_array_equal(F, F.T)
    np.testing.assert_array_equal(F.diagonal(), 0)
    assert (F >= 0).all()


def test_whole_matrix_is_filled_in_blocks(sources, in_blocks):

    factored = factor_on_demand(*sources, 1.0)
    whole = factored.to_array()
    in_blocks(100)
    np.testing.assert_array_equal(factored.to_array(), whole)


def test_inputs_stay_untouched(sources):
    data, known = sources
    D, Z = data.to_array(), known["place"].to_array()
    before = D.copy(), Z.copy()
    for recipe in RECIPES:
        factor_out(D, Z, **recipe)
    np.testing.assert_array_equal((D, Z), before)


def test_single_precision_comes_out_in_double(sources):
    data, known = sources
    D, Z = data.to_array(), known["place"].to_array()
    single = factor_out(D.astype(np.float32), Z.astype(np.float32))
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, factor_out(D, Z), atol=1e-6)


def test_strengths_are_kept_by_name(sources):
    assert factor_on_demand(*sources, [1, 2]).strengths == {"place": 1.0, "class": 2.0}


def test_a_prior_of_zeros_mostly_is_scaled_by_its_maximum():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 2)), np.zeros(300, dtype=int)
    y[0] = 1  # so few pairs differ that the quantile is zero
    D, prior = cdist(X, X), priors.labels(y)
    F = factor_out(D, prior, 1.0, scale="quantile")
    size = np.quantile(D[np.triu_indices(300, 1)], 0.99)
    np.testing.assert_allclose(F[0, 1:], D[0, 1:] / size + 0.5)
    np.testing.assert_allclose(F[1, 2:], D[1, 2:] / size + 1)


def test_tiles_are_for_operators_that_look_at_all_pairs(sources):
    order = np.arange(60)
    for recipe in RECIPES:
        tiles = factor_on_demand(*sources, **recipe).in_tiles(order)
        assert (tiles is None) == (recipe.get("operator") == "balanced")


def test_data_that_are_not_in_tiles_are_searched_otherwise(sources, monkeypatch):
    from unprior.operators import _factored

    monkeypatch.setattr(_factored, "bounded_tiles", lambda *_: None)
    assert factor_on_demand(*sources, 1.0).in_tiles(np.arange(60)) is None
