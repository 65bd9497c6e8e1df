"""Sums over draws are sums over all pairs, on average."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist

from unprior import priors
from unprior._threads import compiled_threads
from unprior.affinities import (
    class_cells,
    dense_affinities,
    find_bandwidths,
    prior_affinities,
    prior_cells,
)
from unprior.objectives import (
    AnyPairs,
    ClassMates,
    DataDivergence,
    DrawnAttraction,
    DrawnDivergence,
    PointPairs,
    PriorDivergence,
)
from unprior.priors._points import points_of
from unprior.repulsion import exact_field

N, PERPLEXITY, ROUNDS = 120, 12.0, 400


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
    """What the sampled solver makes of a prior: affinities of pairs, and cells to draw from."""
    if isinstance(prior, priors.Labels):
        return ClassMates.of(prior), class_cells(prior)
    rng = np.random.RandomState(0)
    bandwidths = find_bandwidths(prior, PERPLEXITY, rng)
    points = points_of(prior)
    pairs = AnyPairs(prior, bandwidths) if points is None else PointPairs(points, bandwidths)
    return pairs, prior_cells(prior, bandwidths, rng)


def agrees(estimates, expected):
    """Whether the mean of many estimates lies where its standard error says."""
    estimates = np.asarray(estimates)
    error = estimates.std(axis=0) / np.sqrt(len(estimates))
    expected = np.broadcast_to(expected, error.shape)
    z = (estimates.mean(axis=0) - expected)[error > 0] / error[error > 0]
    np.testing.assert_allclose(estimates.mean(axis=0)[error == 0], expected[error == 0], atol=1e-9)
    return np.sqrt((z**2).mean()) < 1.25 if z.size > 3 else np.abs(z).max() < 4.5


@pytest.mark.parametrize("symmetry", [0.0, 0.3])
def test_the_prior_forces_are_unbiased(prior, space, symmetry):
    normalizer = exact_field(space).normalizer
    exact = PriorDivergence(prior_affinities(prior, PERPLEXITY), 1.0, symmetry, 0.99).repel(
        space, normalizer
    )
    drawn = DrawnDivergence(*terms(prior), 1.0, symmetry, 0.99, seed=1)
    estimates = [drawn.repel(space, normalizer) for _ in range(ROUNDS)]
    assert agrees([e.force for e in estimates], exact.force)
    assert agrees([e.mean_slope for e in estimates], exact.mean_slope)
    assert agrees([e.divergence for e in estimates], exact.divergence)


def test_the_attraction_is_unbiased(space):
    data = every_prior()["features"]
    exact = DataDivergence(dense_affinities(data, PERPLEXITY))
    drawn = DrawnAttraction.of(*terms(data), seed=1)
    force, log_kernel = exact.attract(space)
    estimates = [drawn.attract(space) for _ in range(ROUNDS)]
    assert agrees([e[0] for e in estimates], force)
    assert agrees([e[1] for e in estimates], log_kernel)
    assert drawn.log_mean == pytest.approx(exact.affinities.log_mean, rel=0.05)


def test_draws_are_fresh_and_repeatable(prior, space):
    first, again = (DrawnDivergence(*terms(prior), 1.0, 0.0, 0.99, seed=1) for _ in range(2))
    one, two = first.repel(space, 100.0), first.repel(space, 100.0)
    assert not np.array_equal(one.force, two.force)
    np.testing.assert_array_equal(one.force, again.repel(space, 100.0).force)
    other = DrawnDivergence(*terms(prior), 1.0, 0.0, 0.99, seed=2)
    assert not np.array_equal(one.force, other.repel(space, 100.0).force)


def test_the_bits_do_not_depend_on_the_threads(prior, space):
    forces = []
    for n_jobs in (1, 2):
        with compiled_threads(n_jobs):
            drawn = DrawnDivergence(*terms(prior), 1.0, 0.0, 0.99, seed=1)
            forces.append(drawn.repel(space, 100.0).force)
    np.testing.assert_array_equal(*forces)
