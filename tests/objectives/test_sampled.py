"""Sums over draws are sums over all pairs, on average."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist

from unprior import priors
from unprior._threads import compiled_threads
from unprior.affinities import (
    affinity_strata,
    dense_affinities,
    estimate_bandwidths,
    prior_affinities,
)
from unprior.forces import exact_field
from unprior.objectives import (
    DataDivergence,
    PriorDivergence,
    Problem,
    WeightedPrior,
    exact_objective,
    sampled_objective,
)
from unprior.objectives._sampled import (
    ClassPairs,
    DistancePairs,
    LikelyPartners,
    NearPartners,
    PointPairs,
    SampledAttraction,
    SampledDivergence,
    curve_positions,
    estimate_sums,
)

N, PERPLEXITY, ROUNDS = 120, 12.0, 400

#: Few, so that not all pairs are drawn.
N_DRAWS = 10


def every_prior():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(N, 3))
    return {
        "features": priors.features(Z),
        "cosine": priors.features(Z, metric="cosine"),
        "manhattan": priors.features(Z, metric="manhattan"),
        "geo": priors.geo(rng.uniform(-80, 80, N), rng.uniform(-180, 180, N)),
        "cyclic": priors.cyclic(rng.uniform(0, 24, N), 24),
        "distances": priors.distances(cdist(Z, Z)),
        "tree": priors.tree(linkage(Z, "average")),
        "labels": priors.labels(rng.choice(list("abc"), N)),
        "lonely labels": priors.labels(["alone", *rng.choice(list("ab"), N - 1)]),
    }


@pytest.fixture(params=every_prior())
def prior(request):
    return every_prior()[request.param]


@pytest.fixture
def space(rng):
    Y = np.zeros((N, 3))
    Y[:, :2] = 2 * rng.normal(size=(N, 2))
    return Y


def terms(prior):
    """The sampled solver's form of a prior: affinities of pairs, and partners to draw."""
    if isinstance(prior, priors.Labels):
        return ClassPairs.of(prior.codes), NearPartners.of(prior.codes)
    pairs, _ = data_terms(prior, PERPLEXITY)
    return pairs, NearPartners.of(np.zeros(prior.n_samples, dtype=int))


def data_terms(data, perplexity):
    """Its form of the data, before affinities are scaled to a sum of one."""
    rng = np.random.RandomState(0)
    bandwidths = estimate_bandwidths(data, perplexity, rng)
    points = data.points()
    pairs = DistancePairs(data, bandwidths) if points is None else PointPairs(points, bandwidths)
    return pairs, LikelyPartners(affinity_strata(data, bandwidths, rng))


def agrees(estimates, expected):
    """Whether the mean of many estimates agrees with the true value within its standard error."""
    estimates = np.asarray(estimates)
    error = estimates.std(axis=0) / np.sqrt(len(estimates))
    expected = np.broadcast_to(expected, error.shape)
    z = (estimates.mean(axis=0) - expected)[error > 0] / error[error > 0]
    np.testing.assert_allclose(estimates.mean(axis=0)[error == 0], expected[error == 0], atol=1e-9)
    return np.sqrt((z**2).mean()) < 1.25 if z.size > 3 else np.abs(z).max() < 4.5


@pytest.mark.compiled
@pytest.mark.parametrize("symmetry", [0.0, 0.3])
def test_the_prior_forces_are_unbiased(prior, space, symmetry):
    normalizer = exact_field(space).normalizer
    exact = PriorDivergence(prior_affinities(prior, PERPLEXITY), 1.0, symmetry, 0.99).repel(
        space, normalizer
    )
    drawn = SampledDivergence(*terms(prior), 1.0, symmetry, 0.99, seed=1, n_draws=N_DRAWS)
    estimates = [drawn.repel(space, normalizer) for _ in range(ROUNDS)]
    assert agrees([e.force for e in estimates], exact.force)
    assert agrees([e.mean_slope for e in estimates], exact.mean_slope)
    assert agrees([e.divergence for e in estimates], exact.divergence)


