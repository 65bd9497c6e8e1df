from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, squareform
from scipy.stats import ks_2samp, spearmanr

from reference.confetti import all_pairs, bins_of, conditional, matrix_of, quantile
from unprior import factor_out, priors
from unprior.neighbors import find_neighbors
from unprior.operators import _sampled_pairs, factor_on_demand


def factor(DX, DZ, strength=1.0):
    return factor_out(DX, DZ, strength, operator="quantile")


def bins_used(n):
    side = np.sqrt(n * (n - 1) // 2)
    return max(int(side), 2) if side >= 2 else 1


@given(st.integers(3, 30), st.floats(0, 1), st.booleans(), st.integers(0, 10**6))
def test_equals_ranking_pair_by_pair(n, strength, ties, seed):
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(2, n, 2))
    if ties:
        X, Z = np.round(X), np.round(Z)
        X[0], Z[1] = 7, 7
    DX, DZ = cdist(X, X), cdist(Z, Z)
    expected = quantile(DX, DZ, strength, bins_used(n))
    np.testing.assert_allclose(factor(DX, DZ, strength), expected, rtol=1e-9, atol=1e-12)


@pytest.fixture(scope="module")
def known_and_hidden():
    rng = np.random.default_rng(0)
    known, hidden = rng.normal(size=(2, 150, 2))
    return np.hstack([3 * known, hidden]), known, hidden


def test_is_no_metric(known_and_hidden):
    X, known, _ = known_and_hidden
    F = factor(cdist(X, X), cdist(known, known), 1.0)
    detours = (F[:, :, None] + F[None, :, :]).min(axis=1)
    assert (detours < F - 1e-9 * F.max()).any()


def test_every_bin_has_the_distribution_of_all_pairs(known_and_hidden):
    X, known, _ = known_and_hidden
    DX, DZ = cdist(X, X), cdist(known, known)
    F = all_pairs(factor(DX, DZ))
    bins = bins_of(all_pairs(DZ), bins_used(150))
    assert len(np.unique(bins)) == 105
    for number in np.unique(bins):
        # The same distribution in every bin, as nearly as 106 pairs allow.
        assert ks_2samp(F[bins == number], all_pairs(DX) / DX.max()).statistic < 0.01


def test_the_prior_is_gone_and_the_rest_is_there(known_and_hidden):
    X, known, hidden = known_and_hidden
    F = squareform(factor(cdist(X, X), cdist(known, known)))
    assert abs(spearmanr(F, squareform(cdist(known, known))).statistic) < 0.02
    assert spearmanr(F, squareform(cdist(hidden, hidden))).statistic > 0.5


def test_labels_are_ranked_within_and_between_classes():
    rng = np.random.default_rng(2)
    y = rng.integers(3, size=40)
    X = rng.normal(size=(40, 2)) + 5 * y[:, None]
    DX, prior = cdist(X, X), priors.labels(y)
    expected = conditional(all_pairs(DX), all_pairs(prior.to_array())) / DX.max()
    np.testing.assert_allclose(factor(DX, prior), matrix_of(expected, 40))


def test_two_label_priors_are_ranked_in_crossed_cells():
    rng = np.random.default_rng(3)
    a, b = priors.labels(rng.integers(2, size=30)), priors.labels(rng.integers(3, size=30))
    X = rng.normal(size=(30, 2))
    DX = cdist(X, X)
    cells = 2 * all_pairs(a.to_array()) + all_pairs(b.to_array())
    expected = matrix_of(conditional(all_pairs(DX), cells) / DX.max(), 30)
    np.testing.assert_allclose(factor(DX, [a, b]), expected)


def test_no_strength_leaves_the_scaled_data(known_and_hidden):
    X, known, _ = known_and_hidden
    DX = cdist(X, X)
    np.testing.assert_array_equal(factor(DX, cdist(known, known), 0), DX / DX.max())


def test_auto_is_fully_conditional(known_and_hidden):
    X, known, _ = known_and_hidden
    DX, DZ = cdist(X, X), cdist(known, known)
    np.testing.assert_array_equal(factor(DX, DZ, "auto"), factor(DX, DZ, 1))


def test_drawn_pairs_do_for_all_pairs(known_and_hidden, monkeypatch):
    X, known, _ = known_and_hidden
    data, prior = priors.features(X), {"known": priors.features(known)}
    exact = squareform(factor_on_demand(data, prior, 1.0, operator="quantile").to_array())
    monkeypatch.setattr(_sampled_pairs, "MANY_PAIRS", 5_000)
    drawn = squareform(factor_on_demand(data, prior, 1.0, operator="quantile").to_array())
    assert not np.array_equal(exact, drawn)
    assert spearmanr(drawn, exact).statistic > 0.9
    assert abs(spearmanr(drawn, squareform(cdist(known, known))).statistic) < 0.05


def test_pairs_nearer_than_any_drawn_keep_their_order(monkeypatch):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 2)), rng.integers(2, size=300)
    monkeypatch.setattr(_sampled_pairs, "MANY_PAIRS", 200)
    factored = factor_on_demand(
        priors.features(X), {"y": priors.labels(y)}, 1.0, operator="quantile"
    )
    within = y[:, None] == y
    near = cdist(X, X)[within & ~np.eye(300, dtype=bool)]
    mapped = factored.to_array()[within & ~np.eye(300, dtype=bool)]
    nearest = np.argsort(near)[: 2 * 500 : 2]  # every pair is there in both directions
    assert (np.diff(mapped[nearest]) > 0).all()
    assert mapped.min() > 0


def test_a_strength_above_one_is_refused():
    D = 1 - np.eye(4)
    message = r"factor_out: 'strength' takes a number in \[0, 1\] .*=\"quantile\" .*; got 2"
    with pytest.raises(ValueError, match=message):
        factor(D, D, 2)


def test_one_strength_serves_all_priors():
    D = cdist(np.eye(5), np.eye(5))
    with pytest.raises(ValueError, match=r"takes one number for all priors .* got \[1\.0, 0\.5\]"):
        factor(D, [D, D], [1, 0.5])


@pytest.mark.parametrize("unit", [0.1, 0.3, 1e-5])
def test_equal_distances_have_one_rank_in_every_unit(rng, unit):
    X = rng.integers(0, 4, size=(90, 3)).astype(float)
    y = priors.labels(np.r_[0, 1, rng.integers(3, size=88)])
    whole, parts = (
        factor_on_demand(priors.features(Z), {"y": y}, operator="quantile") for Z in (X, X * unit)
    )
    F = parts.to_array()
    np.testing.assert_allclose(F, whole.to_array(), atol=1e-6)
    i, j = np.triu_indices(90, 1)
    np.testing.assert_allclose(parts.pairs(i, j), F[i, j], atol=1e-6)


@pytest.mark.parametrize("strength", [0.3, 1.0])
def test_neighbours_found_tile_by_tile_are_those_of_the_whole_matrix(rng, in_tiles, strength):
    in_tiles()
    X = 5 * rng.normal(size=(90, 3))
    known = {"z": priors.features(X[:, 0])}
    factored = factor_on_demand(priors.features(X), known, strength, operator="quantile")
    whole = np.sort(factored.to_array(), axis=1)[:, 1:8]
    np.testing.assert_allclose(find_neighbors(factored, 7).distances, whole, rtol=1e-9)
