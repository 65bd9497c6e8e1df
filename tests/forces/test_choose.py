"""The quickest way to sum the repulsion."""

import pytest

from unprior.forces import barnes_hut_field, choose_repulsion, exact_field, fft_field


@pytest.mark.parametrize(
    ("n_samples", "n_components", "expected"),
    [
        (100, 1, exact_field),
        (100, 2, exact_field),
        (100, 3, exact_field),
        (50_000, 1, fft_field),
        (50_000, 2, fft_field),
        (50_000, 3, barnes_hut_field),
    ],
)
def test_the_choice(n_samples, n_components, expected):
    assert choose_repulsion(n_samples, n_components) is expected
