"""JEDI's objective against a dense reference and finite differences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from scipy.spatial.distance import jensenshannon

from reference import jedi as reference
from unprior.affinities import Affinities
from unprior.objectives import DataDivergence, JEDIObjective, PriorDivergence, Problem
from unprior.priors import features

SETTINGS = [(0.0, 0.99), (0.0, 0.5), (0.3, 0.8), (0.5, 0.5), (1.0, 0.9), (1.0, 0.99)]


def random_affinities(rng, n, *, zeros=0.0):
    P = rng.random((n, n)) * (rng.random((n, n)) >= zeros)
    P = P + P.T
    np.fill_diagonal(P, 0)
    return P / P.sum()


def make(P, priors, symmetry, skewness, *, sparse=False):
    matrix = csr_array(P) if sparse else P
    return JEDIObjective(
        DataDivergence(Affinities(matrix)),
        [PriorDivergence(Affinities(R), s, symmetry, skewness) for R, s in priors],
    )


@pytest.fixture
def problem(rng):
    n = 30
    P = random_affinities(rng, n, zeros=0.5)
    priors = [(random_affinities(rng, n, zeros=0.7), 1.0), (random_affinities(rng, n), 0.4)]
    return P, priors


@pytest.mark.parametrize(("symmetry", "skewness"), SETTINGS)
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_gradient_is_that_of_the_value(problem, rng, symmetry, skewness, n_components):
    P, priors = problem
    objective = make(P, priors, symmetry, skewness)
    Y = rng.normal(size=(len(P), n_components))
    gradient = objective.evaluate(Y).gradient
    step = 1e-5
    for i, d in [(0, 0), (7, n_components - 1), (29, 0)]:
        shift = np.zeros_like(Y)
        shift[i, d] = step
        up, down = objective.evaluate(Y + shift).value, objective.evaluate(Y - shift).value
        assert gradient[i, d] == pytest.approx((up - down) / (2 * step), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("symmetry", "skewness"), SETTINGS)
@pytest.mark.parametrize("sparse", [False, True])
def test_equals_the_dense_twin(problem, rng, symmetry, skewness, sparse):
    P, priors = problem
    Y = 3 * rng.normal(size=(len(P), 2))
    now = make(P, priors, symmetry, skewness, sparse=sparse).evaluate(Y)
    assert now.value == pytest.approx(
        reference.objective(Y, P, priors, symmetry, skewness), abs=1e-13
    )
    expected = reference.gradient(Y, P, priors, symmetry, skewness)
    np.testing.assert_allclose(now.gradient, expected, atol=1e-14)


def test_without_a_prior_it_is_tsne(problem, rng):
    P, _ = problem
    Y = rng.normal(size=(len(P), 2))
    now = make(P, [], 0.0, 0.99).evaluate(Y)
    Q, W = reference.map_affinities(Y)
    assert now.value == pytest.approx(reference.kl(P, Q), abs=1e-14)
    weights = 4 * (P - Q) * W
    np.testing.assert_allclose(
        now.gradient, weights.sum(axis=1)[:, None] * Y - weights @ Y, atol=1e-15
    )


def test_strength_zero_is_no_prior(problem, rng):
    P, priors = problem
    Y = rng.normal(size=(len(P), 2))
    without, zero = make(P, [], 0.0, 0.99), make(P, [(priors[0][0], 0.0)], 0.0, 0.99)
    np.testing.assert_array_equal(without.evaluate(Y).gradient, zero.evaluate(Y).gradient)


def test_exaggeration_multiplies_attraction_alone_and_leaves_the_value(problem, rng):
    P, priors = problem
    objective = make(P, priors, 0.0, 0.99)
    Y = rng.normal(size=(len(P), 2))
    plain, exaggerated = objective.evaluate(Y), objective.evaluate(Y, exaggeration=12.0)
    assert exaggerated.value == plain.value
    np.testing.assert_allclose(
        exaggerated.gradient - plain.gradient, 11 * reference.attraction(Y, P), atol=1e-14
    )


def test_emphasis_multiplies_the_strengths_alone_and_leaves_the_value(problem, rng):
    P, priors = problem
    Y = rng.normal(size=(len(P), 2))
    now = make(P, priors, 0.2, 0.9)
    stronger = make(P, [(R, 2 * s) for R, s in priors], 0.2, 0.9)
    assert now.evaluate(Y, emphasis=2.0).value == now.evaluate(Y).value
    np.testing.assert_allclose(
        now.evaluate(Y, emphasis=2.0).gradient, stronger.evaluate(Y).gradient, atol=1e-16
    )


def test_coincident_samples_and_far_ones_stay_finite(problem):
    P, priors = problem
    objective = make(P, priors, 0.5, 0.99)
    for Y in (np.zeros((len(P), 2)), 1e6 * np.arange(2.0 * len(P)).reshape(-1, 2)):
        now = objective.evaluate(Y)
        assert np.isfinite(now.value)
        assert np.isfinite(now.gradient).all()


def test_permuting_the_samples_permutes_the_gradient(problem, rng):
    P, priors = problem
    order = rng.permutation(len(P))
    Y = rng.normal(size=(len(P), 2))
    shuffled = make(
        P[np.ix_(order, order)], [(R[np.ix_(order, order)], s) for R, s in priors], 0.2, 0.9
    ).evaluate(Y[order])
    plain = make(P, priors, 0.2, 0.9).evaluate(Y)
    np.testing.assert_allclose(shuffled.gradient, plain.gradient[order], atol=1e-15)
    assert shuffled.value == pytest.approx(plain.value, abs=1e-13)


@settings(max_examples=60)
@given(
    R=arrays(float, (6, 6), elements=st.floats(0, 1)),
    Y=arrays(float, (6, 2), elements=st.floats(-50, 50)),
    symmetry=st.floats(0, 1),
    skewness=st.floats(0.01, 0.999),
)
def test_the_divergence_is_bounded(R, Y, symmetry, skewness):
    """The paper's theorem: 0 ≤ pJSD ≤ −log(1−β), and so always finite."""
    R = R + R.T
    np.fill_diagonal(R, 0)
    R[0, 1] = R[1, 0] = R[0, 1] + 1e-3
    R /= R.sum()
    prior = PriorDivergence(Affinities(R), 1.0, symmetry, skewness)
    space = np.hstack([Y, np.zeros((6, 1))])
    _, W = reference.map_affinities(Y)
    divergence = prior.repel(space, W.sum()).divergence
    assert -1e-12 <= divergence <= -np.log1p(-skewness) + 1e-12
    Q = W / W.sum()
    assert divergence == pytest.approx(reference.pjsd(R, Q, symmetry, skewness), abs=1e-10)


