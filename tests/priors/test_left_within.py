"""What neighbours share of a prior within kept classes, against a plain loop and by chance."""

import numpy as np
import pytest

from reference.independence import left_within
from unprior import priors
from unprior.neighbors._on_map import map_neighbors
from unprior.priors import _left_within as module
from unprior.priors._keep import Keep
from unprior.priors._left import PriorLeft
from unprior.priors._left_within import PriorLeftWithin, prepare_left
from unprior.priors._read_keep import read_keep

N = 90
RNG = np.random.default_rng(0)
KEPT = RNG.choice(3, N, p=[0.6, 0.3, 0.1])
GAPS = np.where(RNG.random(N) < 0.2, -1, KEPT)

KINDS = {
    "labels": priors.labels((RNG.random(N) < np.array([0.5, 0.9, 1.0])[KEPT]).astype(int)),
    "small classes": priors.labels(np.arange(N) // 4),
    "number": priors.features(RNG.normal(size=N) + KEPT),
}


def keep_of(codes):
    return read_keep("test", [None if g < 0 else int(g) for g in codes])


@pytest.mark.parametrize("kept", [KEPT, GAPS], ids=["all", "gaps"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_equals_a_plain_loop(kind, kept):
    rows, Y = np.arange(N), RNG.normal(size=(N, 2))
    neighbors, _ = map_neighbors(Y, rows, 9)
    found = PriorLeftWithin.of(KINDS[kind], keep_of(kept), 9).among(rows, neighbors)
    expected = left_within(KINDS[kind].to_array(), kept, neighbors, 9)
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_one_kept_class_is_none(kind):
    rows, everyone = np.arange(N), Keep(np.zeros(N, dtype=np.intp), np.array(["all"]))
    neighbors, _ = map_neighbors(RNG.normal(size=(N, 2)), rows, 15)
    found = PriorLeftWithin.of(KINDS[kind], everyone, 15).among(rows, neighbors)
    plain = prepare_left(KINDS[kind], None, 15)
    assert isinstance(plain, PriorLeft)
    assert found == pytest.approx(plain.among(rows, neighbors), abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_dealt_out_within_kept_classes_share_nothing(kind):
    """On a map of the kept classes alone, which shows the prior as far as they are associated."""
    rows, keep = np.arange(N), keep_of(KEPT)
    neighbors, _ = map_neighbors(5 * np.eye(3)[KEPT] + RNG.normal(size=(N, 3)), rows, 9)
    measure, state = PriorLeftWithin.of(KINDS[kind], keep, 9), np.random.RandomState(0)
    dealt = []
    for _ in range(60):
        deal = measure.permutation(state)
        assert (KEPT[deal] == KEPT).all()
        dealt.append(measure.among(deal[rows], deal[neighbors]))
    assert abs(np.mean(dealt)) < 4 * np.std(dealt) / np.sqrt(60)


def test_the_prior_itself_as_kept_labels_is_not_left():
    rows, prior = np.arange(N), KINDS["labels"]
    neighbors, _ = map_neighbors(prior.codes[:, None] + 0.01 * RNG.normal(size=(N, 1)), rows, 9)
    assert PriorLeft.of(prior, 9).among(rows, neighbors) == pytest.approx(1)
    assert PriorLeftWithin.of(prior, keep_of(prior.codes), 9).among(rows, neighbors) == 0


def test_many_samples_are_measured_by_landmarks(monkeypatch):
    rng = np.random.default_rng(0)
    kept = rng.integers(0, 2, 3000)
    values = rng.normal(size=3000) + 2 * kept
    prior, keep, rows = priors.features(values), keep_of(kept), np.arange(500)
    neighbors, _ = map_neighbors(values[:, None], rows, 15)
    exact = PriorLeftWithin.of(prior, keep, 15).among(rows, neighbors)
    monkeypatch.setattr(module, "LANDMARKS", 200)
    found = PriorLeftWithin.of(prior, keep, 15).among(rows, neighbors)
    assert exact > 0.8
    assert found == pytest.approx(exact, abs=0.02)
