"""The balanced operator with other settings than its own."""

import pytest

from unprior.operators import _candidates, _sinkhorn


@pytest.fixture
def sinkhorn(monkeypatch):
    """A function: Sinkhorn's iteration stops after so many rounds, or at such an error."""

    def stop(rounds, tolerance):
        monkeypatch.setattr(_sinkhorn, "ROUNDS", rounds)
        monkeypatch.setattr(_sinkhorn, "TOLERANCE", tolerance)

    return stop


@pytest.fixture
def few_candidates(monkeypatch):
    """A function: each sample has so many candidates for each neighbour, and so many more."""

    def limit(per_neighbor=_candidates.PER_NEIGHBOR, more=_candidates.MORE):
        monkeypatch.setattr(_candidates, "SHARED", 0)
        monkeypatch.setattr(_candidates, "PER_NEIGHBOR", per_neighbor)
        monkeypatch.setattr(_candidates, "MORE", more)

    return limit
