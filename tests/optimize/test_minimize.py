"""The descent loop, on toy objectives and JEDI's."""

import numpy as np
import pytest

import unprior as up
from unprior.objectives import Evaluation
from unprior.optimize import Annealed, TwoPhases, minimize
from unprior.optimize._minimize import LEAST_FALL, SMALLER, WINDOW, DivergedError, is_flat

#: A map of ordinary width, centred.
BOTTOM = 5 * np.stack([np.cos(np.arange(20) * np.pi / 10), np.sin(np.arange(20) * np.pi / 10)], 1)


class Bowl:
    """Half the squared distance to a map; records exaggeration and emphasis."""

    def __init__(self):
        self.enlarged = []
        self.broad = []

    def evaluate(self, Y, exaggeration=1.0, emphasis=1.0, *, broad=False):
        self.enlarged.append((exaggeration, emphasis))
        self.broad.append(broad)
        return Evaluation(0.5 * float(((Y - BOTTOM) ** 2).sum()), Y - BOTTOM)


@pytest.fixture
def start(rng):
    Y = rng.normal(size=(20, 2))
    return Y - Y.mean(axis=0)


def plain(n_iter, learning_rate=0.05):
    return Annealed(n_iter, learning_rate, emphasis=1.0, gains=True)


def test_reaches_the_bottom(start):
    descent = minimize(Bowl(), start, plain(60, 0.2))
    assert np.abs(descent.embedding - BOTTOM).max() < 0.05
    assert descent.stopped_by == "n_iter"
    assert descent.n_iter == 60
    assert descent.history[0] == 0.5 * ((start - BOTTOM) ** 2).sum()


def test_stops_on_a_small_gradient(start):
    descent = minimize(Bowl(), start, plain(400), min_grad_norm=0.1)
    assert descent.stopped_by == "gradient"
    assert descent.n_iter < 400
    assert np.linalg.norm(descent.embedding - BOTTOM) <= 0.1


def test_stops_where_the_smoothed_objective_is_flat(start):
    descent = minimize(Bowl(), start, plain(3000))
    assert descent.stopped_by == "plateau"
    assert descent.n_iter < 3000
    assert np.abs(descent.embedding - BOTTOM).max() < 1e-2


class Ring:
    """Each sample at a distance of 3 from the origin, which is a saddle."""

    def evaluate(self, Y, exaggeration=1.0, emphasis=1.0, *, broad=False):
        squares = (Y**2).sum(axis=1)
        value = (squares**2 / 36 - squares / 2).sum()
        return Evaluation(float(value), (squares[:, None] / 9 - 1) * Y)


def test_a_speck_is_not_the_end(start):
    descent = minimize(Ring(), 1e-12 * start, TwoPhases(900, 0.1, n_early=0), min_grad_norm=1e-7)
    assert descent.stopped_by != "n_iter"
    assert np.linalg.norm(descent.embedding, axis=1) == pytest.approx(3, abs=1e-2)


def test_a_noisy_objective_stops_too(start, rng):
    class Noisy(Bowl):
        def evaluate(self, Y, *args, **broad):
            now = super().evaluate(Y, *args, **broad)
            return Evaluation(now.value + 1e-3 * rng.normal(), now.gradient)

    assert minimize(Noisy(), start, plain(3000)).stopped_by == "plateau"


def test_only_the_first_steps_are_broad(start):
    bowl = Bowl()
    minimize(bowl, start, plain(20))
    assert bowl.broad == [True] * 4 + [False] * 16


def test_does_not_stop_while_something_is_enlarged(start):
    phases = TwoPhases(30, 0.05, n_early=10)
    assert minimize(Bowl(), BOTTOM + start * 1e-9, phases, min_grad_norm=1e-3).n_iter == 11
    annealed = Annealed(30, 0.05, emphasis=2.0, gains=False)
    assert minimize(Bowl(), BOTTOM + start * 1e-9, annealed, min_grad_norm=1e-3).n_iter == 28


def test_two_phases_exaggerate_the_first(start):
    bowl = Bowl()
    minimize(bowl, start, TwoPhases(30, 0.05, n_early=10, exaggeration=4.0))
    assert bowl.enlarged == [(4.0, 1.0)] * 10 + [(1.0, 1.0)] * 20


def test_annealing_ends_at_the_true_objective(start):
    bowl = Bowl()
    minimize(bowl, start, Annealed(20, 0.05, emphasis=2.0, gains=False))
    emphases = [emphasis for _, emphasis in bowl.enlarged]
    assert emphases[0] == 2.0
    assert emphases == sorted(emphases, reverse=True)
    assert emphases[-2:] == [1.0, 1.0]


