"""The farthest two points, with and without the shortcut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from unprior.geometry._farthest import farthest_pair, outermost


def on_a_circle(rng, n_points):
    angle = rng.uniform(0, 7, n_points)
    return np.column_stack((np.cos(angle), np.sin(angle)))


SHAPES = {
    "a line": lambda rng: rng.normal(size=(500, 1)),
    "a square": lambda rng: rng.random((500, 2)),
    "a circle": lambda rng: on_a_circle(rng, 500),
    "two clusters": lambda rng: rng.normal(size=(500, 3)) + 9 * rng.integers(0, 2, size=(500, 1)),
    "one outlier": lambda rng: np.vstack((rng.normal(size=(500, 2)), [[50.0, 50.0]])),
    "few places": lambda rng: rng.normal(size=(7, 2))[rng.integers(0, 7, 500)],
    "one place": lambda rng: np.ones((500, 2)),
    "many dimensions": lambda rng: rng.normal(size=(500, 40)),
    "far from the origin": lambda rng: rng.random((500, 2)) + 1e6,
    "one point": lambda rng: rng.random((1, 2)),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_no_two_points_are_farther(shape, rng, in_blocks):
    in_blocks(5000)
    points = shape(rng)
    i, j = farthest_pair(points)
    apart = cdist(points, points)
    assert apart[i, j] == pytest.approx(apart.max(), rel=1e-12)


def test_no_row_is_lost_between_blocks(in_blocks):
    in_blocks(3 * 80)
    for seed in range(30):
        points = on_a_circle(np.random.default_rng(seed), 80)
        i, j = farthest_pair(points)
        apart = cdist(points, points)
        assert apart[i, j] == pytest.approx(apart.max(), rel=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(2, 300))
def test_the_outermost_hold_the_farthest_two(seed, n_columns, n_points):
    points = np.random.default_rng(seed).standard_t(2, size=(n_points, n_columns))
    among = outermost(points)
    apart = cdist(points, points)
    assert apart[np.ix_(among, among)].max() == pytest.approx(apart.max(), rel=1e-12)


def test_few_are_outermost_in_the_plane(rng):
    assert len(outermost(rng.random((5000, 2)))) < 100
