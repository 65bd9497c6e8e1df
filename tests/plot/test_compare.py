import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.spatial.distance import pdist

import unprior as up
from unprior.plot._compare import align_layouts
from unprior.plot._panel import Layout


@pytest.fixture
def maps():
    rng = np.random.default_rng(0)
    return {"t-SNE": rng.normal(size=(30, 2)), "JEDI": rng.normal(size=(30, 3))}


WORDS, NUMBERS = ["a", "b", "c"] * 10, np.linspace(0, 1, 30)


def titles(axes):
    return [[ax.get_title() for ax in row] for row in axes]


def below(axes):
    return [[ax.get_xlabel() for ax in row] for row in axes]


@pytest.mark.parametrize("color", [None, WORDS, NUMBERS])
def test_one_coloring_gives_one_row(maps, color):
    axes = up.plot.compare(maps, color=color)
    assert axes.shape == (1, 2)
    assert all(isinstance(ax, Axes) for ax in axes.flat)
    assert titles(axes) == [["t-SNE", "JEDI"]]
    assert below(axes) == [["", "components 1 and 2 of 3"]]


def test_the_maps_are_drawn_in_their_columns(maps):
    axes = up.plot.compare(maps, align=False)
    for ax, Y in zip(axes[0], maps.values(), strict=True):
        np.testing.assert_array_equal(
            np.vstack([c.get_offsets() for c in ax.collections]), Y[:, :2]
        )


def test_a_dict_of_colorings_gives_a_row_each_with_one_key(maps):
    axes = up.plot.compare(maps, color={"species": WORDS, "mass": NUMBERS})
    assert axes.shape == (2, 2)
    assert titles(axes) == [["t-SNE", "JEDI"], ["", ""]]
    assert axes[0, 0].get_legend() is None
    assert axes[0, 1].get_legend().get_title().get_text() == "species"
    assert axes[1, 0].child_axes == []
    (bar,) = axes[1, 1].child_axes
    assert bar.get_title(loc="left") == "mass"


def test_a_hue_means_one_thing_in_the_figure(maps):
    axes = up.plot.compare(maps, color={"species": WORDS, "sex": ["f", "m"] * 15})
    hues = [h.get_color() for ax in axes[:, 1] for h in ax.get_legend().legend_handles]
    assert len(set(hues)) == 5


def test_notes_stand_below_the_column_or_each_panel(maps):
    color = {"species": WORDS, "mass": NUMBERS}
    maps = {name: Y[:, :2] for name, Y in maps.items()}
    one = up.plot.compare(maps, color=color, notes={"JEDI": "species left 0.02"})
    assert below(one) == [["", ""], ["", "species left 0.02"]]
    each = up.plot.compare(maps, color=color, notes={"JEDI": ["left 0.02", "kept 0.8"]})
    assert below(each) == [["", "left 0.02"], ["", "kept 0.8"]]


def test_maps_are_turned_towards_the_first(maps):
    Y = maps["t-SNE"]
    turned = Y @ [[0.6, 0.8], [0.8, -0.6]] + 5
    before, after = up.plot.compare({"before": Y, "after": turned})[0]
    shown = [ax.collections[-1].get_offsets() for ax in (before, after)]
    np.testing.assert_allclose(shown[1] - shown[1].mean(axis=0), Y - Y.mean(axis=0))


@pytest.mark.filterwarnings("ignore::unprior.OverRemovalWarning")
def test_scores_stand_below_the_row_of_their_name_and_the_rest_below_the_last(maps):
    maps = {name: Y[:, :2] for name, Y in maps.items()}
    scores = up.scores.compare(maps, X=maps["t-SNE"], prior={"species": WORDS}, k=3)
    for told in (scores, scores.reports, scores.to_dict()):
        above, below_it = below(
            up.plot.compare(maps, color={"species": WORDS, "mass": NUMBERS}, scores=told)
        )
        for name, over, under in zip(maps, above, below_it, strict=True):
            told = scores.to_dict()[name]
            assert over == f"species left {told['prior']['species']['neighbor_purity']:.2f}"
            assert under == f"data kept {told['data']['neighbor_overlap']:.2f}"
    some = below(up.plot.compare(maps, scores={"JEDI": scores.reports["JEDI"]}))
    assert some[0][0] == ""
    assert some[0][1].startswith("species left ")
    assert "data kept " in some[0][1]


