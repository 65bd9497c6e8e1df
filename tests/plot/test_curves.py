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


@pytest.fixture(scope="module")
def path():
    data = up.datasets.make_two_factor(100, random_state=0)
    known = {"known": data.known, "place": data.X[:, :1]}
    return up.tune(up.Residual(), data.X, prior=known, strengths=[0, 0.5, 1])


def test_a_curve_for_each_prior_and_one_for_the_data(path):
    ax = up.plot.path(path)
    known, place, kept, rest, best = ax.get_lines()
    np.testing.assert_array_equal(known.get_xdata(), [0, 0.5, 1])
    np.testing.assert_array_equal(known.get_ydata(), [step.left["known"] for step in path.steps])
    np.testing.assert_array_equal(place.get_ydata(), [step.left["place"] for step in path.steps])
    np.testing.assert_array_equal(kept.get_ydata(), path.kept)
    np.testing.assert_array_equal(rest.get_ydata(), [step.kept["rest"] for step in path.steps])
    assert len({line.get_color() for line in (known, place, kept, rest)}) == 4
    assert [*best.get_xdata()] == [path.best_strength] * 2


def test_the_legend_tells_the_scores_at_the_best_strength(path):
    ax = up.plot.path(path)
    step = path.steps[[*path.strengths].index(path.best_strength)]
    _, known, place, kept, rest = [text.get_text() for text in ax.get_legend().get_texts()]
    assert known == f"known left ({step.left['known']:.2f})"
    assert place == f"place left ({step.left['place']:.2f})"
    assert kept == f"data kept ({step.kept['data']:.2f})"
    assert rest == f"rest kept ({step.kept['rest']:.2f})"
    assert ax.get_title() == f"best strength {path.best_strength:g}"
    assert up.plot.path(path, title="penguins").get_title() == "penguins"


def test_the_band_is_what_luck_leaves(path):
    (band,) = up.plot.path(path).collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.max() == path.left_noise.max()
    assert heights.min() == -path.left_noise.max()


def test_a_path_is_drawn_on_the_given_axes(path):
    given = Figure().subplots()
    assert up.plot.path(path, ax=given) is given


def test_what_is_no_path_is_refused():
    with pytest.raises(ValueError, match=r"plot\.path: 'path' takes what unprior\.tune returns"):
        up.plot.path([0, 1])
