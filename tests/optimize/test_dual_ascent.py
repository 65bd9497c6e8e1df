"""Multipliers rise while too much of a prior is left, and fall while too little is."""

import numpy as np
import pytest

from unprior import priors
from unprior.objectives import Evaluation, IndependenceObjective
from unprior.optimize import Annealed, DualAscent, _dual_ascent, minimize_constrained
from unprior.optimize._dual_ascent import (
    EVERY,
    LEAST,
    LEAST_SCALE,
    MOST,
    REACH,
    SETTLING_ROUNDS,
)
from unprior.priors._left import PriorLeft

N = 60
LABELS = np.arange(N) % 2
#: A map of the labels, and one on which each sample lies beside one of the other class.
PARTED = np.column_stack([100.0 * LABELS, np.arange(N)])
MEASURE = PriorLeft.of(priors.labels(LABELS), 5)
OTHER = PriorLeft.of(priors.features(np.random.default_rng(0).normal(size=N)), 5)
MIXED = np.arange(N)[:, None].astype(float)


def ascent(*targets, first=0, multiplier=0.0):
    measures = [MEASURE, OTHER][: len(targets)]
    return DualAscent(
        measures, targets, [multiplier] * len(targets), first, np.random.RandomState(0)
    )


def objective(n_priors=1):
    return IndependenceObjective(None, [None] * n_priors, (0.0,) * n_priors)


def test_a_map_that_shows_too_much_raises_the_multiplier_and_too_little_lowers_it():
    for Y, target, sign in ((PARTED, 0.0, 1), (MIXED, 0.0, -1), (PARTED, 1.0, 0)):
        moving = ascent(target)
        found = moving(0, Y, objective())
        assert np.sign(round(moving.multipliers[0], 9)) == sign
        assert found.multipliers == tuple(moving.multipliers)


def test_every_prior_has_its_own_multiplier_and_target():
    moving = ascent(-1.0, 0.0)
    found = moving(0, PARTED, objective(2))
    assert moving.multipliers[0] > abs(moving.multipliers[1]) > 0
    assert found.multipliers == tuple(moving.multipliers)
    assert len(moving.left) == 2


def test_multipliers_stay_within_bounds():
    rising, falling, in_part = ascent(-9.0), ascent(0.0), ascent(9.0)
    for step in range(0, 300 * EVERY, EVERY):
        rising(step, PARTED, objective())
        falling(step, MIXED, objective())
        in_part(step, PARTED, objective())
    assert rising.multipliers == [MOST]
    assert falling.multipliers == [LEAST]
    # A prior that is removed in part only is never restored.
    assert in_part.multipliers == [0.0]


def test_a_map_that_is_on_its_way_does_not_raise_the_multiplier():
    shown = iter([0.5, 0.4])

    class Falling:
        k = 5

        def among(self, rows, neighbors):
            return next(shown)

    moving = DualAscent([Falling()], [0.0], [0.0], 0, np.random.RandomState(0))
    moving(0, PARTED, objective())
    before = moving.multipliers[0]
    moving(EVERY, PARTED, objective())
    assert moving.multipliers[0] < before


def test_maps_are_measured_every_few_steps_and_multipliers_move_from_the_first_on():
    moving, before = ascent(0.0, first=10 * EVERY, multiplier=0.3), objective()
    assert moving(1, PARTED, before).scale == before.scale
    early = moving(EVERY, PARTED, before)
    assert (early.multipliers, moving.left) == ((0.3,), [])
    assert early.scale != before.scale
    assert not moving.is_met(100.0)
    moving(10 * EVERY, PARTED, before)
    assert moving.multipliers[0] > 0.3
    # Between measurements too, whatever objective is passed.
    later = moving(10 * EVERY + 1, PARTED, objective())
    assert (later.multipliers, later.scale) == ((moving.multipliers[0],), early.scale)


@pytest.mark.parametrize("size", [1e-3, 1.0, 50.0])
def test_the_scale_follows_the_neighbours_of_the_map(size):
    found = ascent(0.0)(0, size * MIXED, objective())
    # On a line with equal steps the five nearest are up to three steps away, except at the ends.
    assert found.scale == pytest.approx(max(REACH * 3 * size, LEAST_SCALE))


def test_the_least_scale_shrinks_as_maps_become_denser(monkeypatch):
    monkeypatch.setattr(_dual_ascent, "DENSE", N / 4)
    found = ascent(0.0)(0, 1e-3 * MIXED, objective())
    assert found.scale == pytest.approx(LEAST_SCALE / 2)


def test_it_is_met_when_every_prior_is():
    moving = ascent(1.0, 0.0)
    moving(0, PARTED, objective(2))
    off = abs(moving.left[1])
    assert moving.left[0] == pytest.approx(1)
    assert off > 0
    assert moving.is_met(off + 1e-6)
    assert not moving.is_met(off / 2)


def test_at_most_some_samples_are_measured(monkeypatch):
    monkeypatch.setattr(_dual_ascent, "MOST_ROWS", 20)
    seen = []

    class Noting:
        k = 5

        def among(self, rows, neighbors):
            seen.append((rows, neighbors.shape))
            return 0.0

    moving = DualAscent([Noting()], [0.0], [0.0], 0, np.random.RandomState(0))
    moving(0, PARTED, objective())
    moving(EVERY, PARTED, objective())
    assert [shape for _, shape in seen] == [(20, 5), (20, 5)]
    assert not np.array_equal(seen[0][0], seen[1][0])


START = np.array([[0.0, 1.0], [2.0, -1.0], [-2.0, 0.0]])


class Bowl:
    def evaluate(self, Y, exaggeration=1.0, emphasis=1.0, *, broad=False):
        return Evaluation(float((Y**2).sum() / 2), Y)


class CountingAscent:
    def __init__(self, met_after):
        self.met_after, self.steps = met_after, []

    def __call__(self, iteration, Y, objective):
        self.steps.append(iteration)
        return objective

    def is_met(self):
        return len(self.steps) >= self.met_after


@pytest.mark.parametrize(("met_after", "rounds"), [(0, 0), (21, 1), (10**6, SETTLING_ROUNDS)])
def test_further_steps_are_taken_until_constraints_are_met(met_after, rounds):
    ascent = CountingAscent(met_after)
    descent = minimize_constrained(Bowl(), START, Annealed(20, 0.1, 1.0, gains=False), ascent)
    assert descent.n_iter == 20 + 2 * rounds
    assert ascent.steps == [*range(descent.n_iter)]


def test_nothing_follows_a_stop():
    stops = [lambda iteration, value, Y: iteration == 5]
    schedule = Annealed(20, 0.1, 1.0, gains=False)
    descent = minimize_constrained(Bowl(), START, schedule, CountingAscent(10**6), callbacks=stops)
    assert (descent.n_iter, descent.stopped_by) == (6, "callback")
