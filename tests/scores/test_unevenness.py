import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from unprior.scores import report, unevenness
from unprior.scores._distances import read_map
from unprior.scores._neighbors import search_map, search_rows
from unprior.scores._unevenness import chance_unevenness, estimate_unevenness


def scatter(seed, n=400, d=2):
    return np.random.RandomState(seed).uniform(size=(n, d))


def lattice_of_clumps(seed, n=400, apart=1.0, wide=0.02):
    rng = np.random.RandomState(seed)
    places = np.argwhere(np.ones((10, 10))) * apart
    return places[rng.randint(100, size=n)] + wide * rng.normal(size=(n, 2))


@pytest.mark.parametrize("k", [1, 5, 20])
@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_it_is_the_deviation_of_log_distances(k, d):
    Y = scatter(k, 60, d)
    reach = np.sort(cdist(Y, Y))[:, k]
    assert unevenness(Y, k) == pytest.approx(np.log(reach).std())


@pytest.mark.parametrize(("d", "n"), [(1, 20_000), (2, 20_000), (3, 8_000)])
def test_chance_is_a_scatter_of_one_density(d, n):
    # On a torus there are no edges: samples in the middle see copies all around.
    Y = np.random.RandomState(d).uniform(size=(n, d))
    shifts = np.stack(np.meshgrid(*[[-1, 0, 1]] * d), axis=-1).reshape(-1, 1, d)
    tiled = np.concatenate([Y, *(Y + shift for shift in shifts if shift.any())])
    found = search_rows(read_map("me", tiled), np.arange(n), 5)
    expected = chance_unevenness(d, 5)
    assert estimate_unevenness(found, 5).value == pytest.approx(expected, rel=0.03)


def test_chance_on_a_flat_map_is_about_a_quarter():
    assert chance_unevenness(2, 5) == pytest.approx(0.235, abs=5e-4)
    assert unevenness(scatter(0, 4000)) == pytest.approx(0.235, abs=0.02)


@pytest.mark.parametrize("seed", range(5))
def test_small_clumps_and_threads_are_far_above_a_scatter(seed):
    plain = unevenness(scatter(seed))
    assert unevenness(lattice_of_clumps(seed)) > 3 * plain
    rng = np.random.RandomState(seed)
    along = rng.uniform(size=(400, 1)) ** 3  # dense at one end, and thin at the other
    threads = np.hstack([along, rng.randint(8, size=(400, 1)) / 8])
    assert unevenness(threads) > 2 * plain


@given(seed=st.integers(0, 10**6), scale=st.floats(1e-6, 1e6), angle=st.floats(0, 6.3))
@settings(max_examples=30)
def test_scale_turn_shift_and_order_make_no_difference(seed, scale, angle):
    Y = lattice_of_clumps(seed, n=80)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    moved = scale * (Y @ turn + [3, -4])[np.random.RandomState(seed).permutation(80)]
    assert unevenness(moved) == pytest.approx(unevenness(Y), rel=1e-6)


def test_stacked_samples_are_finite_and_uneven():
    Y = scatter(0)
    Y[:40] = 0.5
    median = np.median(np.sort(cdist(Y, Y))[40:, 5])
    reach = np.maximum(np.sort(cdist(Y, Y))[:, 5], 1e-3 * median)
    assert unevenness(Y) == pytest.approx(np.log(reach).std(), rel=1e-2)
    assert unevenness(Y) > 5 * unevenness(scatter(0))
    mostly = np.repeat(scatter(1, 10), 40, axis=0)
    mostly[:30] += scatter(2, 30)
    assert 1 < unevenness(mostly) < 10
    assert unevenness(np.zeros((20, 2))) == 0


def test_some_rows_estimate_all():
    Y = read_map("me", np.random.RandomState(0).normal(size=(800, 2)))
    exact = estimate_unevenness(search_map("me", Y, 5, None, None), 5)
    assert exact.standard_error == 0
    some = [estimate_unevenness(search_map("me", Y, 5, 150, seed), 5) for seed in range(60)]
    values, errors = np.array([(one.value, one.standard_error) for one in some]).T
    assert values.mean() == pytest.approx(exact.value, abs=0.01)
    assert errors.mean() == pytest.approx(values.std(), rel=0.3)
    assert unevenness(Y, n_rows=150, random_state=3) == some[3].value


def test_reports_of_few_samples_have_none():
    labels = [*"aabbb"]
    assert "map" not in report(scatter(0, 5), prior=labels, k=1).to_dict()
    assert "map" in report(scatter(0, 6), prior=[*labels, "b"], k=1).to_dict()


def test_bad_input_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"^unevenness: 'k' takes a whole number in \[1, 3\]"):
        unevenness(np.zeros((4, 2)))
    with pytest.raises(ValueError, match=r"^unevenness: 'Y' holds NaN"):
        unevenness(np.full((9, 2), np.nan))


def test_pairs_of_equal_steps_are_even_beyond_doubt():
    pairs = read_map("me", np.repeat(np.arange(15.0) * 8, 2) + np.tile([0, 1], 15))
    found = estimate_unevenness(search_map("me", pairs, 1, 10, 0), 1)
    assert (found.value, found.standard_error) == (0, 0)


def test_one_neighbour_and_all_others_are_enough():
    assert unevenness(np.arange(9.0) ** 2, 1) > 0
    assert unevenness(np.arange(9.0) ** 2, 8) > 0
