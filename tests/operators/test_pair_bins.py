from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.confetti import bins_of
from unprior.operators._pair_bins import _bin_edges, learn_pair_bins


@given(
    st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 7.0]) | st.floats(0, 3), min_size=1),
    st.integers(2, 6),
)
def test_bins_equal_the_slow_ones(distances, n_bins):
    distances = np.round(distances, 6)
    found = np.searchsorted(_bin_edges(distances, n_bins), distances)
    np.testing.assert_array_equal(found, bins_of(distances, n_bins))


def test_continuous_distances_fill_bins_equally():
    z = np.random.default_rng(0).exponential(size=10_000)
    counts = np.bincount(learn_pair_bins([z]).find([z]))
    np.testing.assert_array_equal(counts, np.full(100, 100))


def test_few_distances_get_a_bin_each():
    z = np.array([0.0] * 3 + [1.0] * 995 + [2.0] * 2)
    np.testing.assert_array_equal(learn_pair_bins([z]).find([z]), z)


def test_rounding_makes_no_bins_of_its_own():
    z = np.tile([0.1 + 0.2, 0.3, 1.0], 500)
    cells = learn_pair_bins([z])
    assert cells.count == 2
    np.testing.assert_array_equal(cells.find([np.array([0.3, 0.3 * (1 + 1e-12), 1.0])]), [0, 0, 1])


def test_labels_cross():
    a, b = np.repeat([0.0, 1.0], 50), np.tile([0.0, 1.0], 50)
    np.testing.assert_array_equal(learn_pair_bins([a, b]).find([a, b]), 2 * a + b)


def test_many_priors_leave_enough_pairs_in_a_cell():
    known = list(np.random.default_rng(1).integers(0, 2, size=(20, 10_000)).astype(float))
    cells = learn_pair_bins(known)
    counts = np.bincount(cells.find(known), minlength=cells.count)
    assert cells.count == 64  # the first six priors are cut in two
    assert counts.min() > 100


@pytest.mark.parametrize("correlated", [False, True])
def test_cells_of_several_priors_hold_enough_pairs(correlated):
    rng = np.random.default_rng(1)
    a, b = rng.uniform(size=(2, 20_000))
    b = a + 0.01 * b if correlated else b
    cells = learn_pair_bins([a, b])
    counts = np.bincount(cells.find([a, b]), minlength=cells.count)
    assert cells.count == 11 * 12  # about the square root of 20 000
    assert counts.min() >= 0.9 * 20_000 / cells.count
