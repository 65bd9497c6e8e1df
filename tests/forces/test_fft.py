"""Interpolated repulsion against the sum over all pairs."""

import numpy as np
import pytest

from reference.repulsion import assert_close, random_map
from unprior._threads import compiled_threads
from unprior.forces import _fft as fft
from unprior.forces import exact_field, fft_field


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 3.0])
def test_a_fine_grid_equals_the_exact_sum(rng, n_components, scale):
    Y = random_map(rng, 250, n_components, scale)
    assert_close(fft_field(Y, spacing=0.1), exact_field(Y), 1e-3)


@pytest.mark.compiled
@pytest.mark.parametrize("n_components", [1, 2])
def test_the_default_grid_is_near(rng, n_components):
    Y = random_map(rng, 2000, n_components, scale=5)
    assert_close(fft_field(Y), exact_field(Y), 0.05)


def test_a_map_that_has_not_spread_yet_is_exact(rng):
    Y = random_map(rng, 500, 2, scale=0.01)
    assert_close(fft_field(Y), exact_field(Y), 1e-5)


def test_the_force_is_the_slope_of_the_normalizer(rng):
    """For Z alone, in which each pair occurs twice: ∂Z/∂y_i = −4 Σ_j w² (y_i − y_j)."""
    Y, step = random_map(rng, 30, 2), 1e-5
    force = fft_field(Y).force
    # The two samples that determine the grid stay where they are.
    inner = [i for i in range(30) if not {i} & {*Y.argmin(axis=0), *Y.argmax(axis=0)}]
    for i, axis in ((inner[0], 0), (inner[1], 1)):
        ahead, behind = Y.copy(), Y.copy()
        ahead[i, axis] += step
        behind[i, axis] -= step
        slope = (fft_field(ahead).normalizer - fft_field(behind).normalizer) / (2 * step)
        assert -4 * force[i, axis] == pytest.approx(slope, rel=1e-4, abs=1e-4)


def test_wide_maps_have_a_bounded_grid(rng, monkeypatch):
    monkeypatch.setattr(fft, "MOST_NODES", 10_000)
    Y, shapes = random_map(rng, 300, 2, scale=300), []
    convolve = fft._convolve
    monkeypatch.setattr(
        fft,
        "_convolve",
        lambda grid, spacing: (shapes.append(grid.shape), convolve(grid, spacing))[1],
    )
    field = fft_field(Y)
    assert np.prod(shapes[0]) <= 10_000
    assert np.isfinite(field.force).all()


@pytest.mark.parametrize("scale", [3, 30])
def test_the_bits_do_not_depend_on_the_threads(rng, scale):
    Y = random_map(rng, 500, 2, scale)
    fields = []
    for n_threads in (1, 2):
        with compiled_threads(n_threads):
            fields.append(fft_field(Y))
    np.testing.assert_array_equal(fields[0].force, fields[1].force)
    assert fields[0].normalizer == fields[1].normalizer


def test_the_map_is_not_modified(rng):
    Y = random_map(rng, 50, 2)
    before = Y.copy()
    Y.setflags(write=False)
    fft_field(Y)
    np.testing.assert_array_equal(Y, before)


@pytest.mark.parametrize("corner", [(40, 40), (40, -40), (-40, 40), (-40, -40)])
@pytest.mark.parametrize("place", [0, 7])
def test_a_far_sample_is_on_the_grid_wherever_it_comes(rng, corner, place):
    Y = random_map(rng, 100, 2, scale=1)
    Y[place, :2] = corner
    assert_close(fft_field(Y, spacing=0.25), exact_field(Y), 1e-2)


@pytest.mark.parametrize("step", [1, -1])
def test_samples_in_order_along_a_line(rng, step):
    Y = random_map(rng, 60, 1)
    Y[:, 0] = np.sort(Y[:, 0])[::step]
    assert_close(fft_field(Y, spacing=0.05), exact_field(Y), 1e-4)


@pytest.mark.parametrize("where", [(0.0, 0.0), (3.0, 3.0), (3.0, 1.0)])
def test_coincident_samples_do_not_repel(where):
    Y = np.zeros((20, 3))
    Y[:, :2] = where
    field = fft_field(Y)
    np.testing.assert_array_equal(field.force, 0)
    assert field.normalizer == 20 * 19


def test_no_grid_in_three_dimensions(rng):
    with pytest.raises(ValueError, match="one or two dimensions; got three"):
        fft_field(random_map(rng, 10, 3))
