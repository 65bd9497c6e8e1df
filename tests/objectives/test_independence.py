"""The Lagrangian of independence: value against slow references, gradient by finite differences."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from reference.independence import level
from unprior import priors
from unprior.affinities import Affinities
from unprior.affinities._similarity import similarity_of
from unprior.forces import SoftNeighbors
from unprior.objectives import DataDivergence, IndependenceObjective

N, SCALE = 30, 1.4
RNG = np.random.default_rng(0)
PRIORS = [priors.labels(RNG.choice(3, N, p=[0.7, 0.2, 0.1])), priors.features(RNG.normal(size=N))]
MULTIPLIERS = (2.0, -0.7)


def random_affinities(rng):
    P = rng.random((N, N)) * (rng.random((N, N)) > 0.5)
    P = P + P.T
    np.fill_diagonal(P, 0)
    return P / P.sum()


P, BROAD = random_affinities(RNG), random_affinities(RNG)


@pytest.fixture
def objective():
    return IndependenceObjective(
        DataDivergence(Affinities(csr_array(P))),
        [SoftNeighbors.of(similarity_of(p), np.random.RandomState(0)) for p in PRIORS],
        MULTIPLIERS,
        SCALE,
        broad=DataDivergence(Affinities(csr_array(BROAD))),
    )


def divergence(Y, P):
    """KL(P‖Q) by its definition."""
    W = 1 / (1 + np.square(Y[:, None] - Y).sum(axis=2))
    np.fill_diagonal(W, 0)
    Q, linked = W / W.sum(), P > 0
    return float(np.sum(P[linked] * np.log(P[linked] / Q[linked])))


def lagrangian(Y, P=P, multipliers=MULTIPLIERS):
    """The value by plain loops."""
    value = divergence(Y, P)
    for prior, multiplier in zip(PRIORS, multipliers, strict=True):
        found = similarity_of(prior)
        i, j = np.divmod(np.arange(N * N), N)
        value += multiplier * level(Y, found.pairs(i, j).reshape(N, N), SCALE)
    return value


def slopes(value, Y, places, step=1e-5):
    for i, axis in places:
        shift = np.zeros_like(Y)
        shift[i, axis] = step
        yield (value(Y + shift) - value(Y - shift)) / (2 * step)


@pytest.mark.parametrize("n_components", [1, 2, 3])
@pytest.mark.parametrize("broad", [False, True])
def test_value_and_gradient(objective, n_components, broad):
    Y = 2 * np.random.default_rng(1).normal(size=(N, n_components))
    now = objective.evaluate(Y, broad=broad)
    affinities = BROAD if broad else P
    assert now.value == pytest.approx(lagrangian(Y, affinities), rel=1e-5)
    assert now.gradient.shape == Y.shape
    places = [(0, 0), (7, n_components - 1), (N - 1, 0)]
    wanted = [*slopes(lambda Y: lagrangian(Y, affinities), Y, places)]
    found = [now.gradient[place] for place in places]
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5)


def test_emphasis_enlarges_priors_and_exaggeration_attraction(objective):
    Y = 2 * np.random.default_rng(1).normal(size=(N, 2))
    plain = replace(objective, multipliers=(0.0, 0.0))
    data, both = plain.evaluate(Y).gradient, objective.evaluate(Y).gradient
    doubled = objective.evaluate(Y, emphasis=2.0).gradient
    np.testing.assert_allclose(doubled - data, 2 * (both - data), atol=1e-10)
    pull = plain.evaluate(Y, exaggeration=2.0).gradient - data
    again = plain.evaluate(Y, exaggeration=3.0).gradient - data
    np.testing.assert_allclose(again, 2 * pull, atol=1e-10)
    assert objective.evaluate(Y, 3.0, 2.0).value == objective.evaluate(Y).value


def test_a_multiplier_of_zero_costs_nothing(objective):
    class Expensive:
        def sums(self, *_):
            raise AssertionError

    Y = np.random.default_rng(1).normal(size=(N, 2))
    free = replace(objective, priors=[Expensive(), Expensive()], multipliers=(0.0, 0.0))
    assert free.evaluate(Y).value == pytest.approx(divergence(Y, P))


def test_without_priors_it_is_tsne():
    Y = 2 * np.random.default_rng(1).normal(size=(N, 2))
    now = IndependenceObjective(DataDivergence(Affinities(csr_array(P)))).evaluate(Y, broad=True)
    assert now.value == pytest.approx(divergence(Y, P))
    wanted = [*slopes(lambda Y: divergence(Y, P), Y, [(3, 1)])]
    assert now.gradient[3, 1] == pytest.approx(wanted[0], rel=1e-6)


def test_every_prior_needs_a_multiplier(objective):
    with pytest.raises(ValueError, match="zip"):
        replace(objective, multipliers=(0.0,)).evaluate(np.zeros((N, 2)))
