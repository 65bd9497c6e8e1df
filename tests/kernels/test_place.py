"""Objectives that place new samples, their gradients, and the descent."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from reference import placed
from unprior.kernels._balance_new import _nearest_by_shares, balanced_rows
from unprior.kernels._descend import advance, begin
from unprior.kernels._perplexity import conditional_rows
from unprior.kernels._place_jedi import evaluate as evaluate_jedi
from unprior.kernels._place_tsne import evaluate as evaluate_tsne
from unprior.kernels._place_umap import add_reverse, fuzzy_weights
from unprior.kernels._place_umap import evaluate as evaluate_umap
from unprior.kernels._to_fitted import euclidean_distances, multiply_rows, nearest_rows

N = 40


@pytest.fixture
def places(rng):
    return rng.normal(scale=3, size=(3, N)).astype(np.float32)


def same_slope(value, y, gradient, rtol):
    slope = approx_fprime(y, value, 1e-6)
    np.testing.assert_allclose(gradient, slope, rtol=rtol, atol=rtol * np.abs(slope).max())


def test_tsne(rng, places):
    y, affinities = rng.normal(size=3), rng.dirichlet(np.ones(N))
    known, gradient = rng.normal(size=N).astype(np.float32), np.empty(3)
    push, scale, farthest = 0.4, 1.7, 20.0

    def value(y):
        return placed.tsne(y, places.T.astype(float), affinities, push, known, scale, farthest)

    task = np.float32(push), known, np.float32(1 / scale**2), np.float32(farthest)
    found = evaluate_tsne(y, places, np.arange(N), affinities, *task, gradient)
    assert found == pytest.approx(value(y), rel=1e-5)
    same_slope(value, y, gradient, 1e-4)


@pytest.mark.parametrize("symmetry", [0.0, 0.5])
def test_jedi(rng, places, symmetry):
    y, affinities, gradient = rng.normal(size=3), rng.dirichlet(np.ones(N)), np.empty(3)
    known = rng.dirichlet(np.ones(N), size=2) * (rng.random((2, N)) < 0.6)
    strengths, shape = np.array([1.0, 0.3]), (300.0, 0.2, symmetry, 0.9)

    def value(y):
        return placed.jedi(y, places.T.astype(float), affinities, known, strengths, shape)

    found = evaluate_jedi(y, places, affinities, known, strengths, shape, gradient)
    assert found == pytest.approx(value(y), rel=1e-5)
    same_slope(value, y, gradient, 1e-4)


def test_umap(rng):
    places = rng.normal(scale=3, size=(5, N)).astype(np.float32)
    y, weights, gradient = rng.normal(size=5), rng.random(N), np.empty(5)
    others, curve = places[:, ::2].copy(), (0.05, 1.58, 0.9)

    def value(y):
        return placed.umap(y, places.T.astype(float), weights, others.T.astype(float), *curve)

    found = evaluate_umap(y, places, np.arange(N), weights, others, *curve, gradient)
    assert found == pytest.approx(value(y), rel=1e-5)
    same_slope(value, y, gradient, 1e-4)


def test_edges_from_fitted_samples_join_those_of_new_ones(rng):
    distances, reach = rng.random((3, 30)), rng.random(30) / 2
    near, lengths = nearest_rows(distances, 4)
    weights, rhos, sigmas = fuzzy_weights(lengths), reach / 2, rng.random(30)
    indices, values = add_reverse(near, weights, distances, rhos, sigmas, reach, 20)
    back = np.exp(-np.maximum(distances - rhos, 0) / sigmas) * (distances <= reach)
    for i in range(3):
        own, found = np.zeros(30), np.zeros(30)
        own[near[i]] = weights[i]
        np.add.at(found, indices[i], values[i])
        np.testing.assert_allclose(found, own + back[i] - own * back[i], rtol=1e-12)
    _, few = add_reverse(near, weights, distances, rhos, sigmas, reach, 2)
    for i in range(3):
        others = np.delete(back[i], near[i])
        np.testing.assert_allclose(np.sort(few[i, 4:]), np.sort(others)[-2:])


@pytest.mark.parametrize("dim", [1, 3, 6])
def test_the_descent_ends_where_scipys_does(rng, dim):
    turn = rng.normal(size=(dim, dim))
    curved, pull = turn @ turn.T + np.eye(dim), rng.normal(size=dim)

    def value(y):
        return y @ curved @ y / 2 + pull @ y + 0.1 * np.cos(y).sum()

    state, done = begin(rng.normal(size=dim)), False
    while not done:
        y = state[:dim].copy()
        done = advance(state, value(y), curved @ y + pull - 0.1 * np.sin(y))
    np.testing.assert_allclose(state[dim : 2 * dim], minimize(value, np.zeros(dim)).x, atol=1e-3)


@pytest.mark.parametrize("slope", [np.nan, np.inf, 1e200])
def test_the_descent_ends_where_no_number_is_left(slope):
    state = begin(np.zeros(2))
    for _ in range(100):
        if advance(state, slope, np.array([slope, 1.0])):
            break
    else:
        pytest.fail("it goes on for ever")
    assert np.isfinite(state[2:4]).all()


def test_distances_and_nearest(rng):
    new, fitted = (rng.normal(size=(n, 7)).astype(np.float32) for n in (5, 130))
    lines = np.empty((5, 130), dtype=np.float32)
    euclidean_distances(new, fitted, lines)
    expected = np.linalg.norm(new[:, None] - fitted, axis=2)
    np.testing.assert_allclose(lines, expected, rtol=1e-5)
    indices, lengths = nearest_rows(lines, 9)
    np.testing.assert_array_equal(indices, np.argsort(lines, axis=1)[:, :9])
    np.testing.assert_array_equal(lengths, np.sort(lines, axis=1)[:, :9])


def test_products_do_not_depend_on_other_rows(rng):
    rows, matrix = rng.normal(size=(37, 20)), rng.normal(size=(20, 6))
    whole = multiply_rows(rows, matrix)
    np.testing.assert_allclose(whole, rows @ matrix, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(multiply_rows(rows[11:12], matrix), whole[11:12])


def test_affinities_have_the_perplexity(rng):
    lengths = rng.random((4, 60)) * np.array([[1e-8], [1.0], [1.0], [1e8]])
    lengths[2, 30:] = np.inf
    found = conditional_rows(lengths, 10.0)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert not found[2, 30:].any()
    logs = np.log(found, where=found > 0, out=np.zeros_like(found))
    np.testing.assert_allclose(np.exp(-(found * logs).sum(axis=1)), 10, rtol=1e-4)


def test_balanced_neighbours_have_shares(rng):
    squares, groups = rng.random((3, 200)), np.repeat([0, 1, 2, 3], 50).astype(np.int32)
    squares[:, groups > 0] += 5  # all are near the first stratum only
    potentials = 0.1 * rng.random((1, 200, 5)).astype(np.float32)
    shares = np.tile([0.25, 0.25, 0.25, 0.25, 0.0], (3, 1, 1))
    mine, nobody = np.array([[0], [1], [2]], dtype=np.int32), np.full((1, 200), -1, np.int32)
    strata = groups[None], nobody, np.array([4])
    task = squares, 0.1, 20, mine, np.full((3, 1), -1, np.int32), shares, strata, potentials
    indices, left = balanced_rows(*task)
    for row in range(3):
        assert np.bincount(groups[indices[row]]).tolist() == [5, 5, 5, 5]
        back = potentials[0, :, mine[row, 0]]
        rest = placed.balanced(squares[row].copy(), 0.1, shares[row, 0], groups, back)
        np.testing.assert_allclose(left[row], rest[indices[row]], rtol=1e-4, atol=1e-6)
        for group in range(4):
            best = np.sort(rest[groups == group])[:5]
            chosen = rest[indices[row]][groups[indices[row]] == group]
            np.testing.assert_allclose(np.sort(chosen), best)


@pytest.mark.parametrize("room", [[3, 3, 3, 0], [0, 0, 9, 0], [-5, 2, 2**63 - 1, 0]])
def test_groups_never_take_more_places_than_there_are(rng, room):
    """Places beyond the k of a row belong to the next row, which another thread may write."""
    shifted, groups = rng.random(60), np.repeat([0, 1, 2], 20).astype(np.int32)
    indices, values = np.full(20, 77), np.full(20, 7.7)
    nobody, counts = np.full((1, 60), -1, np.int32), np.array([3])
    strata = groups[None], nobody, counts
    kept = _nearest_by_shares(shifted, np.array(room), -1, *strata, indices[:8], values[:8])
    assert kept == 8
    assert (indices[8:] == 77).all()
    assert (values[8:] == 7.7).all()
    np.testing.assert_array_equal(values[:8], shifted[indices[:8]])
    assert len({*indices[:8].tolist()}) == 8
