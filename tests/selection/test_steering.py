"""JEDI that finds its strength: strengths follow what maps show, and the map shows nothing."""

from functools import partial

import numpy as np
import pytest

import unprior as up
from unprior.affinities import data_affinities, prior_affinities
from unprior.estimators._jedi_objective import Known
from unprior.objectives import DataDivergence, JEDIObjective, PriorDivergence
from unprior.selection import _steering as steering
from unprior.selection._steering import SteeredJEDI, SteeredObjective, Steering

#: A map of seven samples, classes that lie together on it, and classes that avoid each other.
LINE = np.arange(7.0)[:, None]
SEEN, SHUNNED = ["a"] * 4 + ["b"] * 3, ["a", "b"] * 3 + ["a"]


@pytest.fixture(scope="module")
def two_factor():
    return up.datasets.make_two_factor(200, random_state=0)


def steer(known, strengths, Y):
    """Let a steering see a map as often as it takes for one look, and return the strengths."""
    steered = Steering(known, strengths, np.random.RandomState(0), steering.FIRST_LOOK - 1)
    for _ in range(steering.EVERY):
        steered.see(Y)
    return steered.strengths


def test_a_strength_moves_by_what_the_map_shows():
    known = [up.priors.labels(codes) for codes in (SEEN, SHUNNED)]
    left = [up.scores.neighbor_coherence(LINE, prior, 2) for prior in known]
    assert left[0] > 0 > left[1]
    expected = [0.5 + steering.GAIN * left[0], 3 + steering.GAIN * left[1]]
    np.testing.assert_allclose(steer(known, [0.5, 3.0], LINE), expected)


@pytest.mark.parametrize(("codes", "limit"), [(SEEN, steering.MOST_STRENGTH), (SHUNNED, 0.0)])
def test_strengths_have_limits(codes, limit):
    assert steer([up.priors.labels(codes)], [limit], LINE) == [limit]


def test_maps_are_looked_at_now_and_then(two_factor):
    prior = up.priors.labels(two_factor.known)
    steered = Steering([prior], [1.0], np.random.RandomState(0))
    moved = []
    for count in range(1, steering.FIRST_LOOK + 2 * steering.EVERY):
        before = steered.strengths[0]
        steered.see(two_factor.X[:, :2])
        if steered.strengths[0] != before:
            moved.append(count)
    assert moved == [steering.FIRST_LOOK, steering.FIRST_LOOK + steering.EVERY]


def test_the_objective_is_jedis_at_the_strengths_of_now(two_factor, rng):
    data = DataDivergence(data_affinities(up.priors.features(two_factor.X), 20.0))
    affinities = prior_affinities(up.priors.labels(two_factor.known), 20.0)
    Y = rng.normal(size=(200, 2))
    steered = Steering([up.priors.labels(two_factor.known)], [0.7], rng)
    objective = partial(PriorDivergence, affinities, symmetry=0.0, skewness=0.99)
    now = SteeredObjective(data, [objective(strength=1.0)], steering=steered).evaluate(Y)
    plain = JEDIObjective(data, [objective(strength=0.7)]).evaluate(Y)
    assert now.value == plain.value
    np.testing.assert_array_equal(now.gradient, plain.gradient)


@pytest.mark.parametrize("solver", ["exact", "sampled"])
def test_nothing_of_the_prior_is_left(two_factor, solver):
    jedi = SteeredJEDI(perplexity=30, solver=solver, random_state=0)
    Y = jedi.fit_transform(two_factor.X, prior=two_factor.known)
    assert abs(up.scores.knn_purity(Y, two_factor.known)) < 0.08
    assert up.scores.knn_purity(Y, two_factor.hidden) > 0.8


@pytest.mark.parametrize("solver", ["exact", "sampled"])
def test_the_same_seed_gives_the_same_map(two_factor, solver):
    draw = partial(SteeredJEDI, solver=solver, n_iter=180, random_state=3)
    maps = [draw(n_jobs=k).fit_transform(two_factor.X, prior=two_factor.known) for k in (1, 2)]
    np.testing.assert_array_equal(*maps)


def test_several_priors_are_steered_together(two_factor, rng):
    prior = {"known": two_factor.known, "other": rng.permutation(two_factor.known)}
    Y = SteeredJEDI(perplexity=30, random_state=0).fit_transform(two_factor.X, prior=prior)
    assert max(abs(up.scores.knn_purity(Y, labels)) for labels in prior.values()) < 0.1


def test_a_view_seen_twice_counts_once(two_factor):
    def jedi():
        return SteeredJEDI(perplexity=10, n_iter=30, random_state=0)

    once = jedi().fit(two_factor.X, prior=two_factor.known).embedding_
    twice = jedi().fit_views([two_factor.X] * 2, prior=two_factor.known).embedding_
    np.testing.assert_array_equal(twice, once)


@pytest.mark.parametrize("solver", ["exact", "sampled"])
def test_views_count_alike(two_factor, rng, solver):
    views = [two_factor.X, rng.normal(size=(200, 3))]
    known = [Known(up.priors.labels(two_factor.known), 1.0)]
    jedi = SteeredJEDI(perplexity=10, solver=solver)
    jedi._resolve(200)

    def attraction(*some):
        jedi._beside = some[1:]
        return jedi._objective(jedi._problem(some[0], known), np.random.RandomState(0))

    objectives = both, first, second = [attraction(*some) for some in (views, *zip(views))]
    mean = (first.data.affinities.matrix + second.data.affinities.matrix) / 2
    assert abs(both.data.affinities.matrix - mean).max() == 0
    Y = rng.normal(size=(200, 2))
    broad = [np.mean([each.broad.attract(Y)[0] for _ in range(300)], axis=0) for each in objectives]
    np.testing.assert_allclose(broad[0], (broad[1] + broad[2]) / 2, rtol=0.1, atol=2e-5)
