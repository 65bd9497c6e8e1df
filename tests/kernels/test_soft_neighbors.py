"""Samples sorted into boxes: each once, in the right box, in the order of visits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unprior.kernels._soft_neighbors import find_boxes, sort_boxes

PLACES = arrays(np.float32, (20, 3), elements=st.floats(-50, 50, width=32))


@given(Y=PLACES, side=st.floats(0.5, 200), axes=st.permutations([0, 1, 2]))
def test_a_box_holds_who_is_within_it(Y, side, axes):
    axes = np.array(axes)
    low = Y.min(axis=0).astype(np.float64)[axes]
    shape = np.floor((Y.max(axis=0)[axes] - low) / side).astype(np.int64) + 1
    box = find_boxes(Y, axes, low, side, shape)
    place = np.stack(np.unravel_index(box, shape), axis=1)
    within = (Y[:, axes].astype(np.float64) - low) / side
    np.testing.assert_array_equal(place, np.floor(within))


@given(box=arrays(np.int64, 30, elements=st.integers(0, 6)), seed=st.integers(0, 99))
def test_a_sort_by_box_is_a_stable_one(box, seed):
    visited = np.random.default_rng(seed).permutation(30)
    order, first = sort_boxes(box, 8, visited)
    np.testing.assert_array_equal(order, visited[np.argsort(box[visited], kind="stable")])
    np.testing.assert_array_equal(first, np.searchsorted(np.sort(box), np.arange(9)))
