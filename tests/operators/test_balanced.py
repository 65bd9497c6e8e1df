"""The balanced ⊖: neighbours have the prior's overall distribution, for any data and prior."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine

from reference import balanced as twin
from unprior import Confetti, factor_out, priors
from unprior.neighbors import find_neighbors
from unprior.operators import (
    _balanced,
    factor_on_demand,
)


def factor(X, known, k=15, strength=1.0, **options):
    known = known if isinstance(known, dict) else {"prior": known}
    data = X if isinstance(X, priors.Prior) else priors.features(X)
    return factor_on_demand(data, known, strength, operator="balanced", n_neighbors=k, **options)


def graph_of(X, known, k=15, strength=1.0, **options):
    factored = factor(X, known, k, strength, **options)
    if not any(factored.strengths.values()):  # the data as they are
        return find_neighbors(factored, k)
    return factored.operator.neighbors(k)


def share_of_same(graph, y):
    return (y[graph.indices] == y[:, None]).mean()


def by_chance(y):
    sizes = np.bincount(np.unique(y, return_inverse=True)[1])
    return (sizes * (sizes - 1)).sum() / len(y) / (len(y) - 1)


@pytest.fixture(scope="module")
def classes_and_groups():
    """Three classes far apart, with the same two groups in each."""
    rng = np.random.default_rng(0)
    y, hidden = rng.integers(3, size=240), rng.integers(2, size=240)
    X = rng.normal(size=(240, 4))
    X[:, 0] += 12 * y
    X[:, 1] += 6 * hidden
    return X, y, hidden


@pytest.mark.parametrize("n_classes", [2, 4])
def test_equals_scaling_the_dense_kernel(rng, n_classes, sinkhorn):
    sinkhorn(12, 0.0)
    y = rng.permutation(np.arange(36) % n_classes)
    X = rng.normal(size=(36, 8))
    X[:, 0] += y
    DX = cdist(X, X)
    factored = factor(X, priors.labels(y), 6)
    width, groups = factored.operator.width, twin.group_matrix(y, np.full(36, -1))
    kth = np.sort((DX / DX.max()) ** 2, axis=1)[:, 15]
    assert width == pytest.approx(_balanced.WIDTH * np.median(kth))
    P = twin.balanced_nearness(
        (DX / DX.max()) ** 2, ~np.eye(36, dtype=bool), [groups], [1.0], width, 12
    )
    others = ~np.eye(36, dtype=bool)
    expected = twin.distances(P[others], width)
    np.testing.assert_allclose(factored.to_array()[others], expected, rtol=1e-4)
    np.testing.assert_array_equal(factored.to_array().diagonal(), 0)


def test_neighbors_have_the_classes_of_all(classes_and_groups):
    X, y, hidden = classes_and_groups
    graph = graph_of(X, priors.labels(y))
    assert share_of_same(graph, y) == pytest.approx(by_chance(y), abs=0.01)
    assert share_of_same(graph, hidden) > 0.95


@pytest.mark.parametrize(
    ("sizes", "wide", "k"),
    [((750, 750), 0, 15), ((1350, 150), -1, 15), ((1000, 450, 50), 0, 5), ((1480, 20), -1, 15)],
)
def test_places_are_shared_out_whatever_sizes_and_spreads_are(rng, sizes, wide, k, landmarks):
    landmarks(200)
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(1500, 4))
    X[y == y[wide]] *= 10
    X[:, 0] += 20 * y
    operator = factor(X, priors.labels(y), k).operator
    had = (y[operator.neighbors(k).indices][:, :, None] == np.arange(len(sizes))).mean(axis=1)
    wanted = operator.potentials[0].strata.shares()[:, :-1]
    assert np.abs(had - wanted).max() < 1 / k + 1e-6
    np.testing.assert_allclose(had.mean(axis=0), wanted.mean(axis=0), atol=0.01)
    for own in range(len(sizes)):
        error = 0.5 / k / np.sqrt((y == own).sum())  # of so many draws
        np.testing.assert_allclose(
            had[y == own].mean(axis=0), wanted[y == own].mean(axis=0), atol=max(0.01, 4 * error)
        )


def test_numbers_are_shared_out_too(rng):
    z = rng.standard_t(2, size=1500)
    X = np.column_stack([z, rng.normal(size=(1500, 3)) * (1 + np.abs(z[:, None]))])
    operator = factor(X, priors.features(z)).operator
    strata = operator.potentials[0].strata
    places = strata.codes[operator.neighbors(15).indices][:, :, None] == np.arange(strata.count)
    wanted = strata.shares()[:, :-1]
    assert np.abs(places.mean(axis=1) - wanted).max() < 1 / 15 + 1e-6
    np.testing.assert_allclose(places.mean(axis=(0, 1)), wanted.mean(axis=0), atol=0.01)


def test_graph_holds_factored_distances_and_the_nearest_first(classes_and_groups):
    X, y, _ = classes_and_groups
    factored = factor(X, {"y": priors.labels(y), "z": priors.features(X[:, 1])}, strength=[1, 0.5])
    graph = factored.operator.neighbors(15)
    own = [factored.pairs(np.full(15, i), row) for i, row in enumerate(graph.indices)]
    np.testing.assert_allclose(graph.distances, own, rtol=1e-3)
    assert (np.diff(graph.distances, axis=1) >= 0).all()
    assert (graph.distances > 0).all()
    assert (graph.indices != np.arange(240)[:, None]).all()
    assert all(len({*row}) == 15 for row in graph.indices)


def test_distances_are_symmetric(classes_and_groups):
    X, y, _ = classes_and_groups
    F = factor(X, {"y": priors.labels(y), "z": priors.features(X[:, 1])}).to_array()
    np.testing.assert_allclose(F, F.T, rtol=1e-12)


def test_is_no_metric(classes_and_groups):
    X, y, _ = classes_and_groups
    F = factor(X, priors.labels(y)).to_array()
    detours = (F[:, :, None] + F[None, :, :]).min(axis=1)
    assert (detours < F - 1e-9 * F.max()).any()


@pytest.mark.parametrize("copies", [1, 5])
def test_two_label_priors_go_even_if_no_two_samples_share_both(rng, copies):
    donor, plate = (v.repeat(copies) for v in (np.arange(100) // 10, np.arange(100) % 10))
    X = rng.normal(size=(100 * copies, 6))
    X[:, 0] += 8 * donor
    X[:, 1] += 8 * plate
    known = {"donor": priors.labels(donor), "plate": priors.labels(plate)}
    graph = graph_of(X, known, 10)
    assert share_of_same(find_neighbors(priors.features(X), 10), donor) > 0.25
    assert share_of_same(graph, donor) < 0.14
    assert share_of_same(graph, plate) < 0.14


@pytest.mark.parametrize(("n_large", "far"), [(0, 5), (200, 1)])
def test_of_very_many_small_classes_nothing_is_left(rng, n_large, far):
    y = np.r_[np.zeros(n_large, dtype=int), 1 + np.arange(800) // 4]
    X = far * rng.normal(size=(201, 6))[y] + rng.normal(size=(len(y), 6))
    graph = graph_of(X, priors.labels(y), 10)
    small = y > 0
    assert (y[graph.indices] == y[:, None])[small].mean() < 0.02
    assert (y[graph.indices] == 0)[small].mean() == pytest.approx(n_large / len(y), abs=0.05)


def test_hundreds_of_classes_and_two_samples_of_each(rng):
    y = np.arange(1000) // 2
    X = 5 * rng.normal(size=(500, 5))[y] + rng.normal(size=(1000, 5))
    assert share_of_same(find_neighbors(priors.features(X), 10), y) > 0.08
    assert share_of_same(graph_of(X, priors.labels(y), 10), y) < 0.005


def test_a_small_class_that_sorts_first_is_none_of_everybody(rng):
    y = rng.permutation(np.r_[np.zeros(4), np.ones(400), 2 + np.arange(100)].astype(int))
    X = rng.normal(size=(len(y), 4))
    X[y == 0] += 10
    graph = graph_of(X, priors.labels(y), 10)
    assert share_of_same(graph, y) == pytest.approx(by_chance(y), abs=0.15)
    assert (y[graph.indices] == y[:, None])[y == 0].mean() < 0.2


@pytest.mark.parametrize("dominant", [0.5, 0.97])
def test_a_dominant_class_gets_no_more_than_its_share(rng, dominant):
    y = rng.permutation((np.arange(600) >= dominant * 600).astype(int))
    X = rng.normal(size=(600, 4))
    X[:, 0] += 3 * y
    graph = graph_of(X, priors.labels(y))
    for own in (0, 1):
        share = (y[graph.indices][y == own] == 0).mean()
        assert share == pytest.approx(dominant, abs=0.06)


@pytest.mark.parametrize("others", [2, 40])
def test_a_class_of_one(rng, others):
    y = np.r_[7, np.arange(300) % others]
    X = rng.normal(size=(301, 4))
    X[:, 0] += 10 * (y == 7)
    graph = graph_of(X, priors.labels(y), 12)
    assert np.isfinite(graph.distances).all()
    assert (graph.indices[0] != 0).all()
    assert (graph.indices == 0).sum() < 4 * 12


def test_labels_that_say_nothing_do_not_weaken_another_prior(rng):
    z, y = rng.uniform(size=400), rng.integers(10, size=400)
    X = rng.normal(size=(400, 4))
    X[:, 0] += 20 * z
    known = {"y": priors.labels(y), "z": priors.features(z)}
    apart = np.abs(z[graph_of(X, known).indices] - z[:, None]).mean()
    assert apart == pytest.approx(1 / 3, abs=0.03)


@pytest.mark.parametrize("kind", ["features", "distances"])
def test_a_prior_that_is_the_data_leaves_little_of_them(rng, kind):
    X = rng.normal(size=(400, 2))
    prior = priors.features(X)
    prior = priors.distances(prior.to_array()) if kind == "distances" else prior
    apart = np.mean(
        [
            np.linalg.norm(X[row] - X[i], axis=1).mean()
            for i, row in enumerate(graph_of(X, prior).indices)
        ]
    )
    plain = np.linalg.norm(X[find_neighbors(prior, 15).indices] - X[:, None], axis=2).mean()
    chance = cdist(X, X).sum() / 400 / 399
    assert (apart - plain) / (chance - plain) > 0.6


def test_classes_do_not_share_their_neighbors_alone(classes_and_groups):
    # Under the linear operator all neighbours are of other classes, and shared within the class.
    X, y, _ = classes_and_groups
    known = {"y": priors.labels(y)}
    linear = find_neighbors(factor_on_demand(priors.features(X), known, 2.0), 15)
    assert (y[linear.indices] != y[:, None]).all()

    def same_class_at_two_steps(graph):
        W = np.zeros((240, 240))
        np.put_along_axis(W, graph.indices, 1, axis=1)
        both = W @ W.T * (1 - np.eye(240))
        return (both * (y[:, None] == y)).sum() / both.sum()

    assert same_class_at_two_steps(linear) > 0.6
    assert same_class_at_two_steps(graph_of(X, known)) < 0.42


def test_no_sample_is_everybodys_neighbor(rng):
    z = rng.standard_t(2, size=400)  # some are extreme
    X = np.column_stack([z, rng.normal(size=(400, 3))])
    known = {"z": priors.features(z)}
    linear = find_neighbors(factor_on_demand(priors.features(X), known, 4.0), 15)
    assert linear.hubness > 3
    assert graph_of(X, known).hubness < 1


def test_few_candidates_make_no_hubs(few_candidates, monkeypatch):
    # As among many samples: potentials alone leave some samples in too many rows.
    few_candidates(0, 1)
    X = np.random.default_rng(2).standard_t(2, size=(2000, 8))
    known = priors.features(X[:, 0] + np.random.default_rng(9).normal(size=2000))
    limited = graph_of(X, known, 10)
    monkeypatch.setattr(_balanced, "HUB_ROUNDS", 0)
    unlimited = graph_of(X, known, 10)
    assert limited.hubness <= 1 < unlimited.hubness
    assert limited.distances.mean() < 1.1 * unlimited.distances.mean()


@pytest.mark.parametrize(("n_priors", "seed"), [(1, 0), (1, 1), (2, 2)])
def test_the_prior_fades_evenly(n_priors, seed, landmarks):
    landmarks(200)
    rng = np.random.default_rng(seed)
    y = rng.integers(4, size=(2, 300))
    X = rng.normal(size=(300, 5))
    X[:, :2] += 10 * y.T
    known = {name: priors.labels(own) for name, own in zip("ab"[:n_priors], y, strict=False)}
    left = [
        share_of_same(graph_of(X, known, strength=strength), y[0])
        for strength in (0, 0.25, 0.5, 0.75, 1)
    ]
    assert left[0] > 0.95
    one = n_priors == 1  # several cannot all have their shares of places
    assert left[-1] == pytest.approx(by_chance(y[0]), abs=0.01 if one else 0.07)
    line = np.linspace(left[0], left[-1], 5)
    np.testing.assert_allclose(left, line, atol=0.03 if one else 0.12)


def test_each_prior_has_a_strength_of_its_own(rng, landmarks):
    landmarks(200)
    y, u = rng.integers(4, size=(2, 600))
    X = rng.normal(size=(600, 5))
    X[:, 0] += 10 * y
    X[:, 1] += 10 * u
    known = {"y": priors.labels(y), "u": priors.labels(u)}
    graph = graph_of(X, known, strength={"u": 0, "y": 1})
    assert share_of_same(graph, y) == pytest.approx(0.25, abs=0.07)
    assert share_of_same(graph, u) > 0.9
    half = graph_of(X, known, strength=[0.5, 1])
    assert share_of_same(half, y) == pytest.approx(0.62, abs=0.15)
    assert share_of_same(half, u) == pytest.approx(0.25, abs=0.15)


def test_no_strength_leaves_the_scaled_data(classes_and_groups):
    X, y, _ = classes_and_groups
    DX = cdist(X, X)
    F = factor_out(DX, priors.labels(y), 0, operator="balanced")
    np.testing.assert_allclose(F, DX / DX.max(), atol=1e-12)
    plain = find_neighbors(priors.features(X), 15)
    found = find_neighbors(factor(X, priors.labels(y), strength=0.0), 15)
    np.testing.assert_array_equal(found.indices, plain.indices)


def test_auto_is_fully_balanced(classes_and_groups):
    X, y, _ = classes_and_groups
    DX, prior = cdist(X, X), priors.labels(y)
    expected = factor_out(DX, prior, 1, operator="balanced")
    np.testing.assert_array_equal(factor_out(DX, prior, "auto", operator="balanced"), expected)


@pytest.mark.parametrize("strength", [2, [1, 2], -0.1])
def test_a_strength_beyond_zero_and_one_is_refused(strength):
    D = cdist(np.eye(5), np.eye(5))
    several = [D, D] if isinstance(strength, list) else D
    message = r"factor_out: 'strength' takes .*in \[0, 1\] .*=\"balanced\" .*; got (2|-0)"
    with pytest.raises(ValueError, match=message):
        factor_out(D, several, strength, operator="balanced")


def shared(one, other):
    pairs = zip(one.indices, other.indices, strict=True)
    return np.mean([np.isin(a, b).mean() for a, b in pairs])


def four_clouds(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(4, size=150)
    return rng, rng.normal(size=(150, 3)) + 3 * np.eye(4)[y][:, :3], y


def in_another_order(seed, strength):
    """Return factored distances of four clouds, and those of the same samples in another order."""
    rng, X, y = four_clouds(seed)
    F = factor(X, priors.labels(y), 8, strength).to_array()
    order = rng.permutation(150)
    moved = factor(X[order], priors.labels(y[order]), 8, strength).to_array()
    return F[np.ix_(order, order)], moved


@settings(max_examples=4)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 0.4]))
@example(883, 0.4)  # with hubs
def test_names_of_classes_do_not_matter(seed, strength):
    _, X, y = four_clouds(seed)
    graph = graph_of(X, priors.labels(y), 8, strength)
    renamed = graph_of(X, priors.labels(np.array(list("zaqb"))[y]), 8, strength)
    np.testing.assert_array_equal(renamed.indices, graph.indices)
    np.testing.assert_array_equal(renamed.distances, graph.distances)


@settings(max_examples=4)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 0.4]))
@example(883, 0.4)
def test_the_order_of_samples_does_not_matter_where_hubs_are_not_limited(seed, strength):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_balanced, "HUB_ROUNDS", 0)
        F, moved = in_another_order(seed, strength)
    np.testing.assert_allclose(moved, F, rtol=1e-3)


def test_the_order_of_samples_matters_little_where_hubs_are_limited():
    """Hubs are found by counting neighbours.

    The order decides how many a stratum gets where its share of them is not whole, so a few samples
    may count as hubs in one order alone.
    """
    F, moved = in_another_order(883, 0.4)
    assert np.isclose(moved, F, rtol=1e-3).mean() > 0.8
    assert np.corrcoef(moved.ravel(), F.ravel())[0, 1] > 0.999


@pytest.mark.parametrize("n_classes", [3, 60])
def test_names_of_classes_change_no_map(rng, n_classes):
    y = rng.integers(n_classes, size=400)
    X = rng.normal(size=(400, 5)) + rng.normal(size=(n_classes, 5))[y]
    names = rng.permutation([f"class {number}" for number in range(n_classes)])
    maps = [
        Confetti(random_state=0, embedder_params={"n_epochs": 20}).fit_transform(X, prior=labels)
        for labels in (y.astype(str), names[y])
    ]
    np.testing.assert_array_equal(*maps)


@settings(max_examples=4)
@given(st.sampled_from([1e-6, 0.3, 1e6]), st.sampled_from([0.0, 50.0, -1e3]), st.integers(0, 999))
def test_moving_and_scaling_the_data_changes_no_neighbors(times, shift, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(4, size=150)
    X = rng.normal(size=(150, 3)) + 3 * np.eye(4)[y][:, :3]
    graphs = [graph_of(data, priors.labels(y), 8) for data in (X, times * (X + shift))]
    assert shared(*graphs) > 0.995


@pytest.mark.parametrize("scale", ["max", "quantile"])
def test_the_scale_is_a_unit_of_the_balanced_operator(rng, scale):
    X, y = rng.normal(size=(200, 3)), rng.integers(3, size=200)
    assert shared(graph_of(X, priors.labels(y)), graph_of(X, priors.labels(y), scale=scale)) > 0.995


@pytest.mark.parametrize("operator", ["balanced", "quantile"])
def test_the_scale_is_a_unit(rng, operator):
    X, y = rng.normal(size=(50, 3)), rng.integers(3, size=50)
    D, prior = cdist(X, X), priors.labels(y)
    F, G = (factor_out(D, prior, operator=operator, scale=scale) for scale in ("max", "quantile"))
    np.testing.assert_allclose(F / F.max(), G / G.max(), rtol=1e-3)


def test_precomputed_distances_equal_features(rng):
    X, y = rng.normal(size=(200, 4)), rng.integers(3, size=200)
    X[:, 0] += 4 * y
    for strength in (0.5, 1.0):
        here = graph_of(X, priors.labels(y), 9, strength)
        there = graph_of(priors.distances(cdist(X, X)), priors.labels(y), 9, strength)
        assert shared(here, there) > 0.999
        np.testing.assert_allclose(here.distances, there.distances, rtol=1e-3)


def test_looking_at_all_pairs_equals_the_index_of_few(rng):
    X, y = rng.normal(size=(300, 4)), rng.integers(3, size=300)
    found, exact = (graph_of(X, priors.labels(y), exact=exact) for exact in (False, True))
    np.testing.assert_array_equal(found.indices, exact.indices)
    np.testing.assert_array_equal(found.distances, exact.distances)
    assert found.recall == exact.recall == 1


@pytest.mark.parametrize("strength", [0.5, 1.0])
def test_exact_looks_at_all_pairs_of_many(rng, strength, in_buckets, few_candidates, landmarks):
    X = rng.normal(size=(40, 3), scale=10)[rng.integers(40, size=1400)] + rng.normal(size=(1400, 3))
    prior = priors.labels(np.arange(1400) % 2)
    few_candidates()
    landmarks(300)
    truth = graph_of(X, prior, strength=strength)
    in_buckets(300)
    exact, found = (graph_of(X, prior, strength=strength, exact=e) for e in (True, False))
    np.testing.assert_array_equal(exact.indices, truth.indices)
    assert exact.recall == 1
    assert 0.95 <= found.recall < 1
    assert shared(truth, found) > 0.9


@pytest.mark.parametrize("strength", [0.5, 1.0])
def test_threads_change_nothing(rng, strength):
    X, y = rng.normal(size=(200, 4)), rng.integers(3, size=200)
    known = {"y": priors.labels(y), "z": priors.features(X[:, 0])}
    before, graphs = numba.get_num_threads(), []
    try:
        for n_jobs in (1, 2, 3):
            numba.set_num_threads(min(n_jobs, numba.config.NUMBA_NUM_THREADS))
            graphs.append(graph_of(X, known, strength=strength, n_jobs=n_jobs))
    finally:
        numba.set_num_threads(before)
    for other in graphs[1:]:
        np.testing.assert_array_equal(other.indices, graphs[0].indices)
        np.testing.assert_array_equal(other.distances, graphs[0].distances)


@pytest.mark.parametrize("far", [1e2, 1e4, 1e6])
def test_a_sample_far_away_does_not_matter_to_others(classes_and_groups, far):
    X, y, hidden = classes_and_groups
    X = X.copy()
    X[7] = far
    graph = graph_of(X, priors.labels(y))
    assert np.isfinite(graph.distances).all()
    others = np.arange(240) != 7
    share = (y[graph.indices] == y[:, None])[others].mean()
    assert share == pytest.approx(by_chance(y), abs=0.08)
    assert (hidden[graph.indices] == hidden[:, None])[others].mean() > 0.9


def test_thousands_of_duplicates(rng, landmarks):
    landmarks(300)
    X = np.repeat(rng.normal(size=(6, 3)), 500, axis=0)
    y = rng.integers(3, size=3000)
    graph = graph_of(X, priors.labels(y), 10)
    assert np.isfinite(graph.distances).all()
    assert share_of_same(graph, y) == pytest.approx(by_chance(y), abs=0.06)
    assert (X[graph.indices] == X[:, None]).all(axis=2).mean() > 0.95
    # Among duplicates only the last digits of potentials decide which is nearer.
    assert graph.hubness < 5


@pytest.mark.parametrize("times", [1, 1e-3])
def test_measured_columns(times):
    X, y = load_wine(return_X_y=True)
    X = times * (X - X.mean(axis=0)) / X.std(axis=0)
    assert share_of_same(find_neighbors(priors.features(X), 15), y) > 0.9
    graph = graph_of(X, priors.labels(y))
    assert share_of_same(graph, y) == pytest.approx(by_chance(y), abs=0.06)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_very_few_samples(rng, n):
    graph = graph_of(rng.normal(size=(n, 2)), priors.labels(np.arange(n) % 2), n - 1)
    assert [{*row} for row in graph.indices] == [{*range(n)} - {i} for i in range(n)]


@pytest.mark.parametrize("operator", ["balanced", "quantile"])
def test_no_prior_is_searched_for_its_largest_distance(rng, operator, monkeypatch):
    X = rng.normal(size=(40, 3))
    data, prior = priors.features(X), priors.features(X[:, :2], metric="canberra")
    monkeypatch.setattr(type(prior), "largest", lambda self: {data: 5.0}[self])
    factor_on_demand(data, {"z": prior}, operator=operator)
