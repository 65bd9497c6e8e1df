"""Compiled loops over candidate pairs equal loops over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import balanced as twin
from reference import ties
from unprior.kernels._balance import (
    add_potentials,
    count_pairs,
    log_totals,
    nearest_by_shares,
    pair_both_ways,
    sort_rows,
    start_potentials,
)
from unprior.kernels._hash import tie_order
from unprior.neighbors._ties import tie_order as tie_order_of_arrays


@given(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1))
def test_the_hash_is_that_of_arrays(i, j):
    assert int(tie_order(i, j)) == int(tie_order(j, i)) == ties.tie_order(i, j)
    assert int(tie_order_of_arrays(np.array(i), np.array(j))) == int(tie_order(i, j))


def rows_of(pairs, squared):
    """Rows of candidates one after another, as kernels take them."""
    n = len(squared)
    rows = [[] for _ in range(n)]
    for i, j in sorted(pairs):
        rows[i].append(j)
    starts = np.r_[0, np.cumsum([len(row) for row in rows])]
    columns = np.concatenate(rows).astype(np.int32)
    squares = squared[np.repeat(np.arange(n), np.diff(starts)), columns].astype(np.float32)
    return starts, columns, squares


@settings(max_examples=30)
@given(st.integers(2, 12), st.integers(1, 6), st.integers(0, 10**6))
def test_pairs_stand_in_both_rows_once(n, width, seed):
    rng = np.random.default_rng(seed)
    width = min(width, n - 1)
    squared = rng.uniform(size=(n, n)).astype(np.float32)
    squared = (squared + squared.T) / 2
    named = [rng.permutation(np.delete(np.arange(n), i))[:width] for i in range(n)]
    indices = np.array(named, dtype=np.int32)
    indices[rng.uniform(size=indices.shape) < 0.2] = -1
    lengths = squared[np.arange(n)[:, None], indices]
    starts = np.r_[0, np.cumsum(count_pairs(indices))]
    columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    pair_both_ways(indices, lengths, starts, columns, values)
    counts = np.empty(n, dtype=np.int64)
    sort_rows(starts, columns, values, counts)
    expected = twin.candidate_pairs([[j for j in row if j >= 0] for row in indices.tolist()])
    for i in range(n):
        here = slice(starts[i], starts[i] + counts[i])
        others = sorted(j for one, j in expected if one == i)
        assert columns[here].tolist() == others
        np.testing.assert_array_equal(values[here], squared[i, others])


def test_of_two_lengths_of_a_pair_the_shorter_is_taken_at_both_ends():
    indices = np.array([[1], [0]], dtype=np.int32)
    lengths = np.array([[2.0], [1.5]], dtype=np.float32)
    starts = np.r_[0, np.cumsum(count_pairs(indices))]
    columns, values = np.empty(4, np.int32), np.empty(4, np.float32)
    pair_both_ways(indices, lengths, starts, columns, values)
    counts = np.empty(2, dtype=np.int64)
    sort_rows(starts, columns, values, counts)
    assert counts.tolist() == [1, 1]
    assert values[starts[:-1]].tolist() == [1.5, 1.5]


@pytest.fixture
def small(rng):
    """Pairs of 14 samples in three strata, one of which two small classes share."""
    n = 14
    squared = rng.uniform(size=(n, n))
    squared = (squared + squared.T) / 2
    pairs = {(i, j) for i, j in rng.integers(n, size=(60, 2)) if i != j}
    pairs |= {(j, i) for i, j in pairs} | {(0, 1), (1, 0)}
    codes = np.r_[0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2].astype(np.int32)
    classes = np.where(codes == 2, 5 + np.arange(n) % 2, -1).astype(np.int32)
    values = rng.normal(size=(n, 4)).astype(np.float32)
    return rows_of(pairs, squared), squared, pairs, (codes, classes), values


def test_starts_with_half_the_least_of_every_group(small):
    rows, squared, pairs, strata, values = small
    groups = twin.group_matrix(*strata)
    start_potentials(rows, strata, values)
    for (i, g), value in np.ndenumerate(values):
        here = [squared[i, j] for j in range(14) if (i, j) in pairs and groups[i, j] == g]
        assert value == pytest.approx(min(here) / 2 if here else 0, rel=1e-6)


@pytest.mark.parametrize("beside", [False, True])
def test_measures_every_group(small, rng, beside):
    rows, squared, pairs, strata, values = small
    groups = twin.group_matrix(*strata)
    off = rng.normal(size=(14, 14))
    off = off + off.T if beside else np.zeros((14, 14))
    own = np.take_along_axis(values, groups, axis=1)
    allowed = np.zeros((14, 14), dtype=bool)
    allowed[tuple(np.array([*pairs]).T)] = True
    P = np.where(allowed, np.exp((own + own.T + off - squared) / 0.3), 0)
    given = rows_of(pairs, off)[2] if beside else np.empty(0, dtype=np.float32)
    logs = np.empty((14, 4))
    log_totals(rows, strata, 0.3, values, given, logs)
    np.testing.assert_allclose(np.exp(logs), twin.group_sums(P, groups, 4), rtol=1e-4)


def test_adds_both_ends_to_what_there_is(small):
    rows, _, pairs, strata, values = small
    groups = twin.group_matrix(*strata)
    own = np.take_along_axis(values, groups, axis=1)
    shifts = np.ones(len(rows[1]), dtype=np.float32)
    add_potentials(rows[0], rows[1], strata, values, shifts)
    np.testing.assert_allclose(shifts, 1 + rows_of(pairs, own + own.T)[2], rtol=1e-5, atol=1e-6)


@given(st.integers(3, 15), st.integers(1, 3), st.booleans(), st.integers(0, 10**6))
def test_nearest_by_shares_equal_sorting(n, n_lengths, everybody, seed):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(n_lengths, size=(n, n)).astype(float)
    lengths = lengths + lengths.T
    pairs = {(i, (i + 1) % n) for i in range(n)} | {*map(tuple, rng.integers(n, size=(30, 2)))}
    pairs = {(i, j) for i, j in pairs | {(j, i) for i, j in pairs} if i != j}
    rows = rows_of(pairs, lengths)
    codes = np.unique(rng.integers(3, size=n), return_inverse=True)[1].astype(np.int32)
    classes = np.where(codes == codes.max(), rng.integers(2, size=n), -1).astype(np.int32)
    groups, count = twin.group_matrix(codes, classes), codes.max() + 2
    # Any shares will do; a group may have fewer candidates than its share.
    shares = rng.dirichlet(np.ones(count), size=n).astype(np.float32)
    if everybody:
        shares[:] = 1
    k = int(np.diff(rows[0]).min())
    indices, distances = np.empty((n, k), dtype=np.intp), np.empty((n, k))
    nearest_by_shares(rows, (codes, classes), shares, rows[2], indices, distances)
    for i in range(n):
        others = [j for one, j in pairs if one == i]
        expected = sorted(others, key=lambda j: (lengths[i, j], ties.tie_order(i, j)))[:k]
        if not everybody:
            expected = twin.nearest_by_shares(i, others, groups[i], shares[i], lengths[i], k)
        assert indices[i].tolist() == expected
        assert distances[i].tolist() == lengths[i, expected].tolist()


@pytest.mark.compiled
@settings(max_examples=20)
@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 10**6))
def test_shares_of_places_are_exact_but_for_a_whole_number(k, n_groups, seed):
    rng, n = np.random.default_rng(seed), n_groups * 40 + 1
    pairs = {(i, j) for i in range(n) for j in range(n) if i != j}
    codes = (np.arange(n) % n_groups).astype(np.int32)
    share = np.r_[rng.dirichlet(np.ones(n_groups)), 0].astype(np.float32)
    shares = np.tile(share, (n, 1))
    rows = rows_of(pairs, rng.uniform(size=(n, n)))
    indices, distances = np.empty((n, k), dtype=np.intp), np.empty((n, k))
    strata = codes, np.full(n, -1, dtype=np.int32)
    nearest_by_shares(rows, strata, shares, rows[2], indices, distances)
    places = (codes[indices][:, :, None] == np.arange(n_groups)).sum(axis=1)
    # Of k at most 40, no group has more than there are of it.
    assert (np.abs(places - k * share[:-1]) < 1 + 1e-4).all()
    np.testing.assert_allclose(places.mean(axis=0), k * share[:-1], atol=2 / np.sqrt(n))
