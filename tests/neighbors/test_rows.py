import numpy as np
import pytest

from reference.ties import tie_order
from unprior.neighbors import smallest
from unprior.neighbors._rows import join_nearest


def nearest_among(D, rows, columns, k):
    """Indices and lengths of the k nearest in some columns, of equal ones by their hash."""
    order = np.array(
        [
            sorted(columns, key=lambda j: (D[place, j], tie_order(row, j)))[:k]
            for place, row in enumerate(rows)
        ]
    )
    return order, np.take_along_axis(D, order, axis=1)


@pytest.mark.parametrize("n_values", [5, 10**6])  # with and without ties
def test_two_searches_joined_are_one_search_of_both(rng, n_values):
    D, rows = rng.integers(n_values, size=(30, 80)).astype(float), np.arange(100, 130)
    # The second one has looked at some columns again.
    joined = join_nearest(
        rows,
        nearest_among(D, rows, np.arange(50), 7),
        nearest_among(D, rows, np.arange(40, 80), 7),
    )
    for mine, truth in zip(joined, nearest_among(D, rows, np.arange(80), 7), strict=True):
        np.testing.assert_array_equal(mine, truth)


@pytest.mark.parametrize("n_values", [1, 5, 10**6])
def test_the_smallest_of_a_block_go_by_the_names_of_its_rows_and_columns(rng, n_values):
    D = rng.integers(n_values, size=(30, 80)).astype(float)
    rows, columns = rng.permutation(1000)[:30], rng.permutation(1000)[:80]
    found = smallest(D, 9, rows, columns)
    wide = np.full((30, 1000), np.inf)
    wide[:, columns] = D
    np.testing.assert_array_equal(columns[found], nearest_among(wide, rows, columns, 9)[0])
