"""Squares of data distances, in units of a scale, and their typical size at a near neighbour."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unprior import priors
from unprior.operators import _squares
from unprior.operators._squares import Squares, kernel_width, typical_square


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "correlation"])
@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_squares_are_those_of_lines_between_points_times_the_factor(rng, metric, scale):
    data = priors.features(rng.normal(size=(30, 5)), metric=metric)
    squares, points = Squares.of(data, scale), data.points()
    assert squares.are_squares == (metric != "euclidean")
    lines = cdist(points.values, points.values) * squares.factor
    np.testing.assert_allclose(squares(data.to_array()), lines**2, rtol=1e-6, atol=1e-12)


def test_other_distances_are_squared(rng):
    X = rng.normal(size=(20, 2))
    several = [
        priors.features(X, metric="l1"),
        priors.distances(cdist(X, X)),
        priors.geo(X[:, 0], X[:, 1]),
    ]
    for data in several:
        squares, D = Squares.of(data, 2.0), data.to_array()
        assert not squares.are_squares
        assert squares.factor == 0.5
        np.testing.assert_allclose(squares(D), D**2 / 4)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "l1"])
def test_the_usual_square_is_the_median_of_the_fifteenth(rng, metric):
    data = priors.features(rng.normal(size=(101, 3)), metric=metric)
    squares = Squares.of(data, 1.5)
    kth = np.sort(data.to_array(), axis=1)[:, 15]
    assert typical_square(data, squares) == pytest.approx(np.median(squares(kth)), rel=1e-6)


def test_fewer_samples_have_the_farthest(rng):
    data = priors.features(rng.normal(size=(5, 2)))
    farthest = data.to_array().max(axis=1)
    expected = np.median(farthest**2)
    assert typical_square(data, Squares.of(data, 1.0)) == pytest.approx(expected, rel=1e-6)


def test_where_most_have_twins_the_others_tell(rng):
    X = np.r_[np.zeros((60, 2)), rng.normal(size=(30, 2))]
    data = priors.features(X)
    kth = np.sort(data.to_array(), axis=1)[:, 15] ** 2
    assert np.median(kth) == 0
    assert typical_square(data, Squares.of(data, 1.0)) == pytest.approx(kth.mean(), rel=1e-6)
    same = priors.features(np.zeros((40, 2)))
    assert typical_square(same, Squares.of(same, 1.0)) == 0


def test_it_is_told_with_little_memory(rng, monkeypatch, in_blocks):
    data, sizes = priors.features(rng.normal(size=(300, 3))), []
    squares = Squares.of(data, 1.0)
    whole, block = typical_square(data, squares), type(data).block
    in_blocks(300 * 7)
    monkeypatch.setattr(
        type(data), "block", lambda self, i, j: sizes.append(len(i) * len(j)) or block(self, i, j)
    )
    assert typical_square(data, squares) == pytest.approx(whole, rel=1e-12)
    assert max(sizes) <= 300 * 7
    assert len(sizes) > 40


@pytest.mark.parametrize("unit", [0.1, 1.0, 20.0])
def test_the_width_is_a_part_of_the_usual_square_or_the_least_there_is(rng, unit):
    data = priors.features(unit * rng.normal(size=(50, 3)))
    squares = Squares.of(data, 1.0)
    expected = 0.15 * typical_square(data, squares)
    assert kernel_width(data, squares, 0.15) == expected > 0
    twins = priors.features(np.repeat(rng.normal(size=(1, 3)), 50, axis=0))
    assert kernel_width(twins, squares, 0.15) == _squares.LEAST_WIDTH