LONG = {
    "the laboratory in which it was measured": WORDS,
    "month of the year, as amount": NUMBERS,
    "volunteer_who_counted_the_birds_in_the_field": WORDS,
}


def extents(axes):
    """Boxes of the panels, and of the texts above and below them, when all is laid out."""
    axes[0, 0].figure.draw_without_rendering()
    texts = [text for ax in axes.flat for text in (ax.title, ax.xaxis.label) if text.get_text()]
    return [thing.get_window_extent() for thing in (*axes.flat, *texts)]


@pytest.mark.parametrize("color", [None, WORDS, {"a color": WORDS, "another": NUMBERS}])
def test_texts_of_any_length_stay_clear_of_each_other_and_of_other_panels(color):
    rng = np.random.default_rng(0)
    names = ["t-SNE", "Residual (aligned), then JEDI at strength 0.5 (chosen)", "CONFETTI"]
    maps = {name: rng.normal(size=(30, 2)) for name in names}
    scores = up.scores.compare(maps, prior=LONG, hidden={"sex of the bird": WORDS}, k=3)
    boxes = extents(up.plot.compare(maps, color=color, scores=scores))
    for place, box in enumerate(boxes):
        for other in boxes[:place]:
            assert not box.padded(-1).overlaps(other.padded(-1))


def test_scores_that_fit_share_a_line_and_others_have_one_each(maps):
    maps = {name: Y[:, :2] for name, Y in maps.items()}
    short = {name: {"prior": {"a": {"neighbor_purity": 0.1, "overlap_area": 0.7},
                             "b": {"neighbor_coherence": -0.001}}} for name in maps}  # fmt: skip
    assert below(up.plot.compare(maps, scores=short)) == [["a left 0.10, b left 0.00"] * 2]
    long = {name: {"prior": {key: {"neighbor_purity": 0.1} for key in LONG}} for name in maps}
    lines = below(up.plot.compare(maps, scores=long))[0][0].split("\n")
    assert lines == [
        "the laboratory … it was measured left 0.10",
        "month of the year, as amount left 0.10",
        "volunteer_who_c…rds_in_the_field left 0.10",
    ]


@pytest.mark.parametrize(
    "words", [WORDS, [f"a group with a rather long name {i % 28}" for i in range(30)]]
)
def test_panels_keep_their_size_whatever_stands_beside_them(maps, words):
    for color in (None, words, {"a": words, "b": NUMBERS}):
        axes = up.plot.compare(maps, color=color)
        axes[0, 0].figure.draw_without_rendering()
        sizes = [panel.get_window_extent().size for panel in axes.flat]
        np.testing.assert_allclose(sizes, np.broadcast_to(300, (axes.size, 2)), atol=5)


def test_a_palette_has_the_shape_of_the_colors(maps):
    single = up.plot.compare(maps, color=WORDS, palette={"a": "red"})
    rows = up.plot.compare(maps, color={"s": WORDS, "t": WORDS}, palette={"t": {"a": "red"}})
    handles = [ax.get_legend().legend_handles[0].get_color() for ax in (single[0, 1], *rows[:, 1])]
    assert [color == "red" for color in handles] == [True, False, True]


def test_it_draws_on_the_given_axes(maps):
    given = Figure().subplots(1, 2)
    assert up.plot.compare(maps, ax=given)[0].tolist() == given.tolist()


