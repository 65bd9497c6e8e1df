"""Options of a caller for colours, points and legends."""

import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import unprior as up
from unprior import priors
from unprior.plot import _axes
from unprior.plot._colors import read_color


@pytest.fixture
def Y(rng):
    return rng.normal(size=(100, 2))


def painted(ax):
    return np.concatenate([points.get_facecolors() for points in ax.collections])


def test_a_colour_map_by_name(Y):
    ax = up.plot.embedding(Y, color=Y[:, 0], cmap="magma")
    highest = painted(ax)[Y[:, 0].argmax()]
    np.testing.assert_allclose(highest[:3], mpl.colormaps["magma"](1.0)[:3], atol=0.01)
    axes = up.plot.compare({"one": Y}, color=Y[:, 0], cmap=mpl.colormaps["magma"])
    np.testing.assert_allclose(painted(axes[0, 0])[:, :3], painted(ax)[:, :3])
    with pytest.raises(ValueError, match=r"'cmap' takes a colour map .* mean 'viridis'"):
        up.plot.embedding(Y, color=Y[:, 0], cmap="virids")


def test_size_and_legend(Y):
    ax = up.plot.embedding(Y, color=["a", "b"] * 50, size=77, legend=False)
    assert {*ax.collections[0].get_sizes()} == {77}
    assert ax.get_legend() is None
    axes = up.plot.compare({"one": Y}, color=Y[:, 0], size=77, legend=False)
    assert {*axes[0, 0].collections[0].get_sizes()} == {77}
    assert not axes[0, 0].child_axes
    for option in ({"size": 0}, {"legend": "no"}):
        with pytest.raises(ValueError, match=f"plot.embedding: '{next(iter(option))}' takes"):
            up.plot.embedding(Y, **option)


def test_what_comes_round_has_one_colour_at_both_ends(Y):
    hours = np.linspace(0, 24, 100)
    colors = painted(up.plot.embedding(Y, color=priors.cyclic(hours, 24)))
    np.testing.assert_allclose(colors[1], colors[-2], atol=0.1)
    assert np.abs(colors[0] - colors[50]).max() > 0.5
    plain = painted(up.plot.embedding(Y, color=hours))
    assert np.abs(plain[1] - plain[-2]).max() > 0.5


@pytest.mark.parametrize(
    ("prior", "plain"),
    [
        (priors.labels(["a", "b"] * 50), ["a", "b"] * 50),
        (priors.features(np.arange(100.0)), np.arange(100.0)),
        (np.arange(100.0)[:, None], np.arange(100.0)),
    ],
)
def test_a_prior_is_drawn_like_its_values(Y, prior, plain):
    got, want = (up.plot.embedding(Y, color=color) for color in (prior, plain))
    np.testing.assert_array_equal(painted(got), painted(want))


def test_a_prior_without_values_is_refused(Y):
    with pytest.raises(ValueError, match="got a prior of kind 'distances'"):
        up.plot.embedding(Y, color=priors.distances(np.abs(Y[:, :1] - Y[:, 0])))


def test_colours_are_matched_by_the_index(Y):
    frame = pd.DataFrame(Y, index=[f"s{k}" for k in range(100)])
    kind = pd.Series(["a"] * 50 + ["b"] * 50, index=frame.index)
    want = read_color("plot", "color", kind.to_numpy(), 100)
    got = read_color("plot", "color", kind[::-1], 100, index=frame.index)
    np.testing.assert_array_equal(got.codes, want.codes)
    up.plot.embedding(frame, color=kind[::-1])
    with pytest.raises(ValueError, match="the index of 'color' does not match that of 'Y'"):
        up.plot.embedding(frame, color=kind.reset_index(drop=True))


@pytest.mark.parametrize("palette", ["turbo", ["red", "blue", "green"], "tab20"])
def test_a_hundred_groups_may_all_have_colours(rng, palette):
    groups = [f"g{k}" for k in range(100)]
    Y = rng.normal(size=(300, 2))
    coloring = read_color("plot", "color", groups * 3, 300, palette=palette)
    assert len(coloring.names) == 100
    assert len({mpl.colors.to_hex(c) for c in coloring.colors}) == {
        "turbo": 100, "tab20": 20}.get(str(palette), 3)  # fmt: skip
    legend = up.plot.embedding(Y, color=groups * 3, palette=palette).get_legend()
    texts = [text.get_text() for text in legend.get_texts()]
    assert len(texts) == 44
    assert texts[-1] == "... and 57 more"


def test_a_legend_does_not_lie_on_the_next_panel(Y):
    figure = Figure(figsize=(6, 3))
    left, right = figure.subplots(1, 2)
    up.plot.embedding(Y, color=["a", "b"] * 50, ax=left)
    figure.draw_without_rendering()
    key, beside = left.get_legend().get_window_extent(), right.get_window_extent()
    assert key.x1 <= beside.x0
    alone = Figure(figsize=(6, 3))
    panel = alone.subplots()
    up.plot.embedding(Y, color=["a", "b"] * 50, ax=panel)
    alone.draw_without_rendering()
    assert panel.get_legend().get_window_extent().x0 >= panel.get_window_extent().x1 - 1


class Pyplot:
    """Stands for pyplot with somewhere to show figures."""

    def __init__(self, backend):
        self.backend, self.made = backend, []

    def get_backend(self):
        return self.backend

    def figure(self, **options):
        self.made.append(Figure(**options))
        return self.made[-1]


@pytest.mark.parametrize(("backend", "shown"), [("QtAgg", True), ("agg", False)])
def test_pyplot_knows_of_figures_that_can_be_shown(Y, monkeypatch, backend, shown):
    pyplot = Pyplot(backend)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    monkeypatch.setattr(mpl, "pyplot", pyplot, raising=False)
    figure = up.plot.embedding(Y).figure
    assert (figure in pyplot.made) == shown


def test_without_pyplot_nothing_is_asked(Y, monkeypatch):
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    assert _axes._shows_figures() is None
    assert hasattr(up.plot.embedding(Y).figure, "_repr_png_")
