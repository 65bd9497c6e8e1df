"""A descent with constraints goes on while they are not met, and only so long."""

import numpy as np
import pytest

from unprior.objectives._evaluation import Evaluation
from unprior.optimize import Annealed, minimize_constrained
from unprior.optimize._constrained import SETTLING_ROUNDS

START = np.array([[0.0, 1.0], [2.0, -1.0], [-2.0, 0.0]])


class Bowl:
    def evaluate(self, Y, exaggeration=1.0, emphasis=1.0, *, broad=False):
        return Evaluation(float((Y**2).sum() / 2), Y)


class Ascent:
    def __init__(self, met_after):
        self.met_after, self.steps = met_after, []

    def __call__(self, iteration, Y, objective):
        self.steps.append(iteration)
        return objective

    def is_met(self, tolerance):
        return len(self.steps) >= self.met_after


@pytest.mark.parametrize(("met_after", "rounds"), [(0, 0), (21, 1), (10**6, SETTLING_ROUNDS)])
def test_further_steps_are_taken_until_constraints_are_met(met_after, rounds):
    ascent = Ascent(met_after)
    descent = minimize_constrained(Bowl(), START, Annealed(20, 0.1, 1.0, gains=False), ascent)
    assert descent.n_iter == 20 + 2 * rounds
    assert ascent.steps == [*range(descent.n_iter)]


def test_nothing_follows_a_stop():
    stops = [lambda iteration, value, Y: iteration == 5]
    schedule = Annealed(20, 0.1, 1.0, gains=False)
    descent = minimize_constrained(Bowl(), START, schedule, Ascent(10**6), callbacks=stops)
    assert (descent.n_iter, descent.stopped_by) == (6, "callback")