def test_the_figure_is_saved_without_warnings(maps, tmp_path):
    axes = up.plot.compare(maps, color={"species": WORDS, "mass": NUMBERS}, notes={"JEDI": "a"})
    axes[0, 0].figure.savefig(tmp_path / "compare.png")
    widths = [ax.get_window_extent().width for ax in axes.flat]
    assert widths == pytest.approx([widths[0]] * 4, rel=0.01)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda maps: up.plot.compare([1, 2]), "'maps' takes a dict of maps by name.* got list"),
        (lambda maps: up.plot.compare({}), "'maps' takes a dict of maps by name.* got an empty"),
        (
            lambda maps: up.plot.compare({**maps, "UMAP": np.zeros((7, 2))}),
            "'maps' takes maps of the same samples; got .*'UMAP': 7",
        ),
        (lambda maps: up.plot.compare({"a": np.zeros(7)}), r"maps\['a'\].* got shape \(7,\)"),
        (
            lambda maps: up.plot.compare(maps, color={"sex": [1, 2]}),
            r"color\['sex'\].* each of the 30 samples",
        ),
        (lambda maps: up.plot.compare(maps, color={}), "'color' takes values or a dict of them"),
        (
            lambda maps: up.plot.compare(maps, notes={"UMAP": "?"}),
            "'notes' takes the names",
        ),
        (
            lambda maps: up.plot.compare(maps, notes={"JEDI": ["a", "b"]}),
            r"notes\['JEDI'\] takes a line or a list of one for each of the 1 rows; got 2",
        ),
        (
            lambda maps: up.plot.compare(maps, scores={"UMAP": {}}),
            r"'scores' takes what scores.compare returns .* got \['UMAP'\]",
        ),
        (lambda maps: up.plot.compare(maps, scores=3), "'scores' takes .* got int"),
        (
            lambda maps: up.plot.compare(maps, ax=Figure().subplots()),
            r"'ax' takes an array of Axes of shape \(1, 2\); got shape \(1, 1\)",
        ),
        (lambda maps: up.plot.compare(maps, ax=[None, None]), "'ax' takes a matplotlib Axes"),
    ],
)
def test_bad_input_is_named(maps, call, sentence):
    with pytest.raises(ValueError, match=r"plot\.compare: .*" + sentence):
        call(maps)


def layouts(**maps):
    return {name: Layout(Y, is_strip=False, remark=name) for name, Y in maps.items()}


@given(angle=st.floats(0, 2 * np.pi), flip=st.booleans(), seed=st.integers(0, 100))
def test_a_turned_or_flipped_map_is_turned_back(angle, flip, seed):
    Y = np.random.default_rng(seed).normal(size=(20, 2))
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    moved = (Y * [-1 if flip else 1, 1]) @ turn + [3, -7]
    back = align_layouts(layouts(a=Y, b=moved))["b"].points
    np.testing.assert_allclose(back - back.mean(axis=0), Y - Y.mean(axis=0), atol=1e-9)
    assert back.mean(axis=0) == pytest.approx(moved.mean(axis=0))


def test_distances_stay_and_samples_come_nearer_to_their_place_on_the_first(rng):
    Y, other = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
    other[:, 1] += 3 * Y[:, 0]
    aligned = align_layouts(layouts(a=Y, b=other))
    assert aligned["a"].points is Y
    np.testing.assert_allclose(pdist(aligned["b"].points), pdist(other))
    assert aligned["b"].remark == "b"

    def gap(points):
        return np.square((points - points.mean(axis=0)) - (Y - Y.mean(axis=0))).sum()

    assert gap(aligned["b"].points) < gap(other)


def test_strips_are_turned_end_to_end_only(rng):
    first, second, plane = (rng.normal(size=(30, 2)) for _ in range(3))
    second[:, 0] = -first[:, 0]
    strips = {name: Layout(Y, True, "") for name, Y in {"a": first, "b": second}.items()}
    aligned = align_layouts({**layouts(plane=plane), **strips})
    np.testing.assert_array_equal(aligned["b"].points, second * [-1, 1])
    assert aligned["a"].points is first
    assert aligned["plane"].points is plane