@pytest.mark.compiled
def test_the_attraction_is_unbiased(space):
    data = every_prior()["features"]
    exact = DataDivergence(dense_affinities(data, PERPLEXITY))
    drawn = SampledAttraction.of(*data_terms(data, PERPLEXITY), seed=1)
    force, log_kernel = exact.attract(space)
    estimates = [drawn.attract(space) for _ in range(ROUNDS)]
    assert agrees([e[0] for e in estimates], force)
    assert agrees([e[1] for e in estimates], log_kernel)
    assert drawn.log_mean == pytest.approx(exact.affinities.log_mean, rel=0.05)
    assert drawn.value(log_kernel, 90.0) == pytest.approx(exact.value(log_kernel, 90.0), abs=0.2)


def test_partners_know_how_many_samples_there_are(prior):
    assert terms(prior)[1].n_samples == N
    assert data_terms(prior, PERPLEXITY)[1].n_samples == N


def test_draws_are_fresh_and_repeatable(prior, space):
    first, again = (
        SampledDivergence(*terms(prior), 1.0, 0.0, 0.99, seed=1, n_draws=N_DRAWS) for _ in range(2)
    )
    one, two = first.repel(space, 100.0), first.repel(space, 100.0)
    assert not np.array_equal(one.force, two.force)
    np.testing.assert_array_equal(one.force, again.repel(space, 100.0).force)
    other = SampledDivergence(*terms(prior), 1.0, 0.0, 0.99, seed=2, n_draws=N_DRAWS)
    assert not np.array_equal(one.force, other.repel(space, 100.0).force)


def test_the_bits_do_not_depend_on_the_threads(prior, space):
    forces = []
    for n_jobs in (1, 2):
        with compiled_threads(n_jobs):
            drawn = SampledDivergence(*terms(prior), 1.0, 0.0, 0.99, seed=1)
            forces.append(drawn.repel(space, 100.0).force)
    np.testing.assert_array_equal(*forces)


def noise_like(n):
    """Features in which no direction stands out."""
    return priors.features(np.random.default_rng(0).normal(size=(n, 10)))


@pytest.mark.compiled
def test_bandwidths_from_a_part_of_the_samples_give_affinities_that_sum_to_one(monkeypatch):
    """They enter as 1 / total, so that their errors do not cancel."""
    monkeypatch.setattr("unprior.affinities._sampled.LEAST", 400)
    monkeypatch.setattr("unprior.affinities._sampled.EFFECTIVE", 20)
    prior = noise_like(2000)
    raw, partners = data_terms(prior, 200.0)
    assert abs(estimate_sums(raw, partners, seed=1)[0] - 1) > 0.02
    problem = Problem(prior, [WeightedPrior(prior, 1.0)], 400.0, 200.0, 0.0, 0.99)
    drawn = sampled_objective(problem, 2, np.random.RandomState(0), None)
    for pairs, perplexity in ((drawn.data.pairs, 400.0), (drawn.priors[0].pairs, 200.0)):
        total, log_mean = estimate_sums(pairs, partners, seed=1)
        assert total == pytest.approx(1, abs=0.01)
        exact = dense_affinities(prior, perplexity).log_mean
        assert log_mean == pytest.approx(exact, abs=0.1)


@pytest.mark.compiled
def test_with_more_samples_than_columns_the_forces_are_those_of_all_pairs(monkeypatch):
    monkeypatch.setattr("unprior.affinities._sampled.LEAST", 600)
    monkeypatch.setattr("unprior.affinities._sampled.EFFECTIVE", 60)
    prior = noise_like(1200)
    problem = Problem(prior, [WeightedPrior(prior, 1.0)], 240.0, 120.0, 0.0, 0.99)
    Y = np.zeros((1200, 3))
    Y[:, :2] = 3 * np.random.default_rng(1).normal(size=(1200, 2))
    normalizer = exact_field(Y).normalizer
    exact = exact_objective(problem).priors[0].repel(Y, normalizer)
    drawn = sampled_objective(problem, 2, np.random.RandomState(0), None).priors[0]
    estimates = [drawn.repel(Y, normalizer) for _ in range(60)]
    assert np.mean([e.mean_slope for e in estimates]) == pytest.approx(exact.mean_slope, rel=0.01)
    error = np.mean([e.force for e in estimates], axis=0) - exact.force
    assert np.linalg.norm(error) < 0.08 * np.linalg.norm(exact.force)