def test_in_the_middle_it_is_the_jensen_shannon_divergence(rng):
    R, Y = random_affinities(rng, 12, zeros=0.5), rng.normal(size=(12, 2))
    _, W = reference.map_affinities(Y)
    prior = PriorDivergence(Affinities(R), 1.0, symmetry=0.5, skewness=0.5)
    found = prior.repel(np.hstack([Y, np.zeros((12, 1))]), W.sum()).divergence
    assert found == pytest.approx(jensenshannon(R.ravel(), W.ravel()) ** 2, abs=1e-12)


@pytest.mark.parametrize(("symmetry", "skewness"), SETTINGS)
@pytest.mark.parametrize("sparse", [False, True])
def test_near_the_origin_the_forces_are_linear(problem, rng, symmetry, skewness, sparse):
    P, priors = problem
    objective = make(P, priors, symmetry, skewness, sparse=sparse)
    Y = 1e-4 * rng.normal(size=(len(P), 2))
    pulls = objective.pulls_at_origin(emphasis=1.5)
    expected = 4 * (pulls.sum(axis=1)[:, None] * Y - pulls @ Y)
    gradient = objective.evaluate(Y, emphasis=1.5).gradient
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_array_equal(objective.pulls_at_origin(), objective.pulls_at_origin(1.0))


def test_broad_affinities_count_only_when_asked_for(problem, rng):
    P, priors = problem
    wide = DataDivergence(Affinities(random_affinities(rng, len(P))))
    plain, broad = make(P, priors, 0.5, 0.5), make(P, priors, 0.5, 0.5)
    broad = replace(broad, broad=wide)
    Y = rng.normal(size=(len(P), 2))
    assert broad.evaluate(Y).value == plain.evaluate(Y).value
    assert broad.evaluate(Y, broad=True).value != plain.evaluate(Y).value


@pytest.mark.parametrize("drawn", ["data", "priors"])
def test_an_objective_by_draws_has_no_pulls_at_the_origin(problem, drawn):
    objective = replace(make(*problem, 0.5, 0.5), **{drawn: [None] if drawn == "priors" else None})
    with pytest.raises(TypeError, match=r"^pulls_at_origin: takes an objective over all pairs"):
        objective.pulls_at_origin()


def test_a_problem_has_the_samples_of_its_data(rng):
    problem = Problem(features(rng.normal(size=(40, 2))), [], 5.0, 5.0, 0.0, 0.99)
    assert problem.n_samples == 40
    assert problem.part(np.arange(10)).n_samples == 10
