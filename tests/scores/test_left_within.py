"""What is left of a prior within classes, as a score and in reports."""

import numpy as np
import pytest

from reference.independence import left_within as twin
from unprior import priors, scores
from unprior.neighbors._on_map import map_neighbors

N = 80
RNG = np.random.default_rng(0)
CELL = RNG.choice(3, N, p=[0.5, 0.3, 0.2])
BATCH = (RNG.random(N) < np.array([0.5, 0.1, 1.0])[CELL]).astype(str)
Y = RNG.normal(size=(N, 2)) + 4 * np.eye(3)[CELL][:, :2]


@pytest.mark.parametrize("k", [5, 15])
def test_it_equals_a_plain_loop(k):
    neighbors, _ = map_neighbors(Y, np.arange(N), k)
    expected = twin(priors.labels(BATCH).to_array(), CELL, neighbors, k)
    assert scores.left_within(Y, BATCH, CELL, k) == pytest.approx(expected, abs=1e-9)


def test_one_class_is_the_coherence():
    for prior in (BATCH, Y[:, 0]):
        found = scores.left_within(Y, prior, ["all"] * N)
        assert found == pytest.approx(scores.neighbor_coherence(Y, prior), abs=1e-6)


def test_tied_places_are_shared():
    grid = np.round(Y)
    dealt = [
        scores.left_within(grid + 1e-9 * RNG.normal(size=Y.shape), BATCH, CELL) for _ in range(60)
    ]
    assert scores.left_within(grid, BATCH, CELL) == pytest.approx(np.mean(dealt), abs=0.02)


def test_some_rows_tell_of_all():
    full = scores.left_within(Y, Y[:, 0], CELL)
    assert scores.left_within(Y, Y[:, 0], CELL, n_rows=60, random_state=0) == pytest.approx(
        full, abs=0.1
    )


@pytest.mark.parametrize("role", ["keep", "hidden"])
def test_reports_have_it_and_how_far_both_go_together(role):
    report = scores.report(Y, prior={"batch": BATCH}, **{role: {"cell": CELL.astype(str)}})
    found = report.to_dict()
    within = found["prior within"]["batch within cell"]["neighbor_purity"]
    assert within == pytest.approx(scores.left_within(Y, BATCH, CELL))
    together = scores.confounding(BATCH, CELL.astype(str))
    assert found["confounding"]["batch and cell"]["cramers_v"] == together.value
    assert "batch left within cell" in str(report)
    side_by_side = scores.compare(
        {"one": Y}, prior={"batch": BATCH}, **{role: {"cell": CELL.astype(str)}}
    )
    assert side_by_side.to_dict()["one"] == found


def test_everybody_may_be_a_neighbour_or_one_alone():
    assert np.isfinite(scores.left_within(Y, BATCH, CELL, k=1))
    assert np.isfinite(scores.left_within(Y, BATCH, CELL, k=N - 1))
    with pytest.raises(ValueError, match="'k'"):
        scores.left_within(Y, BATCH, CELL, k=N)
