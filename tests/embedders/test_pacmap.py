from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from reference.pacmap import scaled_nearest as slow_scaled_nearest
from reference.pacmap import second_nearest as slow_second_nearest
from unprior import priors
from unprior.embedders._pacmap import count_pairs, draw_others, draw_pairs, scaled_nearest
from unprior.estimators._confetti import Confetti
from unprior.neighbors import find_neighbors
from unprior.operators import factor_on_demand


@pytest.fixture
def distances(two_groups):
    """Data whose first three columns are factored out."""
    X = two_groups[0]
    return factor_on_demand(priors.features(X), {"known": priors.features(X[:, :3])}, 2.0)


@given(st.integers(2, 40), st.data())
def test_draws_no_one_twice_and_no_one_who_is_taken(n, data):
    n_taken = data.draw(st.integers(1, n - 1))
    size = data.draw(st.integers(1, n - n_taken))
    rng = np.random.RandomState(data.draw(st.integers(0, 99)))
    taken = np.argsort(rng.uniform(size=(n, n)), axis=1)[:, :n_taken]
    rows = np.hstack([taken, draw_others(taken, size, rng)])
    assert all(len({*row}) == n_taken + size for row in rows.tolist())
    assert rows.min() >= 0
    assert rows.max() < n


def test_draws_everyone_equally_often():
    taken = np.arange(20)[:, None]
    rng = np.random.RandomState(0)
    counts = np.bincount(np.concatenate([draw_others(taken, 5, rng)[0] for _ in range(2000)]))
    assert counts[0] == 0
    # 10 000 draws from 19: four standard deviations.
    np.testing.assert_allclose(counts[1:], 10_000 / 19, atol=4 * np.sqrt(10_000 / 19))


def test_near_pairs_are_nearest_by_local_scales(distances):
    neighbors = find_neighbors(distances, 40)
    wanted = slow_scaled_nearest(neighbors.indices, neighbors.distances, 8)
    np.testing.assert_array_equal(scaled_nearest(neighbors, 8), wanted)
    assert (scaled_nearest(neighbors, 8) != neighbors.indices[:, :8]).any()


def test_near_pairs_are_those_of_pacmap_itself(two_groups):
    pacmap = pytest.importorskip("pacmap.pacmap")
    X = two_groups[0]
    neighbors = find_neighbors(priors.features(X), 60)
    lengths, near = neighbors.distances.astype(np.float32), neighbors.indices.astype(np.int32)
    scaled = pacmap.scale_dist(lengths, lengths[:, 3:6].mean(axis=1), near)
    wanted = pacmap.sample_neighbors_pair(X.astype(np.float32), scaled, near, np.int32(10))
    ours = draw_pairs(neighbors, priors.features(X), (10, 5, 20), np.random.RandomState(0))[0]
    np.testing.assert_array_equal(ours, wanted)
    assert ours.dtype == np.int32


def test_a_mid_near_pair_is_the_second_nearest_of_six(distances, rng):
    seven = distances.data[:7]
    pairs = draw_pairs(find_neighbors(seven, 3), seven, (1, 1, 1), np.random.RandomState(0))[1]
    np.testing.assert_array_equal(pairs[:, 1], slow_second_nearest(seven.to_array()))

    neighbors = find_neighbors(distances, 10)
    own, other = draw_pairs(neighbors, distances, (10, 5, 20), np.random.RandomState(0))[1].T
    np.testing.assert_array_equal(own, np.repeat(np.arange(90), 5))
    ranks = rankdata(distances.to_array(), axis=1)[own, other] - 1
    # The second of six among 89 has the rank 2 / 7 of 90 in the mean, as far as its spread allows.
    assert ranks.mean() == pytest.approx(2 / 7 * 90, abs=4 * ranks.std() / np.sqrt(len(ranks)))


def test_further_pairs_are_no_neighbors(distances):
    near, _, far = draw_pairs(
        find_neighbors(distances, 20), distances, (10, 5, 20), np.random.RandomState(0)
    )
    assert not {*map(tuple, near.tolist())} & {*map(tuple, far.tolist())}
    assert (far[:, 0] != far[:, 1]).all()
    assert len(far) == 90 * 20


@given(st.integers(4, 60), st.integers(1, 59), st.integers(1, 60), st.floats(0, 9), st.floats(0, 9))
def test_there_is_room_for_all_pairs(n, k, n_neighbors, mn_ratio, fp_ratio):
    points = priors.features(np.arange(n) ** 1.5)
    neighbors = find_neighbors(points, min(k, n - 1))
    sizes = count_pairs(neighbors, n_neighbors, mn_ratio, fp_ratio)
    near, middle, far = draw_pairs(neighbors, points, sizes, np.random.RandomState(0))
    assert [len(near), len(middle), len(far)] == [n * size for size in sizes]
    assert min(sizes[0], sizes[2]) >= 1


