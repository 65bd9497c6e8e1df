"""The number of threads follows the time that steps take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unprior._threads import Pace


def total(most, seconds, n_steps):
    """Return the total time of the steps, and how many ran on one thread."""
    pace, spent, alone = Pace(most), 0.0, 0
    for _ in range(n_steps):
        alone += pace.n_threads == 1
        step = seconds[pace.n_threads]
        pace.note(step)
        spent += step
    return spent, alone


def test_threads_that_help_are_used():
    assert total(4, {4: 1.0, 1: 3.5}, 200) == (199 + 3.5, 1)


@pytest.mark.parametrize("slow", [1.1, 3.0, 50.0])
def test_threads_that_only_wait_are_left_alone(slow):
    spent, _ = total(4, {4: slow, 1: 1.0}, 500)
    assert spent < 500 * 1.3 + 20 * slow


def test_all_threads_come_back_when_the_machine_is_free_again():
    pace = Pace(2)
    for _ in range(100):
        pace.note(9.0 if pace.n_threads == 2 else 1.0)
    used = []
    for _ in range(200):
        used.append(pace.n_threads)
        pace.note(0.5 if pace.n_threads == 2 else 1.0)
    assert used[60:] == [2] * 140


@given(st.lists(st.floats(0, 100), max_size=200))
def test_one_thread_stays_one(seconds):
    pace = Pace(1)
    for step in seconds:
        pace.note(step)
        assert pace.n_threads == 1
