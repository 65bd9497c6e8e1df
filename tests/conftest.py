"""Seeded data that many tests share."""

import numpy as np
import pytest
from hypothesis import settings

# How long an example takes tells of the machine, not of the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def two_groups(rng):
    """Small data with a known split (columns 0-2) and a hidden one (columns 3-5)."""
    n = 90
    known, hidden = rng.integers(0, 3, n), rng.integers(0, 2, n)
    X = rng.normal(size=(n, 6))
    X[:, :3] += 6 * np.eye(3)[known]
    X[:, 3:5] += 6 * np.eye(2)[hidden]
    return X, known, hidden
