"""Distance matrices: square, condensed, on disk, of scikit-bio."""

import tracemalloc

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from unprior import priors


@pytest.fixture
def D(rng):
    return squareform(pdist(rng.normal(size=(12, 3))))


def test_a_right_matrix_is_kept_as_it_is(D):
    assert priors.distances(D).matrix is D


def test_condensed_is_the_same_as_square(D):
    np.testing.assert_array_equal(priors.distances(squareform(D)).to_array(), D)
    np.testing.assert_array_equal(priors.distances(list(squareform(D))).to_array(), D)


def test_a_matrix_on_disk_stays_there(D, tmp_path):
    np.save(tmp_path / "D.npy", D.astype(np.float32))
    on_disk = np.load(tmp_path / "D.npy", mmap_mode="r")
    prior = priors.distances(on_disk)
    assert np.shares_memory(prior.matrix, on_disk)
    assert prior.block([0], [1]).dtype == prior.pairs([0], [1]).dtype == np.float64
    np.testing.assert_allclose(prior.to_array(), D, rtol=1e-6)


def test_the_matrix_of_scikit_bio(D):
    class DistanceMatrix:
        data, ids = D, tuple("abcdefghijkl")

    np.testing.assert_array_equal(priors.distances(DistanceMatrix()).to_array(), D)


def test_rounding_is_mended_in_a_copy(D):
    rough = D.copy()
    rough[0, 1] += 1e-9
    rough[2, 2] = -1e-12
    before = rough.copy()
    prior = priors.distances(rough)
    np.testing.assert_array_equal(rough, before)
    mended = prior.to_array()
    np.testing.assert_array_equal(mended, mended.T)
    np.testing.assert_array_equal(np.diag(mended), 0)
    np.testing.assert_allclose(mended, D, atol=1e-9)


@pytest.mark.parametrize(
    ("bad", "match"),
    [
        (np.ones(4), "got 4 numbers, which match no n"),
        (np.ones((2, 3)), r"takes a square distance matrix; got shape \(2, 3\)"),
        ([1.0, np.nan, 2.0], "'D' holds NaN .first in row 1"),
        ([[0.0, -1.0], [-1.0, 0.0]], r"holds a negative distance, -1 at \(0, 1\)"),
        ([[0.0, 1.0], [2.0, 0.0]], "takes symmetric distances"),
        (
            [[1.0, 0.5], [0.5, 1.0]],
            "zero from a sample to itself.*similarities K use.*priors.kernel does for a prior",
        ),
    ],
)
def test_bad_matrices_are_refused(bad, match):
    with pytest.raises(ValueError, match=rf"^distances: .*{match}"):
        priors.distances(bad)


@pytest.mark.parametrize("place", [(2, 9), (11, 0)])
def test_an_asymmetry_is_found_in_any_block(D, place, in_blocks):
    in_blocks(40)
    D[place] += 1
    with pytest.raises(ValueError, match=r"takes symmetric distances; got .* at \(\d+, \d+\)") as e:
        priors.distances(D)
    assert str(place) in str(e.value)


@pytest.mark.parametrize(("slip", "most"), [(0.0, 0.2), (1e-9, 1.2)])
def test_checking_takes_little_memory_beside_the_matrix(rng, slip, most, in_blocks):
    in_blocks(20_000)
    D = squareform(pdist(rng.normal(size=(600, 3))))
    D[3, 4] += slip  # rounding, which is corrected in a copy
    tracemalloc.start()
    priors.distances(D)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < most * D.nbytes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_angles_are_zero_on_the_diagonal_but_for_rounding(rng, dtype):
    V = rng.normal(size=(200, 60)).astype(dtype)
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    D = np.arccos(np.clip(V @ V.T, -1, 1))
    D[0, 0] = 5e-4  # as large as single precision makes it
    prior = priors.distances(D)
    assert not np.diagonal(prior.matrix).any()
    np.testing.assert_allclose(prior.matrix[0, 1:], D[0, 1:], rtol=1e-3)
    with pytest.raises(ValueError, match="zero from a sample to itself"):
        priors.distances(D + 0.05 * np.eye(200))
