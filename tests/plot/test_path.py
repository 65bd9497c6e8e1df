import numpy as np
import pytest
from matplotlib.figure import Figure

import unprior as up


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


def test_it_draws_on_the_given_axes(path):
    given = Figure().subplots()
    assert up.plot.path(path, ax=given) is given


def test_what_is_no_path_is_refused():
    with pytest.raises(ValueError, match=r"plot\.path: 'path' takes what unprior\.tune returns"):
        up.plot.path([0, 1])
