from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

import unprior as up

CURVE = SimpleNamespace(k=np.arange(1, 11), score=np.linspace(0.1, 1, 10) ** 0.5, area=0.1234)


def test_curves_are_drawn_over_the_share_of_samples_with_their_areas():
    ax = up.plot.overlap({"t-SNE": CURVE, "JEDI": CURVE}, title="species")
    chance, first, second = ax.get_lines()
    np.testing.assert_array_equal(chance.get_xydata(), [[0, 0], [1, 1]])
    np.testing.assert_allclose(first.get_xdata(), np.linspace(0.1, 1, 10))
    np.testing.assert_array_equal(second.get_ydata(), CURVE.score)
    assert first.get_color() != second.get_color()
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["chance", "t-SNE (0.123)", "JEDI (0.123)"]
    assert ax.get_title() == "species"


def test_a_single_curve_needs_no_name():
    assert len(up.plot.overlap(CURVE).get_lines()) == 2


def test_no_two_of_many_curves_look_alike():
    lines = up.plot.overlap({str(i): CURVE for i in range(20)}).get_lines()[1:]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 20


def test_it_draws_on_the_given_axes():
    given = Figure().subplots()
    assert up.plot.overlap(CURVE, ax=given) is given


@pytest.mark.parametrize("curves", [3, {"JEDI": [1, 2]}])
def test_what_is_no_curve_is_refused(curves):
    with pytest.raises(ValueError, match=r"plot\.overlap: 'curves' takes what scores\.overlap"):
        up.plot.overlap(curves)
