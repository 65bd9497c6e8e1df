"""The descent loop, on toy objectives and JEDI's."""

import numpy as np
import pytest

from unprior.objectives import Evaluation
from unprior.optimize import Schedule, minimize


class Bowl:
    """Half the squared distance to the origin; counts the exaggerations it was asked for."""

    def __init__(self):
        self.exaggerations = []

    def evaluate(self, Y, exaggeration=1.0):
        self.exaggerations.append(exaggeration)
        return Evaluation(0.5 * float((Y**2).sum()), Y)


@pytest.fixture
def start(rng):
    Y = rng.normal(size=(20, 2))
    return Y - Y.mean(axis=0)


def test_reaches_the_bottom(start):
    descent = minimize(Bowl(), start, Schedule(300, 0.05))
    assert np.abs(descent.embedding).max() < 1e-6
    assert descent.stopped_by == "n_iter"
    assert descent.n_iter == 300
    assert descent.history[0] == 0.5 * (start**2).sum()


def test_stops_on_a_small_gradient(start):
    descent = minimize(Bowl(), start, Schedule(3000, 0.05), min_grad_norm=1e-3)
    assert descent.stopped_by == "gradient"
    assert descent.n_iter < 3000
    assert np.linalg.norm(descent.embedding) <= 1e-3


def test_does_not_stop_while_exaggerating(start):
    descent = minimize(Bowl(), start * 1e-9, Schedule(30, 0.05), min_grad_norm=1e-3)
    assert descent.n_iter == 11


def test_exaggerates_the_first_third(start):
    bowl = Bowl()
    minimize(bowl, start, Schedule(30, 0.05, exaggeration=4.0))
    assert bowl.exaggerations == [4.0] * 10 + [1.0] * 20


def test_callbacks_see_every_step_and_can_stop(start):
    seen = []

    def watch(iteration, value, Y):
        seen.append((iteration, value))
        Y[:] = 0  # a callback that scribbles must not change the descent

    def stop(iteration, value, Y):
        return iteration == 5

    descent = minimize(Bowl(), start, Schedule(30, 0.05), callbacks=[watch, stop])
    assert [t for t, _ in seen] == list(range(6))
    np.testing.assert_array_equal([v for _, v in seen], descent.history)
    assert descent.stopped_by == "callback"
    assert np.abs(descent.embedding).max() > 0


def test_a_keyboard_stop_keeps_the_map_so_far(start):
    def interrupt(iteration, value, Y):
        if iteration == 4:
            raise KeyboardInterrupt

    whole = minimize(Bowl(), start, Schedule(30, 0.05), callbacks=[lambda t, v, Y: t == 4])
    cut = minimize(Bowl(), start, Schedule(30, 0.05), callbacks=[interrupt])
    assert cut.stopped_by == "keyboard"
    np.testing.assert_array_equal(cut.embedding, whole.embedding)


def test_the_start_is_not_modified(start):
    before = start.copy()
    minimize(Bowl(), start, Schedule(10, 0.05))
    np.testing.assert_array_equal(start, before)
