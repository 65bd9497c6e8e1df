"""Maps to sum the repulsion of, and what it means that two sums agree."""

import numpy as np
import pytest


def random_map(rng, n, n_components, scale=3.0):
    """A map with three columns, unused ones zero."""
    Y = np.zeros((n, 3))
    Y[:, :n_components] = scale * rng.normal(size=(n, n_components))
    return Y


def assert_close(field, expected, tolerance):
    """Normalizer and forces agree, relative to their size."""
    assert field.normalizer == pytest.approx(expected.normalizer, rel=tolerance)
    assert field.force.shape == expected.force.shape
    gap = np.linalg.norm(field.force - expected.force)
    assert gap <= tolerance * np.linalg.norm(expected.force)
