from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from reference.confetti import balanced
from unprior import factor_out, priors
from unprior.distances import _balance, _potentials, factor_on_demand
from unprior.neighbors import find_neighbors


@pytest.fixture(scope="module")
def classes_and_groups():
    """Three classes far apart, with the same two groups in each."""
    rng = np.random.default_rng(0)
    y, hidden = rng.integers(3, size=240), rng.integers(2, size=240)
    X = rng.normal(size=(240, 4))
    X[:, 0] += 12 * y
    X[:, 1] += 6 * hidden
    return X, y, hidden


def graph_of(X, prior, operator, k=15, strength=1.0):
    factored = factor_on_demand(priors.features(X), {"z": prior}, strength, operator=operator)
    return find_neighbors(factored, k)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_equals_scaling_the_kernel(rng, n_classes, monkeypatch):
    monkeypatch.setattr(_balance, "MOST_TURNS", 200)
    monkeypatch.setattr(_balance, "TOLERANCE", 1e-12)
    monkeypatch.setattr(_potentials, "WIDTH", 0.2)
    y = rng.permutation(np.arange(36) % n_classes)
    X = rng.normal(size=(36, 8))
    DX = cdist(X, X)
    F = factor_out(DX, priors.labels(y), operator="balanced")
    np.testing.assert_allclose(F, balanced(DX, y), rtol=1e-5)


def test_neighbors_have_the_classes_of_all(classes_and_groups):
    X, y, hidden = classes_and_groups
    graph = graph_of(X, priors.labels(y), "balanced")
    same = (y[graph.indices] == y[:, None]).mean()
    assert same == pytest.approx(((np.bincount(y) / 240) ** 2).sum(), abs=0.06)
    assert (hidden[graph.indices] == hidden[:, None]).mean() > 0.95


def share_of_same(graph, y):
    return (y[graph.indices] == y[:, None]).mean()


@pytest.mark.parametrize("copies", [1, 3, 8])
def test_two_label_priors_go_even_if_no_two_samples_share_both(rng, copies):
    donor, plate = (v.repeat(copies) for v in (np.arange(100) // 10, np.arange(100) % 10))
    X = rng.normal(size=(100 * copies, 6))
    X[:, 0] += 8 * donor
    X[:, 1] += 8 * plate
    known = {"donor": priors.labels(donor), "plate": priors.labels(plate)}
    factored = factor_on_demand(priors.features(X), known, operator="balanced")
    graph = find_neighbors(factored, 10)
    assert share_of_same(find_neighbors(priors.features(X), 10), donor) > 0.25
    assert share_of_same(graph, donor) == pytest.approx(0.1, abs=0.03)
    assert share_of_same(graph, plate) == pytest.approx(0.1, abs=0.03)


@pytest.mark.parametrize(("n_large", "far"), [(0, 5), (200, 1)])
def test_of_very_many_small_classes_nothing_is_left(rng, n_large, far):
    y = np.r_[np.zeros(n_large, dtype=int), 1 + np.arange(1200) // 4]
    X = far * rng.normal(size=(301, 6))[y] + rng.normal(size=(len(y), 6))
    graph = graph_of(X, priors.labels(y), "balanced", k=10)
    small = y > 0
    assert (y[graph.indices] == y[:, None])[small].mean() < 0.002
    assert (y[graph.indices] == 0)[small].mean() == pytest.approx(n_large / len(y), abs=0.05)


def test_labels_that_say_nothing_do_not_weaken_another_prior(rng):
    z, y = rng.uniform(size=600), rng.integers(10, size=600)
    X = rng.normal(size=(600, 4))
    X[:, 0] += 20 * z
    known = {"y": priors.labels(y), "z": priors.features(z)}
    factored = factor_on_demand(priors.features(X), known, operator="balanced")
    apart = np.abs(z[find_neighbors(factored, 15).indices] - z[:, None]).mean()
    assert apart == pytest.approx(1 / 3, abs=0.02)


def test_classes_do_not_share_their_neighbors_alone(classes_and_groups):
    # Under the linear operator all neighbours are of other classes, and shared within the class.
    X, y, _ = classes_and_groups
    linear = graph_of(X, priors.labels(y), "linear", strength=2.0)
    balanced = graph_of(X, priors.labels(y), "balanced")
    assert (y[linear.indices] != y[:, None]).all()

    def same_class_at_two_steps(graph):
        W = np.zeros((240, 240))
        np.put_along_axis(W, graph.indices, 1, axis=1)
        both = W @ W.T * (1 - np.eye(240))
        return (both * (y[:, None] == y)).sum() / both.sum()

    assert same_class_at_two_steps(linear) > 0.6
    assert same_class_at_two_steps(balanced) < 0.4


def test_no_sample_is_everybodys_neighbor(rng):
    z = rng.standard_t(2, size=400)  # some are extreme
    X = np.column_stack([z, rng.normal(size=(400, 3))])
    linear = graph_of(X, priors.features(z), "linear", strength=4.0)
    balanced = graph_of(X, priors.features(z), "balanced")
    assert linear.hubness > 3
    assert balanced.hubness < 1


def test_no_strength_leaves_the_scaled_data(classes_and_groups):
    X, y, _ = classes_and_groups
    DX = cdist(X, X)
    F = factor_out(DX, priors.labels(y), 0, operator="balanced")
    np.testing.assert_allclose(F, DX / DX.max(), atol=1e-12)


def test_auto_is_fully_balanced(classes_and_groups):
    X, y, _ = classes_and_groups
    DX, prior = cdist(X, X), priors.labels(y)
    expected = factor_out(DX, prior, 1, operator="balanced")
    np.testing.assert_array_equal(factor_out(DX, prior, "auto", operator="balanced"), expected)


def test_a_strength_above_one_is_refused():
    D = cdist(np.eye(5), np.eye(5))
    message = r"factor_out: 'strength' takes a number in \[0, 1\] with operator=\"balanced\"; got 2"
    with pytest.raises(ValueError, match=message):
        factor_out(D, D, 2, operator="balanced")


def test_one_strength_serves_all_priors():
    D = cdist(np.eye(5), np.eye(5))
    with pytest.raises(ValueError, match=r"one number for all priors .* got \[1\.0, 0\.5\]"):
        factor_out(D, [D, D], [1, 0.5], operator="balanced")


@pytest.mark.parametrize("operator", ["balanced", "quantile"])
def test_no_prior_is_searched_for_its_largest_distance(rng, operator, monkeypatch):
    X = rng.normal(size=(40, 3))
    data, prior = priors.features(X), priors.features(X[:, :2], metric="canberra")
    monkeypatch.setattr(type(prior), "largest", lambda self: {data: 5.0}[self])
    factor_on_demand(data, {"z": prior}, operator=operator)


@pytest.mark.parametrize("operator", ["balanced", "quantile"])
def test_the_scale_is_a_unit(rng, operator):
    X, y = rng.normal(size=(50, 3)), rng.integers(3, size=50)
    D, prior = cdist(X, X), priors.labels(y)
    F, G = (factor_out(D, prior, operator=operator, scale=scale) for scale in ("max", "quantile"))
    np.testing.assert_allclose(F / F.max(), G / G.max(), rtol=1e-9)
