"""ct-SNE's objective against a dense reference, finite differences and the fast repulsions."""

from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_array

from reference import conditional as reference
from reference import jedi
from unprior import priors
from unprior.affinities import Affinities, PairWeights
from unprior.forces import barnes_hut_field, fft_field
from unprior.objectives import ConditionalObjective, DataDivergence, JEDIObjective
from unprior.optimize import TwoPhases, minimize

N = 36
OTHER = [1.0, 0.3, 1e-2, 1e-5]


@pytest.fixture
def P(rng):
    P = rng.random((N, N)) * (rng.random((N, N)) < 0.5)
    P = P + P.T
    np.fill_diagonal(P, 0)
    return P / P.sum()


@pytest.fixture
def labels(rng):
    """Classes of very different sizes, one of them of a single sample."""
    return priors.labels(rng.permutation(np.repeat(list("abcd"), [20, 13, 2, 1])))


def make(P, labels, other, **more):
    return ConditionalObjective(
        DataDivergence(Affinities(P)), labels, PairWeights.from_other(labels, other), **more
    )


@pytest.mark.parametrize("other", OTHER)
@pytest.mark.parametrize("sparse", [False, True])
def test_equals_the_dense_twin(P, labels, rng, other, sparse):
    Y = 3 * rng.normal(size=(N, 2))
    weights = reference.map_weights(labels.codes, other)
    now = make(csr_array(P) if sparse else P, labels, other).evaluate(Y)
    assert now.value == pytest.approx(reference.objective(Y, P, weights), abs=1e-12)
    np.testing.assert_allclose(now.gradient, reference.gradient(Y, P, weights), atol=1e-14)


@pytest.mark.parametrize("other", OTHER)
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_gradient_is_that_of_the_value(P, labels, rng, other, n_components):
    objective = make(P, labels, other)
    Y = rng.normal(size=(N, n_components))
    gradient = objective.evaluate(Y).gradient
    step = 1e-5
    for i, d in [(0, 0), (7, n_components - 1), (N - 1, 0)]:
        shift = np.zeros_like(Y)
        shift[i, d] = step
        up, down = objective.evaluate(Y + shift).value, objective.evaluate(Y - shift).value
        assert gradient[i, d] == pytest.approx((up - down) / (2 * step), rel=1e-6, abs=1e-9)


def test_equal_weights_are_tsne(P, labels, rng):
    Y = rng.normal(size=(N, 2))
    ours, plain = make(P, labels, 1.0), JEDIObjective(DataDivergence(Affinities(P)))
    assert ours.evaluate(Y).value == pytest.approx(plain.evaluate(Y).value, abs=1e-13)
    np.testing.assert_allclose(
        ours.evaluate(Y).gradient, plain.evaluate(Y).gradient, rtol=0, atol=1e-15
    )


def test_labels_matter_when_all_pairs_are_summed(P, labels, rng):
    Y = rng.normal(size=(N, 2))
    ours, plain = make(P, labels, 0.01), JEDIObjective(DataDivergence(Affinities(P)))
    gap = np.abs(ours.evaluate(Y).gradient - plain.evaluate(Y).gradient).max()
    assert gap > 0.1 * np.abs(plain.evaluate(Y).gradient).max()


@pytest.mark.parametrize("n_components", [2, 3])
def test_a_precise_tree_equals_the_exact_sum(P, labels, rng, n_components):
    Y = rng.normal(size=(N, n_components))
    exact = make(P, labels, 1e-3).evaluate(Y)
    tree = partial(barnes_hut_field, theta=1e-9)
    ours = make(P, labels, 1e-3, repulsion=lambda n: tree).evaluate(Y)
    assert ours.value == pytest.approx(exact.value, abs=1e-12)
    np.testing.assert_allclose(ours.gradient, exact.gradient, atol=1e-13)


@pytest.mark.parametrize("n_components", [1, 2])
def test_a_fine_grid_equals_the_exact_sum(P, labels, rng, n_components):
    Y = rng.normal(size=(N, n_components))
    exact = make(P, labels, 1e-3).evaluate(Y)
    grid = partial(fft_field, spacing=0.05)
    ours = make(P, labels, 1e-3, repulsion=lambda n: grid).evaluate(Y)
    assert ours.value == pytest.approx(exact.value, abs=1e-5)
    np.testing.assert_allclose(ours.gradient, exact.gradient, atol=1e-6)


def test_each_class_has_the_repulsion_of_its_size(P, labels, rng):
    asked = []

    def choose(n_samples):
        asked.append(n_samples)
        return partial(barnes_hut_field, theta=1e-9)

    make(P, labels, 0.1, repulsion=choose).evaluate(rng.normal(size=(N, 2)))
    assert sorted(asked) == [2, 13, 20, N]


def test_exaggeration_multiplies_attraction_alone_and_leaves_the_value(P, labels, rng):
    objective = make(P, labels, 1e-3)
    Y = rng.normal(size=(N, 2))
    plain, exaggerated = objective.evaluate(Y), objective.evaluate(Y, exaggeration=12.0)
    assert exaggerated.value == plain.value
    np.testing.assert_allclose(
        exaggerated.gradient - plain.gradient, 11 * jedi.attraction(Y, P), atol=1e-14
    )


@pytest.mark.parametrize("other", OTHER)
def test_the_first_steps_are_those_of_the_written_equations(P, labels, rng, other):
    start = 1e-4 * rng.normal(size=(N, 2))
    ours = minimize(make(P, labels, other), start, TwoPhases(5, 50.0, n_early=3)).embedding
    expected = reference.descend(
        start,
        P,
        reference.map_weights(labels.codes, other),
        n_iter=5,
        learning_rate=50.0,
        n_early=3,
    )
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_permuting_the_samples_permutes_the_gradient(P, labels, rng):
    order = rng.permutation(N)
    Y = rng.normal(size=(N, 2))
    shuffled = make(P[np.ix_(order, order)], labels[order], 0.01).evaluate(Y[order])
    plain = make(P, labels, 0.01).evaluate(Y)
    np.testing.assert_allclose(shuffled.gradient, plain.gradient[order], atol=1e-15)
    assert shuffled.value == pytest.approx(plain.value, abs=1e-13)
