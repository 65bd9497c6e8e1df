"""UMAP's layout: reproducible, can be stopped, and handles unusual graphs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random_array

from unprior.kernels import _umap_layout as kernels
from unprior.optimize import _umap_layout
from unprior.optimize._umap_layout import (
    LayoutSettings,
    count_parts,
    edge_rounds,
    lay_out,
    part_of_each,
)

BRIEF = LayoutSettings(12, 1.6, 0.9)


@pytest.fixture
def graph():
    some = random_array((200, 200), density=0.04, random_state=np.random.default_rng(1))
    return (some + some.T).tocsr()


@pytest.fixture
def start(rng):
    return rng.uniform(0, 10, (200, 2))


def test_the_seed_decides(graph, start):
    first, second, other = (lay_out(graph, start, BRIEF, seed=s).embedding for s in (3, 3, 4))
    np.testing.assert_array_equal(first, second)
    assert not np.allclose(first, other)


@pytest.mark.parametrize("n_jobs", [None, 2, 3, -1])
def test_threads_do_not_change_the_map(graph, start, n_jobs, monkeypatch):
    alone = lay_out(graph, start, BRIEF, seed=0, n_jobs=1).embedding
    monkeypatch.setattr(_umap_layout, "EDGES_PER_THREAD", 1)
    several = lay_out(graph, start, BRIEF, seed=0, n_jobs=n_jobs).embedding
    np.testing.assert_array_equal(alone, several)


def test_leaves_graph_and_start_as_they_were(graph, start):
    before = graph.copy(), start.copy()
    lay_out(graph, start, BRIEF, seed=0)
    assert (graph != before[0]).nnz == 0
    np.testing.assert_array_equal(start, before[1])


def test_callbacks_see_the_map_in_the_order_of_the_samples(graph, start):
    calls, seen = [], []

    def look(epoch, Y):
        assert not Y.flags.writeable
        calls.append(epoch)
        seen.append(Y)

    layout = lay_out(graph, start, BRIEF, seed=0, callbacks=[look], every=5)
    assert calls == [5, 10, 12]
    assert np.shares_memory(seen[0], seen[-1])  # one buffer for all maps
    np.testing.assert_array_equal(seen[-1], layout.embedding)
    assert not np.shares_memory(seen[-1], layout.embedding)


def test_a_true_answer_stops(graph, start):
    layout = lay_out(graph, start, BRIEF, seed=0, callbacks=[lambda epoch, Y: epoch == 4], every=2)
    assert (layout.n_epochs, layout.stopped_by) == (4, "callback")


def test_callbacks_do_not_change_the_map(graph, start):
    watched = lay_out(graph, start, BRIEF, seed=0, callbacks=[lambda epoch, Y: None], every=1)
    np.testing.assert_array_equal(watched.embedding, lay_out(graph, start, BRIEF, seed=0).embedding)


def test_a_stop_from_the_keyboard_keeps_the_map_so_far(graph, start, monkeypatch):
    epoch = interrupt(monkeypatch, after=3)
    layout = lay_out(graph, start, BRIEF, seed=0)
    assert (layout.n_epochs, layout.stopped_by) == (3, "keyboard")
    monkeypatch.setattr(kernels, "lay_out_epoch", epoch)
    stopped = lay_out(graph, start, BRIEF, seed=0, callbacks=[lambda e, Y: e == 3], every=1)
    np.testing.assert_array_equal(layout.embedding, stopped.embedding)


def test_a_stop_before_there_is_a_map_stops_all(graph, start, monkeypatch):
    interrupt(monkeypatch, after=0)
    with pytest.raises(KeyboardInterrupt):
        lay_out(graph, start, BRIEF, seed=0)


def interrupt(monkeypatch, after):
    """Press Ctrl-C after some epochs; return what was stopped."""
    original, done = kernels.lay_out_epoch, []

    def epoch(*arguments):
        if len(done) == after:
            raise KeyboardInterrupt
        done.append(original(*arguments))

    monkeypatch.setattr(kernels, "lay_out_epoch", epoch)
    return original


def star(n):
    """All samples are neighbours of the first alone."""
    others = np.arange(1, n)
    edges = csr_matrix((np.ones(n - 1), (np.zeros(n - 1, dtype=int), others)), shape=(n, n))
    return edges + edges.T


@pytest.mark.parametrize("n_components", [1, 2, 3, 4, 20])
def test_any_number_of_dimensions(graph, rng, n_components):
    start = rng.uniform(0, 10, (200, n_components))
    Y = lay_out(graph, start, BRIEF, seed=0).embedding
    assert Y.shape == start.shape
    assert np.isfinite(Y).all()
    assert (abs(Y - start).max(axis=0) > 0.1).all()


@pytest.mark.parametrize("n", [4, 5, 1000])
@pytest.mark.parametrize("spread", [0.0, 1e-30, 1.0, 1e6, 1e15])
def test_a_hub_and_any_spread(rng, n, spread):
    Y = lay_out(star(n), spread * rng.uniform(size=(n, 2)), BRIEF, seed=0).embedding
    assert np.isfinite(Y).all()


@pytest.mark.parametrize(("a", "b"), [(1e-4, 0.1), (1.6, 0.9), (500.0, 0.2), (5.0, 8.0)])
@pytest.mark.parametrize("rate", [0, 0.5, 30])
def test_any_curve(graph, start, a, b, rate):
    settings = LayoutSettings(12, a, b, 3.0, rate, 10.0)
    assert np.isfinite(lay_out(graph, start, settings, seed=2**31 - 2).embedding).all()


def test_samples_without_edges_stay(start):
    Y = lay_out(csr_matrix((200, 200)), start, BRIEF, seed=0).embedding
    np.testing.assert_array_equal(Y, start.astype(np.float32))


@pytest.mark.parametrize("n_epochs", [0, 1])
def test_few_epochs(graph, start, n_epochs):
    layout = lay_out(graph, start, LayoutSettings(n_epochs, 1.6, 0.9), seed=0)
    assert layout.n_epochs == n_epochs
    assert (layout.embedding != start.astype(np.float32)).any() == bool(n_epochs)


def symmetric(n, density, seed):
    graph = random_array((n, n), density=density, random_state=np.random.default_rng(seed))
    graph = graph + graph.T
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph.tocsr()


@given(st.integers(4, 2000), st.floats(0, 0.5), st.integers(0, 5))
def test_holds_every_edge_once_with_its_weight(n, least, seed):
    graph = symmetric(n, min(1.0, 4 / n), seed)
    rounds = edge_rounds(graph, least, np.random.RandomState(seed))
    heads, tails = rounds.order[rounds.heads], rounds.order[rounds.tails]
    again = csr_matrix((rounds.often, (heads, tails)), shape=graph.shape)
    most = graph.max() if graph.nnz else 1
    wanted = (graph / most).toarray()
    wanted[wanted < least] = 0
    np.testing.assert_allclose((again + again.T).toarray(), wanted, rtol=1e-6)


@given(st.integers(4, 3000))
def test_buckets_hold_the_edges_of_their_parts(n):
    rounds = edge_rounds(symmetric(n, min(1.0, 4 / n), 0), 0.0, np.random.RandomState(0))
    part, n_parts = part_of_each(n, rounds.n_parts), rounds.n_parts
    assert (rounds.heads < rounds.tails).all()
    bucket = np.repeat(np.arange(n_parts**2), np.diff(rounds.first))
    np.testing.assert_array_equal(part[rounds.heads], bucket // n_parts)
    np.testing.assert_array_equal(part[rounds.tails], bucket % n_parts)


@given(st.integers(4, 3000), st.sampled_from([2, 4, 12]))
def test_parts_are_about_equal(n, n_parts):
    sizes = np.bincount(part_of_each(n, n_parts), minlength=n_parts)
    assert sizes.max() - sizes.min() <= 1
    # The compiled loop clips at the same value.
    np.testing.assert_array_equal(np.cumsum(sizes), np.arange(1, n_parts + 1) * n // n_parts)


@given(st.integers(1, 10**8))
def test_the_number_of_parts_is_even_and_bounded(n):
    assert count_parts(n) in range(2, 65, 2)


def test_a_graph_without_edges_has_empty_rounds():
    assert edge_rounds(csr_matrix((9, 9)), 0.1, np.random.RandomState(0)).n_edges == 0