def test_no_sample_moves_farther_than_the_longest_step(start):
    maps = []
    minimize(
        Bowl(),
        100 * start,
        Annealed(20, 5.0, emphasis=1.0, gains=False),
        callbacks=[lambda t, value, Y: maps.append(Y) and None],
    )
    moves = np.linalg.norm(np.diff(maps, axis=0), axis=2)
    assert moves.max() > 0.9
    assert moves.max() < 1.2  # centring the map may add a little


def test_callbacks_see_every_step_and_can_stop(start):
    seen = []

    def watch(iteration, value, Y):
        seen.append((iteration, value))

    def stop(iteration, value, Y):
        return iteration == 5

    descent = minimize(Bowl(), start, plain(30), callbacks=[watch, stop])
    assert [t for t, _ in seen] == list(range(6))
    np.testing.assert_array_equal([v for _, v in seen], descent.history)
    assert descent.stopped_by == "callback"
    assert np.abs(descent.embedding).max() > 0


def test_callbacks_look_at_maps_that_are_neither_copied_nor_changed_later(start):
    maps, copies = [], []

    def look(iteration, value, Y):
        maps.append(Y)
        copies.append(Y.copy())

    minimize(Bowl(), start, plain(5), callbacks=[look])
    assert maps[0].base is start
    np.testing.assert_array_equal(maps, copies)
    with pytest.raises(ValueError, match="read-only"):
        minimize(Bowl(), start, plain(5), callbacks=[lambda t, value, Y: Y.fill(0)])


def test_a_keyboard_stop_keeps_the_map_so_far(start):
    def interrupt(iteration, value, Y):
        if iteration == 4:
            raise KeyboardInterrupt

    whole = minimize(Bowl(), start, plain(30), callbacks=[lambda t, v, Y: t == 4])
    cut = minimize(Bowl(), start, plain(30), callbacks=[interrupt])
    assert cut.stopped_by == "keyboard"
    np.testing.assert_array_equal(cut.embedding, whole.embedding)


def test_a_stop_before_the_first_step_leaves_nothing_to_keep(start):
    def interrupt(iteration, value, Y):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        minimize(Bowl(), start, plain(30), callbacks=[interrupt])


def test_a_stop_inside_compiled_code_keeps_the_map_too(start):
    def interrupt(iteration, value, Y):
        if iteration == 4:
            raise SystemError from KeyboardInterrupt()

    def fail(iteration, value, Y):
        raise SystemError

    assert minimize(Bowl(), start, plain(30), callbacks=[interrupt]).stopped_by == "keyboard"
    with pytest.raises(SystemError):
        minimize(Bowl(), start, plain(30), callbacks=[fail])


def test_the_start_is_not_modified(start):
    before = start.copy()
    minimize(Bowl(), start, plain(10))
    np.testing.assert_array_equal(start, before)


class Cliff(Bowl):
    """A bowl with no way back from outside."""

    def evaluate(self, Y, *args, **broad):
        now = super().evaluate(Y, *args, **broad)
        return now if np.abs(Y).max() < 50 else Evaluation(np.nan, now.gradient)


def test_a_descent_that_diverges_begins_anew_with_smaller_steps(start):
    steps = TwoPhases(40, 30.0, n_early=0)
    with pytest.warns(up.DivergenceWarning, match="step size of 30 and restarts with 3") as w:
        descent = minimize(Cliff(), start, steps)
    assert len(w) == descent.n_restarts > 0
    small = TwoPhases(40, 30.0 * SMALLER**descent.n_restarts, n_early=0)
    np.testing.assert_array_equal(descent.embedding, minimize(Cliff(), start, small).embedding)


@pytest.mark.filterwarnings("ignore::unprior.DivergenceWarning")
def test_one_that_always_diverges_is_given_up(start):
    with pytest.raises(DivergedError, match=r"diverged 4 times.*'learning_rate'"):
        minimize(Bowl(), start, TwoPhases(40, 1e300, n_early=0))


def test_a_plateau_needs_two_windows():
    assert not is_flat([1.0] * (2 * WINDOW - 1))
    assert is_flat([1.0] * (2 * WINDOW))


def test_a_slow_fall_goes_on_and_a_slower_one_ends():
    steps = np.arange(2 * WINDOW)
    assert not is_flat(list(1 - 2 * LEAST_FALL / WINDOW * steps))
    assert is_flat(list(1 - 0.5 * LEAST_FALL / WINDOW * steps))


def test_only_the_last_windows_count_for_a_plateau():
    assert is_flat([100.0, 50.0, 3.0, *[1.0] * (2 * WINDOW)])


def test_a_rise_is_a_plateau():
    assert is_flat(list(np.linspace(0, 1, 2 * WINDOW)))
