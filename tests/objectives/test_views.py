"""Views of the same samples: neighbours, affinities, whether they show a prior, and a start."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from unprior import priors
from unprior.affinities import sparse_affinities
from unprior.neighbors import find_neighbors
from unprior.objectives._views import (
    SPREAD,
    View,
    attraction,
    broad_perplexity,
    neighbors_of_perplexity,
)
from unprior.priors._left import PriorLeft


@pytest.fixture
def view(two_groups):
    return View.of(two_groups[0], "euclidean", 10.0, None)


def random_state(seed=0):
    return np.random.RandomState(seed)


@pytest.mark.parametrize("perplexity", [3.0, 10.0])
def test_affinities_are_those_of_a_search_of_their_own(view, perplexity):
    alone = sparse_affinities(find_neighbors(view.distances, int(3 * perplexity)), perplexity)
    np.testing.assert_allclose(
        view.affinities(perplexity).matrix.toarray(), alone.matrix.toarray(), rtol=1e-4, atol=1e-9
    )


def test_there_are_neighbours_enough_for_the_broad_steps(view):
    broad = broad_perplexity(view.graph.n_samples)
    assert broad > 10
    assert view.affinities(broad).matrix.nnz > view.affinities(10.0).matrix.nnz


@pytest.mark.parametrize("n", [4, 10, 50, 100, 400, 2000])
def test_a_broad_perplexity_is_one_that_the_samples_allow(n):
    assert 1 <= broad_perplexity(n) <= max(1, (n - 1) / 3)
    assert broad_perplexity(10 * n) >= broad_perplexity(n)


def test_very_many_samples_have_no_broad_perplexity():
    assert broad_perplexity(50_000) == 1


def test_the_pull_of_several_views_is_their_weighted_mean(view, two_groups, rng):
    other = View.of(rng.normal(size=(90, 3)), "euclidean", 10.0, None)
    Y = rng.normal(size=(90, 3))
    one, two, mixed = (
        attraction([view, other], weights, 10.0).attract(Y)[0]
        for weights in ([1, 0], [0, 1], [0.25, 0.75])
    )
    np.testing.assert_allclose(mixed, 0.25 * one + 0.75 * two, atol=1e-8)


@pytest.mark.parametrize("kind", ["labels", "number"])
def test_it_shows_what_the_data_hold_and_nothing_else(view, two_groups, kind):
    X, known, _ = two_groups
    values = known if kind == "labels" else X[:, 0]
    make = priors.labels if kind == "labels" else priors.features
    assert view.shows(PriorLeft.of(make(values), 15), random_state())
    permuted = [
        view.shows(PriorLeft.of(make(random_state(seed).permutation(values)), 15), random_state())
        for seed in range(20)
    ]
    assert sum(permuted) <= 2


@pytest.mark.parametrize("n_components", [1, 2, 3])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed", "cityblock"])
def test_a_start_is_small_centred_and_follows_the_data(two_groups, metric, n_components):
    X, _, _ = two_groups
    data = squareform(pdist(X)) if metric == "precomputed" else X
    start = View.of(data, metric, 10.0, None).start(n_components, random_state())
    assert start.shape == (90, n_components)
    np.testing.assert_allclose(start.mean(axis=0), 0, atol=1e-12)
    assert start.std() == pytest.approx(SPREAD, rel=0.1)
    assert np.corrcoef(pdist(start), pdist(X))[0, 1] > 0.5


def test_a_start_has_all_its_dimensions_where_the_data_have_fewer(rng):
    start = View.of(rng.normal(size=(30, 1)), "euclidean", 5.0, None).start(3, random_state())
    assert start.shape == (30, 3)
    assert (start.std(axis=0) > 0).all()


def test_samples_that_share_a_place_are_parted():
    X = np.repeat(np.arange(3.0), 10)[:, None] * [1.0, 2.0]
    start = View.of(X, "euclidean", 3.0, None).start(2, random_state())
    assert len(np.unique(start, axis=0)) == 30


@pytest.mark.compiled
@pytest.mark.parametrize("strength", [1.0, 0.5])
def test_a_balanced_view_has_the_prior_of_all(view, two_groups, strength):
    _, known, hidden = two_groups
    fair = view.balanced({"prior": priors.labels(known)}, [strength], None)
    assert fair.graph.indices.shape == view.graph.indices.shape
    assert fair.graph.indices.dtype == np.int32
    near = fair.graph.indices[:, :15]
    if strength < 1:
        assert (known[near] == known[:, None]).mean() > 0.6
        return
    # All its neighbours, of which the nearest are as near to the hidden groups.
    sizes = np.bincount(known)
    places = (known[fair.graph.indices][:, :, None] == np.arange(3)).mean(axis=1)
    wanted = (sizes - np.eye(3)[known]) / 89
    assert np.abs(places - wanted).max() < 1 / fair.graph.k + 1e-6
    assert (hidden[near] == hidden[:, None]).mean() > 0.8


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e-10, 1e10, 1e30, 1e200])
def test_the_unit_of_the_data_does_not_matter(view, two_groups, scale):
    D = squareform(pdist(two_groups[0]))
    scaled = View.of(scale * D, "precomputed", 10.0, None)
    assert np.isfinite(scaled.graph.distances).all()
    np.testing.assert_allclose(
        scaled.affinities(10.0).matrix.toarray(), view.affinities(10.0).matrix.toarray(), rtol=1e-3
    )
    plain = View.of(D, "precomputed", 10.0, None)
    starts = [each.start(2, random_state()) for each in (scaled, plain)]
    np.testing.assert_allclose(*starts, atol=1e-9)


def test_there_are_no_more_neighbours_than_other_samples():
    assert neighbors_of_perplexity(10.0, 31) == 30
    assert neighbors_of_perplexity(10.0, 30) == 29
    assert neighbors_of_perplexity(10.1, 1000) == 31
