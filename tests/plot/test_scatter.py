import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

import unprior as up
from unprior.plot._colors import HUES
from unprior.plot._panel import MARKERS, POINT_SAMPLES, SHAPED_SAMPLES


def random_map(n=60, d=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def drawn(ax):
    """All points on the Axes with their colours, in no particular order."""
    points = np.vstack([layer.get_offsets() for layer in ax.collections])
    colors = np.vstack(
        [np.broadcast_to(c.get_facecolors(), (len(c.get_offsets()), 4)) for c in ax.collections]
    )
    return points, colors


def rows_of(points, Y):
    """Which sample of Y each drawn point is."""
    return np.abs(points[:, None] - Y[None]).sum(axis=2).argmin(axis=1)


@pytest.mark.parametrize("n", [60, SHAPED_SAMPLES + 1])
def test_every_sample_is_drawn_once_in_its_color(n):
    Y = random_map(n)
    words = np.array(["a", "b", "c"])[np.arange(n) % 3].astype(object)
    words[::10] = None
    points, colors = drawn(up.plot.embedding(Y, color=words))
    rows = rows_of(points, Y)
    assert sorted(rows) == list(range(n))
    grey = np.flatnonzero(np.array([words[row] is None for row in rows]))
    assert grey.max() == len(grey) - 1, "the missing are drawn first, below all others"
    for row, color in zip(rows, colors, strict=True):
        if words[row] is not None:
            assert color[:3] == pytest.approx(to_rgba(HUES["abc".index(words[row])])[:3])


def test_few_samples_show_their_group_by_shape_too():
    words = np.array(["a", "b"])[np.arange(SHAPED_SAMPLES + 1) % 2]
    Y = random_map(len(words))
    few = up.plot.embedding(Y[:40], color=words[:40]).get_legend().legend_handles
    many = up.plot.embedding(Y, color=words).get_legend().legend_handles
    assert [handle.get_marker() for handle in few] == list(MARKERS[:2])
    assert [handle.get_marker() for handle in many] == [MARKERS[0]] * 2


def test_the_legend_names_groups_and_the_missing():
    ax = up.plot.embedding(random_map(3), color=["x", None, "y"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "x (1)",
        "y (1)",
        "missing (1)",
    ]


def test_amounts_get_a_color_bar_and_no_legend():
    ax = up.plot.embedding(random_map(3), color=[1.0, np.nan, 5.0])
    assert ax.get_legend() is None
    (bar,) = ax.child_axes
    assert bar.get_ylim() == (1.0, 5.0)
    assert ax.get_xlabel() == "grey: 1 without a value"


def test_the_color_bar_of_dates_has_dates(tmp_path):
    days = np.datetime64("2020-01-01") + np.arange(60) * np.timedelta64(10, "D")
    ax = up.plot.embedding(random_map(), color=days)
    ax.figure.savefig(tmp_path / "days.png")
    (bar,) = ax.child_axes
    assert "2021" in [text.get_text() for text in bar.get_yticklabels()]


def test_names_are_no_formulas(tmp_path):
    ax = up.plot.embedding(random_map(2), color=["$10-$20", "_$"])
    ax.figure.savefig(tmp_path / "dollars.png")
    texts = ax.get_legend().get_texts()
    assert [text.get_text() for text in texts] == ["$10-$20 (1)", "_$ (1)"]
    assert not any(text.get_parse_math() for text in texts)


def test_without_color_there_is_no_key():
    ax = up.plot.embedding(random_map())
    assert ax.get_legend() is None
    assert ax.child_axes == []


def test_more_samples_are_drawn_smaller_and_paler():
    looks = []
    for n in (100, 1000, 10_000, POINT_SAMPLES):
        layer = up.plot.embedding(random_map(n)).collections[-1]
        looks.append((layer.get_sizes()[0], layer.get_alpha(), layer.get_rasterized()))
    sizes, alphas, rasterized = zip(*looks, strict=True)
    assert sorted(sizes, reverse=True) == list(sizes)
    assert sizes[0] > 10
    assert sizes[-1] > 0.5
    assert sorted(alphas, reverse=True) == list(alphas)
    assert alphas[-1] >= 0.4
    assert rasterized == (False, False, True, True)


def test_samples_in_tight_clusters_are_drawn_smaller_and_paler():
    spread, tight = random_map(4000), random_map(4000)
    tight[:2000] = tight[:2000] / 50 + 3
    tight[2000:] = tight[2000:] / 50 - 3
    loose, dense = (up.plot.embedding(Y).collections[-1] for Y in (spread, tight))
    assert dense.get_sizes()[0] < loose.get_sizes()[0]
    assert dense.get_alpha() < loose.get_alpha()


def test_very_many_samples_become_one_image_around_all_of_them():
    Y = random_map(POINT_SAMPLES + 1)
    ax = up.plot.embedding(Y, color=np.where(Y[:, 0] > 0, "right", "left"))
    assert len(ax.collections) == 0
    (image,) = ax.images
    left, right, bottom, top = image.get_extent()
    assert (left, bottom) < tuple(Y.min(axis=0))
    assert (right, top) > tuple(Y.max(axis=0))
    assert right - left == pytest.approx(top - bottom)
    painted = image.get_array()
    assert 0 < np.count_nonzero(painted[..., 3]) < painted[..., 3].size
    half = painted.shape[1] // 2
    west, east = (part[part[..., 3] > 0] for part in (painted[:, : half // 2], painted[:, -40:]))
    np.testing.assert_allclose(
        west[:, :3], np.broadcast_to(to_rgba(HUES[0])[:3], west[:, :3].shape)
    )
    np.testing.assert_allclose(
        east[:, :3], np.broadcast_to(to_rgba(HUES[1])[:3], east[:, :3].shape)
    )


def test_a_strip_of_very_many_samples_is_shaded_over_its_breadth():
    ax = up.plot.embedding(random_map(POINT_SAMPLES + 1, d=1))
    assert ax.get_ylim() == (-4, 4)
    _, _, bottom, top = ax.images[0].get_extent()
    assert -1.2 < bottom < -1 < 1 < top < 1.2


@pytest.mark.parametrize("n", [300, POINT_SAMPLES + 1])
def test_the_map_fills_its_panel_whatever_stands_beside_it(n):
    Y = np.random.default_rng(0).uniform(size=(n, 2))
    ax = up.plot.embedding(
        Y, color=[f"a group with quite a long name, number {i % 20}" for i in range(n)]
    )
    ax.figure.draw_without_rendering()
    for low, high in (ax.get_xlim(), ax.get_ylim()):
        assert high - low < 1.2


def test_title_note_aspect_and_no_ticks():
    ax = up.plot.embedding(random_map(), title="JEDI", note="species left 0.02")
    assert (ax.get_title(), ax.get_xlabel()) == ("JEDI", "species left 0.02")
    assert ax.get_aspect() == 1
    assert len(ax.get_xticks()) == len(ax.get_yticks()) == 0


def test_one_component_becomes_a_strip():
    Y = random_map(d=1)
    points, _ = drawn(up.plot.embedding(Y))
    np.testing.assert_array_equal(points[:, 0], Y[:, 0])
    assert len(np.unique(points[:, 1])) == len(Y)


def test_of_three_components_two_are_drawn_and_it_says_so():
    Y = random_map(d=3)
    ax = up.plot.embedding(Y, note="a note")
    points, _ = drawn(ax)
    np.testing.assert_array_equal(points, Y[:, :2])
    assert ax.get_xlabel() == "a note\ncomponents 1 and 2 of 3"


def test_it_draws_on_the_given_axes():
    given = Figure().subplots()
    assert up.plot.embedding(random_map(), ax=given) is given
    assert isinstance(up.plot.embedding(random_map()), Axes)


def test_a_notebook_shows_the_figure():
    figure = up.plot.embedding(random_map()).figure
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_a_frame_is_a_map_and_inputs_stay_as_they_were():
    Y = random_map()
    color = np.arange(60.0)
    before, color_before = Y.copy(), color.copy()
    points, _ = drawn(up.plot.embedding(pd.DataFrame(Y), color=color))
    assert sorted(rows_of(points, Y)) == list(range(60))
    up.plot.embedding(Y, color=color)
    np.testing.assert_array_equal(Y, before)
    np.testing.assert_array_equal(color, color_before)


def test_the_figure_is_saved_without_pyplot_or_settings(monkeypatch, tmp_path):
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    before = mpl.rcParams.copy()
    ax = up.plot.embedding(random_map(3000), color=np.arange(3000) % 30)
    for suffix in ("png", "pdf", "svg"):
        ax.figure.savefig(tmp_path / f"map.{suffix}")
        assert (tmp_path / f"map.{suffix}").stat().st_size > 1000
    assert "matplotlib.pyplot" not in sys.modules
    assert mpl.rcParams.copy() == before


@pytest.mark.parametrize("n_groups", [2, 21, 40])
@pytest.mark.parametrize("name", ["group", "a group with quite a long name, number"])
def test_map_and_legend_have_room_beside_each_other(n_groups, name):
    Y = random_map(400)
    ax = up.plot.embedding(Y, color=[f"{name} {i % n_groups}" for i in range(400)])
    ax.figure.draw_without_rendering()
    panel, legend = ax.get_window_extent(), ax.get_legend().get_window_extent()
    np.testing.assert_allclose(panel.size, 400, atol=5)
    assert panel.x1 < legend.x0 < legend.x1 <= ax.figure.bbox.x1 + 1


@pytest.mark.parametrize(
    ("Y", "sentence"),
    [
        (np.zeros(5), r"plot\.embedding: 'Y' takes an array \(n_samples, n_components\); got"),
        (np.zeros((0, 2)), r"got shape \(0, 2\)"),
        ([[1.0, np.nan], [0.0, 1.0]], r"plot\.embedding: 'Y' holds NaN \(first in row 0"),
        ([["a", "b"]], r"plot\.embedding: 'Y' takes numbers"),
    ],
)
def test_a_bad_map_is_named(Y, sentence):
    with pytest.raises(ValueError, match=sentence):
        up.plot.embedding(Y)


def test_bad_axes_are_named():
    with pytest.raises(ValueError, match=r"plot\.embedding: 'ax' takes a matplotlib Axes; got 3"):
        up.plot.embedding(random_map(), ax=3)
