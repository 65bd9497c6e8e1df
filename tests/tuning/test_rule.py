import numpy as np
import pytest

from unprior.scores import Measurement, Report
from unprior.tuning import Step
from unprior.tuning._rule import GONE, KNEE, choose, closer

NOISE = 0.02


def step(strength, kept=0.5, **left):
    rows = [Measurement("prior", name, "neighbor_purity", s, 0.0, 0.0) for name, s in left.items()]
    rows.append(Measurement("data", "data", "neighbor_overlap", kept, 0.0, 0.1))
    return Step(strength, Report(tuple(rows), 15, 100, 100), dict.fromkeys(left, NOISE))


def path(left, strengths=(0.0, 0.5, 1.0, 2.0)):
    return choose([step(s, known=x) for s, x in zip(strengths, left, strict=True)], 100)


@pytest.mark.parametrize(
    ("left", "best", "rule"),
    [
        ([0.9, 0.4, 0.01, -0.3], 1.0, GONE),  # the least that is enough, not the least that is left
        ([0.9, 0.4, 0.03, 0.02], 2.0, GONE),  # as much as noise is not more
        ([0.01, 0.0, 0.0, 0.0], 0.0, GONE),  # nothing was there to remove
        ([0.9, -0.2, 0.0, 0.0], 0.5, GONE),  # less than chance is not left
        ([0.9, 0.52, 0.51, 0.5], 0.5, KNEE),  # flat from here on, but for noise
        ([0.9, 0.53, 0.49, 0.5], 1.0, KNEE),
        ([0.9, 0.53, 0.3, 0.6], 1.0, KNEE),  # more strength may bring more back
        ([0.9, 0.9, 0.9, 0.9], 0.0, KNEE),  # no strength does anything
    ],
)
def test_the_least_strength_that_is_enough(left, best, rule):
    found = path(left)
    assert (found.best_strength, found.rule) == (best, rule)


def test_strengths_come_in_any_order():
    steps = [step(2.0, known=0.0), step(0.0, known=0.9), step(1.0, known=0.01)]
    found = choose(steps, 100)
    np.testing.assert_array_equal(found.strengths, [0, 1, 2])
    assert found.best_strength == 1


def test_of_several_priors_all_have_to_be_gone():
    steps = [step(0.0, a=0.9, b=0.3), step(1.0, a=0.0, b=0.2), step(2.0, a=0.01, b=0.0)]
    found = choose(steps, 100)
    assert found.best_strength == 2
    np.testing.assert_array_equal(found.left, [0.9, 0.2, 0.01])


def test_the_next_look_is_between_enough_and_too_weak():
    assert closer(path([0.9, 0.4, 0.01, -0.3])) == [0.75]
    assert closer(path([0.9, 0.52, 0.51, 0.5])) == [0.25]
    assert closer(path([0.0, 0.0, 0.0, 0.0])) == []
