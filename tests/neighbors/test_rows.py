import numpy as np
import pytest

from unprior.neighbors._rows import join_nearest


def nearest_among(D, columns, k):
    """Indices and lengths of the k nearest in some columns, of equal ones the first."""
    order = columns[np.argsort(D[:, columns], axis=1, kind="stable")[:, :k]]
    return order, np.take_along_axis(D, order, axis=1)


@pytest.mark.parametrize("n_values", [5, 10**6])  # with and without ties
def test_two_searches_joined_are_one_search_of_both(rng, n_values):
    D = rng.integers(n_values, size=(30, 80)).astype(float)
    # The second one has looked at some columns again.
    joined = join_nearest(
        nearest_among(D, np.arange(50), 7), nearest_among(D, np.arange(40, 80), 7)
    )
    for mine, truth in zip(joined, nearest_among(D, np.arange(80), 7), strict=True):
        np.testing.assert_array_equal(mine, truth)
