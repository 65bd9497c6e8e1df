import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unprior.plot._panel import PALEST_PIXEL, shade

RED, BLUE, GREY = np.eye(4)[0], np.eye(4)[2], np.full(4, 0.5)


def test_the_last_in_the_order_gives_the_color_and_empty_cells_are_clear():
    places, paint = np.array([0, 0, 2]), np.array([RED, BLUE, GREY])
    for order, shown in (([0, 1, 2], BLUE), ([2, 1, 0], RED)):
        image = shade(places, paint, np.array(order), 4)
        np.testing.assert_array_equal(image[0, :3], shown[:3])
        np.testing.assert_array_equal(image[2, :3], GREY[:3])
        np.testing.assert_array_equal(image[[1, 3]], 0)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=200))
def test_fuller_cells_are_never_paler(places):
    places = np.array(places)
    paint = np.tile(RED, (len(places), 1))
    alpha = shade(places, paint, np.arange(len(places)), 10)[:, 3]
    counts = np.bincount(places, minlength=10)
    occupied = np.flatnonzero(counts)
    assert (alpha[counts == 0] == 0).all()
    assert (alpha[counts == 1] == PALEST_PIXEL).all()
    assert alpha.max() <= 1
    assert (np.diff(alpha[occupied[np.argsort(counts[occupied])]]) >= 0).all()