def likely(values, perplexity):
    prior = priors.features(values)
    random = np.random.RandomState(0)
    return LikelyPartners(
        affinity_strata(prior, estimate_bandwidths(prior, perplexity, random), random)
    )


def in_space(Y):
    return np.column_stack([Y, np.zeros((len(Y), 3 - Y.shape[1]))])


@pytest.mark.parametrize("kind", ["likely", "near"])
def test_every_sample_counts_once_on_average(rng, kind):
    """Sums of any function over draws are, on average, its sums over all samples."""
    Y = in_space(3 * rng.normal(size=(60, 2)))
    partners = likely(Y[:, :2], 10.0) if kind == "likely" else NearPartners.of(np.zeros(60, int))
    values = rng.normal(size=60)
    sums = []
    for number in range(400):
        drawn, weights = partners.draw(Y, 8, 1, number)
        sums.append((weights * values[drawn]).sum(axis=1))
    error = np.std(sums, axis=0) / np.sqrt(len(sums))
    z = (np.mean(sums, axis=0) - values.sum()) / error
    assert 0.7 < np.sqrt((z**2).mean()) < 1.3


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=6),
    n_draws=st.integers(1, 30),
    seed=st.integers(0, 2**31 - 1),
)
def test_groups_draw_from_themselves(sizes, n_draws, seed):
    groups = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    Y = in_space(np.random.default_rng(seed).normal(size=(len(groups), 2)))
    drawn, weights = NearPartners.of(groups).draw(Y, n_draws, seed, 0)
    assert (groups[drawn] == groups[:, None]).all()
    small = np.array(sizes)[groups] <= n_draws
    # A small group is taken completely.
    np.testing.assert_allclose(weights[small].sum(axis=1), np.array(sizes)[groups][small])
    for i in np.flatnonzero(small):
        assert sorted(drawn[i][weights[i] > 0]) == list(np.flatnonzero(groups == groups[i]))


def test_near_partners_are_drawn_more_often(rng):
    Y = in_space(10 * rng.uniform(-1, 1, size=(2000, 2)))
    drawn, weights = NearPartners.of(np.zeros(2000, int)).draw(Y, 40, 0, 0)
    apart = np.linalg.norm(Y[drawn] - Y[:, None], axis=2)
    assert (apart < 3).mean() > 0.25  # drawn uniformly it would be 0.06
    assert weights.sum(axis=1).mean() == pytest.approx(2000, rel=0.01)


@pytest.mark.compiled
def test_likely_partners_are_drawn_more_often(rng):
    line = np.sort(rng.normal(size=2000))
    drawn, _ = likely(line, 100.0).draw(in_space(line[:, None]), 20, 0, 0)
    near = np.abs(drawn - np.arange(2000)[:, None]) < 200
    assert near.mean() > 0.6  # drawn uniformly it would be 0.2


def test_many_classes_take_memory_of_the_samples_alone():
    """Two thousand classes: a table of classes by classes would have four million entries."""
    import tracemalloc

    groups = np.arange(10_000) % 2000
    Y = in_space(np.random.default_rng(0).normal(size=(10_000, 2)))
    partners = NearPartners.of(groups)
    partners.draw(Y, 10, 0, 0)  # compiled
    tracemalloc.start()
    partners.draw(Y, 10, 0, 1)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8e6


def test_neighbours_on_the_curve_are_neighbours_in_the_map(rng):
    Y = in_space(rng.uniform(size=(1000, 2)))
    order = np.argsort(curve_positions(Y))
    steps = np.linalg.norm(np.diff(Y[order], axis=0), axis=1)
    assert steps.mean() < 0.1  # without an order it would be 0.52


def test_the_curve_goes_from_corner_to_corner():
    line = np.repeat(np.linspace(-3, 5, 40)[:, None], 3, axis=1)
    assert (np.diff(curve_positions(line)) > 0).all()
