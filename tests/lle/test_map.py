import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import svd
from scipy.sparse import csr_matrix

from reference.lle import bottom
from unprior.lle import _map
from unprior.lle._map import bottom_vectors, stays_sparse


def random_weights(n, k, rng):
    """Rows that sum to one, on k random neighbours."""
    W = np.zeros((n, n))
    for i in range(n):
        near = rng.choice(np.delete(np.arange(n), i), k, replace=False)
        W[i, near] = rng.uniform(0.1, 1, k)
    return W / W.sum(axis=1, keepdims=True)


@pytest.fixture(params=["dense", "sparse"])
def solver(request, monkeypatch):
    monkeypatch.setattr(_map, "stays_sparse", lambda n, k: request.param == "sparse")


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("few", [0, 300])
@pytest.mark.parametrize(("n", "k"), [(50, 2), (80, 4), (80, 30)])
def test_vectors_equal_the_slow_ones(rng, monkeypatch, n, k, few):
    monkeypatch.setattr(_map, "FEW", few)
    W = random_weights(n, k, rng)
    errors, vectors = bottom_vectors(csr_matrix(W), 2, np.random.RandomState(0))
    slow_errors, slow = bottom(W, 2)
    np.testing.assert_allclose(errors, slow_errors, atol=1e-10)
    slow *= np.sign((slow * vectors).sum(axis=0))
    np.testing.assert_allclose(vectors, slow, atol=1e-7)


@pytest.mark.usefixtures("solver")
def test_a_graph_in_parts_gives_each_part_its_place(rng):
    W = np.zeros((60, 60))
    for part in (slice(0, 20), slice(20, 40), slice(40, 60)):
        W[part, part] = random_weights(20, 5, rng)
    errors, vectors = bottom_vectors(csr_matrix(W), 2, np.random.RandomState(0))
    np.testing.assert_allclose(errors, 0, atol=1e-12)
    places = vectors[[0, 20, 40]]
    np.testing.assert_allclose(vectors, np.repeat(places, 20, axis=0), atol=1e-7)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(2), atol=1e-10)
    assert np.linalg.norm(places[0] - places[1]) > 0.1


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("few", [0, 300])
def test_more_parts_than_dimensions_end_the_search_too(rng, monkeypatch, few):
    monkeypatch.setattr(_map, "FEW", few)
    monkeypatch.setattr(_map, "ROUNDS", 30)
    rounds = []
    monkeypatch.setattr(
        _map, "svd", lambda *args, **options: rounds.append(1) or svd(*args, **options)
    )
    W = np.zeros((100, 100))
    for start in range(0, 100, 20):
        part = slice(start, start + 20)
        W[part, part] = random_weights(20, 5, rng)
    errors, vectors = bottom_vectors(csr_matrix(W), 2, np.random.RandomState(0))
    assert len(rounds) < 30
    np.testing.assert_allclose(errors, 0, atol=1e-12)
    np.testing.assert_allclose(vectors, np.repeat(vectors[::20], 20, axis=0), atol=1e-7)


@settings(max_examples=20)
@given(st.integers(5, 30), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_maps_are_centred_orthonormal_and_of_fixed_sign(n, n_components, seed):
    W = csr_matrix(random_weights(n, 3, np.random.default_rng(seed)))
    errors, Y = bottom_vectors(W, n_components, np.random.RandomState(0))
    np.testing.assert_allclose(Y.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(Y.T @ Y, np.eye(n_components), atol=1e-10)
    assert (np.diff(errors) >= 0).all()
    assert (errors >= 0).all()
    assert (Y.max(axis=0) == np.abs(Y).max(axis=0)).all()


def test_where_the_search_starts_does_not_matter(rng):
    W = csr_matrix(random_weights(50, 5, rng))
    a, b = (bottom_vectors(W, 2, np.random.RandomState(seed))[1] for seed in (0, 1))
    np.testing.assert_allclose(a, b, atol=1e-8)


def test_few_neighbors_of_many_samples_stay_sparse():
    assert stays_sparse(10_000, 15)
    assert not stays_sparse(10_000, 5000)
    assert not stays_sparse(500, 4)
