import numpy as np
import pytest

from reference.ties import tie_order
from unprior.neighbors import smallest


def nearest_among(D, rows, columns, k):
    """Indices and distances of the k nearest in some columns, ties broken by a hash."""
    order = np.array(
        [
            sorted(columns, key=lambda j: (D[place, j], tie_order(row, j)))[:k]
            for place, row in enumerate(rows)
        ]
    )
    return order, np.take_along_axis(D, order, axis=1)


@pytest.mark.parametrize("n_values", [1, 5, 10**6])
def test_the_smallest_of_a_block_go_by_the_names_of_its_rows_and_columns(rng, n_values):
    D = rng.integers(n_values, size=(30, 80)).astype(float)
    rows, columns = rng.permutation(1000)[:30], rng.permutation(1000)[:80]
    found = smallest(D, 9, rows, columns)
    wide = np.full((30, 1000), np.inf)
    wide[:, columns] = D
    np.testing.assert_array_equal(columns[found], nearest_among(wide, rows, columns, 9)[0])