def test_usual_numbers_of_pairs(distances):
    neighbors = find_neighbors(distances, 60)
    assert count_pairs(neighbors, 10, 0.5, 2.0) == (10, 5, 20)


class TestMaps:
    """Maps by the package itself."""

    @pytest.fixture
    def fit(self, two_groups):
        pytest.importorskip("pacmap")
        X = two_groups[0]
        return lambda params=None, **options: Confetti(
            embedder="pacmap",
            embedder_params={"num_iters": (5, 5, 5), **(params or {})},
            **{"random_state": 0, "operator": "linear", "strength": 2.0, **options},
        ).fit(X, prior=priors.features(X[:, :3]))

    def test_sees_nothing_of_the_data_but_pairs_and_start(self, fit):
        confetti = fit()
        assert confetti.embedding_.shape == (90, 2)
        assert confetti.n_neighbors_ == 60
        neighbors = confetti.graph_
        near = confetti.embedder_.pair_neighbors
        assert near.shape == (900, 2)
        assert (np.asarray(neighbors[near[:, 0], near[:, 1]]).ravel() > 0).all()
        assert confetti.embedder_.pair_MN.shape == (450, 2)
        assert confetti.embedder_.pair_FP.shape == (1800, 2)

    def test_the_seed_decides(self, fit):
        np.testing.assert_array_equal(fit().embedding_, fit(n_jobs=2).embedding_)
        assert (fit().embedding_ != fit(random_state=1).embedding_).any()

    def test_settings_reach_it(self, fit):
        confetti = fit({"n_neighbors": 7, "MN_ratio": 1.0, "lr": 0.5}, n_neighbors=20)
        assert confetti.n_neighbors_ == 20
        assert confetti.embedder_.pair_neighbors.shape == (630, 2)
        assert confetti.embedder_.pair_MN.shape == (630, 2)
        assert confetti.embedder_.lr == 0.5

    @pytest.mark.parametrize("n_components", [1, 3])
    def test_starts_where_it_is_told(self, fit, rng, n_components):
        init = rng.normal(size=(90, n_components))
        there = fit({"init": init, "num_iters": (0, 0, 0)}, n_components=n_components).embedding_
        scaled = 1e-4 * (init - init.mean(axis=0)) / init.std(axis=0)
        np.testing.assert_allclose(there, scaled, rtol=1e-4, atol=1e-9)
        assert np.isfinite(fit({"init": "random"}).embedding_).all()

    @pytest.mark.parametrize("n_components", [5, 88, 90])
    def test_draws_any_number_of_dimensions(self, fit, n_components):
        assert fit(n_components=n_components).embedding_.shape == (90, n_components)

    def test_refuses_more_dimensions_than_samples(self, fit):
        with pytest.raises(ValueError, match=r"takes at most 90 with embedder='pacmap'.*; got 91"):
            fit(n_components=91)

    def test_hidden_groups_stay_apart_and_known_ones_mix(self, fit, two_groups):
        Y, (_, known, hidden) = fit({"num_iters": (100, 100, 250)}).embedding_, two_groups
        near = find_neighbors(priors.features(Y), 10).indices
        assert (hidden[near] == hidden[:, None]).mean() > 0.9
        assert (known[near] == known[:, None]).mean() < 0.6

    @pytest.mark.parametrize("kind", ["features", "labels"])
    def test_so_they_do_with_the_default_operator(self, two_groups, kind):
        pytest.importorskip("pacmap")
        X, known, hidden = two_groups
        prior = priors.features(X[:, :3]) if kind == "features" else priors.labels(known)
        confetti = Confetti(embedder="pacmap", random_state=0).fit(X, prior=prior)
        near = find_neighbors(priors.features(confetti.embedding_), 10).indices
        assert confetti.operator_ == "balanced"
        assert (hidden[near] == hidden[:, None]).mean() > 0.9
        assert (known[near] == known[:, None]).mean() < 0.6

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"pair_MN": None}, "takes no 'pair_MN', which follows from"),
            ({"init": "pca"}, "takes 'random' or an array as 'init' of pacmap, .*; got 'pca'"),
            ({"n_neighbors": 0}, "'n_neighbors' takes a whole number of at least 1; got 0"),
            ({"FP_ratio": -1}, "'FP_ratio' takes a number of at least 0; got -1"),
            (
                {"MNratio": 1},
                "holds 'MNratio', which is no setting of pacmap; did you mean 'MN_ratio'?",
            ),
        ],
    )
    def test_refuses_settings_before_the_search(self, fit, params, message):
        with pytest.raises(ValueError, match="^Confetti: .*" + message.replace("?", r"\?")):
            fit(params)


def test_says_how_to_install_it(two_groups, monkeypatch):
    monkeypatch.setitem(sys.modules, "pacmap", None)
    with pytest.raises(ImportError, match=r'not installed; pip install "unprior\[pacmap\]"\.$'):
        Confetti(embedder="pacmap").fit(two_groups[0], prior=two_groups[0][:, :3])
