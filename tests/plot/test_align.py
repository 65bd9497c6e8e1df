import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from unprior.plot._align import align
from unprior.plot._panel import Layout


def layouts(**maps):
    return {name: Layout(Y, is_strip=False, remark=name) for name, Y in maps.items()}


@given(angle=st.floats(0, 2 * np.pi), flip=st.booleans(), seed=st.integers(0, 100))
def test_a_turned_or_flipped_map_is_turned_back(angle, flip, seed):
    Y = np.random.default_rng(seed).normal(size=(20, 2))
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    moved = (Y * [-1 if flip else 1, 1]) @ turn + [3, -7]
    back = align(layouts(a=Y, b=moved))["b"].points
    np.testing.assert_allclose(back - back.mean(axis=0), Y - Y.mean(axis=0), atol=1e-9)
    assert back.mean(axis=0) == pytest.approx(moved.mean(axis=0))


def test_distances_stay_and_samples_come_nearer_to_their_place_on_the_first(rng):
    Y, other = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
    other[:, 1] += 3 * Y[:, 0]
    aligned = align(layouts(a=Y, b=other))
    assert aligned["a"].points is Y
    np.testing.assert_allclose(pdist(aligned["b"].points), pdist(other))
    assert aligned["b"].remark == "b"

    def gap(points):
        return np.square((points - points.mean(axis=0)) - (Y - Y.mean(axis=0))).sum()

    assert gap(aligned["b"].points) < gap(other)


def test_strips_are_turned_end_to_end_only(rng):
    first, second, plane = (rng.normal(size=(30, 2)) for _ in range(3))
    second[:, 0] = -first[:, 0]
    strips = {name: Layout(Y, True, "") for name, Y in {"a": first, "b": second}.items()}
    aligned = align({**layouts(plane=plane), **strips})
    np.testing.assert_array_equal(aligned["b"].points, second * [-1, 1])
    assert aligned["a"].points is first
    assert aligned["plane"].points is plane
