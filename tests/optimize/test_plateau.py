"""When a descent has nothing more to gain."""

import numpy as np

from unprior.optimize._plateau import LEAST_FALL, WINDOW, is_flat


def test_needs_two_windows():
    assert not is_flat([1.0] * (2 * WINDOW - 1))
    assert is_flat([1.0] * (2 * WINDOW))


def test_a_slow_fall_goes_on_and_a_slower_one_ends():
    steps = np.arange(2 * WINDOW)
    assert not is_flat(list(1 - 2 * LEAST_FALL / WINDOW * steps))
    assert is_flat(list(1 - 0.5 * LEAST_FALL / WINDOW * steps))


def test_only_the_last_windows_count():
    assert is_flat([100.0, 50.0, 3.0, *[1.0] * (2 * WINDOW)])


def test_a_rise_is_flat():
    assert is_flat(list(np.linspace(0, 1, 2 * WINDOW)))
