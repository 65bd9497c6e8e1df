from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from reference.confetti import nearest
from unprior import priors
from unprior.neighbors import _exact, find_neighbors


@given(st.integers(2, 25), st.data(), st.integers(0, 10**6))
def test_equals_sorting_every_row(n, data, seed):
    k = data.draw(st.integers(1, n - 1))
    # Few distinct coordinates make ties, of all lengths down to zero.
    Z = priors.features(np.random.default_rng(seed).integers(0, 4, size=(n, 2)).astype(float))
    graph = find_neighbors(Z, k)
    indices, distances = nearest(Z.to_array(), k)
    np.testing.assert_array_equal(graph.indices, indices)
    np.testing.assert_array_equal(graph.distances, distances)


def test_equals_sklearn():
    X = np.random.default_rng(0).normal(size=(300, 5))
    graph = find_neighbors(priors.features(X), 15)
    distances, indices = NearestNeighbors(n_neighbors=15).fit(X).kneighbors()
    np.testing.assert_array_equal(graph.indices, indices)
    np.testing.assert_allclose(graph.distances, distances)


@pytest.mark.parametrize("entries", [1, 300, 1000])
def test_does_not_depend_on_blocks_and_threads(monkeypatch, entries):
    X = priors.features(np.random.default_rng(1).normal(size=(97, 3)))
    whole = find_neighbors(X, 7)
    monkeypatch.setattr(_exact, "BLOCK_ENTRIES", entries)
    for n_jobs in (1, 2):
        parts = find_neighbors(X, 7, n_jobs=n_jobs)
        np.testing.assert_array_equal(parts.indices, whole.indices)
        np.testing.assert_array_equal(parts.distances, whole.distances)


def test_leaves_a_given_matrix_alone():
    D = priors.features(np.random.default_rng(2).normal(size=(20, 2))).to_array()
    before = D.copy()
    find_neighbors(priors.distances(D), 3)
    np.testing.assert_array_equal(D, before)


def test_float32_distances_come_out_in_double_precision():
    D = priors.features(np.random.default_rng(2).normal(size=(20, 2))).to_array()
    graph = find_neighbors(priors.distances(D.astype(np.float32)), 3)
    assert graph.distances.dtype == np.float64
    np.testing.assert_allclose(graph.distances, nearest(D, 3)[1], rtol=1e-6)


def test_shows_progress_when_asked(capsys):
    find_neighbors(priors.features(np.arange(9.0)), 2, verbose=1)
    shown = capsys.readouterr().err
    assert "neighbours" in shown
    assert "9/9" in shown


@pytest.mark.parametrize("k", [0, 5, 2.0])
def test_refuses_more_neighbors_than_there_are(k):
    with pytest.raises(ValueError, match=r"'k' takes a whole number in \[1, 4\]; got"):
        find_neighbors(priors.features(np.arange(5.0)), k)
