import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgba

from unprior.plot._colors import HUES, MISSING, MOST_GROUPS, OTHERS, Amounts, Groups, read_color


def read(color, **options):
    return read_color("plot.embedding", "color", color, len(color), **options)


@pytest.mark.parametrize(
    ("color", "names", "codes"),
    [
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        (np.array(["b", "a", "b"]), ("a", "b"), [1, 0, 1]),
        ([True, False, True], ("False", "True"), [1, 0, 1]),
        ([7, 3, 7], ("3", "7"), [1, 0, 1]),
        (["b", None, "a"], ("a", "b"), [1, -1, 0]),
        (["b", float("nan"), "a"], ("a", "b"), [1, -1, 0]),
        (pd.Series(["b", None, "a"]), ("a", "b"), [1, -1, 0]),
        (pd.Series(["b", None, "a"], dtype="category"), ("a", "b"), [1, -1, 0]),
        (pd.Series([7, pd.NA, 3], dtype="Int64"), ("3", "7"), [1, -1, 0]),
        (["c10", "c9", "c1"], ("c1", "c9", "c10"), [2, 1, 0]),
        ([None, None, None], (), [-1, -1, -1]),
    ],
)
def test_words_booleans_and_few_integers_are_groups(color, names, codes):
    groups = read(color)
    assert isinstance(groups, Groups)
    assert groups.names == names
    assert groups.codes.tolist() == codes


@pytest.mark.parametrize(
    ("color", "values"),
    [
        ([0.5, 1.0, 2.5], [0.5, 1.0, 2.5]),
        (np.array([0.5, np.nan, 2.5], dtype=np.float32), [0.5, np.nan, 2.5]),
        ([0.5, None, 2.5], [0.5, np.nan, 2.5]),
        (range(MOST_GROUPS + 1), np.arange(MOST_GROUPS + 1.0)),
        (pd.Series([0.5, pd.NA, 2.5], dtype="Float64"), [0.5, np.nan, 2.5]),
    ],
)
def test_floats_and_many_integers_are_amounts(color, values):
    amounts = read(color)
    assert isinstance(amounts, Amounts)
    np.testing.assert_array_equal(amounts.values, values)


def test_each_sample_gets_the_color_of_its_group():
    paint = read(["b", "a", None, "b"]).paint()
    np.testing.assert_allclose(paint[0], to_rgba(HUES[1]))
    np.testing.assert_allclose(paint[1], to_rgba(HUES[0]))
    np.testing.assert_allclose(paint[2], to_rgba(MISSING))
    np.testing.assert_array_equal(paint[3], paint[0])


def test_amounts_run_through_the_whole_colormap_and_the_rest_is_grey():
    colormap = mpl.colormaps["viridis"]
    amounts = read([3.0, np.nan, 1.0, 2.0, np.inf])
    np.testing.assert_allclose(
        amounts.paint(),
        [colormap(1.0), to_rgba(MISSING), colormap(0.0), colormap(0.5), to_rgba(MISSING)],
    )
    assert amounts.remark == "grey: 2 without a value"
    assert read([3.0, 1.0]).remark == ""


@pytest.mark.parametrize("amount", [2.5, 0.0, -3e17])
def test_one_amount_for_all_has_the_color_that_the_bar_shows_for_it(amount):
    amounts = read([amount] * 3)
    paint, bar = amounts.paint(), amounts.scale()
    np.testing.assert_allclose(paint, np.broadcast_to(mpl.colormaps["viridis"](0.5), (3, 4)))
    assert bar.norm.vmin < amount < bar.norm.vmax


def test_all_groups_up_to_the_limit_have_colors_of_their_own():
    groups = read([f"g{i}" for i in range(MOST_GROUPS)])
    assert len({tuple(np.round(color, 3)) for color in groups.colors}) == MOST_GROUPS


def test_beyond_the_limit_the_largest_groups_keep_their_names():
    words = [f"g{i}" for i in range(30) for _ in range(i + 1)]
    groups = read(words)
    assert groups.names == (*(f"g{i}" for i in range(10, 30)), "10 others")
    assert groups.colors[-1] == OTHERS
    assert np.count_nonzero(groups.codes == MOST_GROUPS - 1) == sum(range(1, 11))


@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=60))
def test_codes_lead_back_to_the_words(words):
    groups = read(words)
    for word, code in zip(words, groups.codes, strict=True):
        if word is None:
            assert code == -1
        elif groups.names[code].endswith(" others"):
            assert words.count(word) <= min(words.count(kept) for kept in groups.names[:-1])
        else:
            # NumPy strips trailing null characters from words.
            assert groups.names[code] == word.rstrip("\0")


def test_hues_can_start_where_another_coloring_ended():
    colors = read([f"g{i}" for i in range(3)], first_hue=6).colors
    np.testing.assert_allclose([to_rgba(c) for c in colors], [to_rgba(HUES[i]) for i in (6, 0, 1)])


def test_the_key_counts_groups_and_the_missing_if_there_are_any():
    assert read(["a", "b", "a"]).key() == [
        (0, "a (2)", read(["a"]).colors[0]),
        (1, "b (1)", read(["a", "b"]).colors[1]),
    ]
    assert read(["a", None]).key()[-1] == (-1, "missing (1)", MISSING)
    assert read(["a"] * 1234).key()[0][1] == "a (1,234)"


def test_the_key_leaves_out_the_middle_of_long_names():
    (_, label, _), *_ = read(["measured in the laboratory upstairs"]).key()
    assert label == "measured in the…oratory upstairs (1)"
    alike = [f"measured in laboratory {i}, which is upstairs" for i in range(3)]
    assert [label for _, label, _ in read(alike).key()] == [f"{name} (1)" for name in alike]


def test_a_palette_recolors_the_groups_it_names():
    groups = read(["b", "a", "3"], palette={"a": "red", 3: "#00ff00", "z": "blue"})
    np.testing.assert_allclose(groups.paint()[:, :3], [to_rgba(HUES[2])[:3], (1, 0, 0), (0, 1, 0)])


@pytest.mark.parametrize("palette", [{"a": "no color"}, ["red", "no color"], []])
def test_a_bad_palette_is_named(palette):
    with pytest.raises(ValueError, match=r"plot\.embedding: 'palette' takes a dict from groups"):
        read(["a", "b"], palette=palette)


@pytest.mark.parametrize("color", [["a", "b"], np.zeros((3, 2)), np.float64(1.0), "abcd"])
def test_a_wrong_number_of_values_is_named(color):
    with pytest.raises(ValueError, match="'color' takes one value for each of the 3 samples"):
        read_color("plot.embedding", "color", color, 3)


DAYS = pd.to_datetime(["2020-01-01 00:00", None, "2020-01-03 12:00"])


@pytest.mark.parametrize(
    "dates",
    [
        DAYS,
        pd.Series(DAYS.tz_localize("UTC")),
        DAYS.to_numpy(dtype="M8[ns]"),
        [DAYS[0].to_pydatetime(), None, DAYS[2].to_pydatetime()],
    ],
)
def test_dates_are_amounts_of_days(dates):
    amounts = read(dates)
    assert amounts.are_dates
    np.testing.assert_allclose(amounts.values - amounts.values[0], [0, np.nan, 2.5])


def test_dates_that_are_all_missing_are_no_amounts():
    assert read(np.array(["NaT"] * 3, dtype="M8[ns]")).key() == [(-1, "missing (3)", MISSING)]


@pytest.mark.parametrize("color", [[1j], [{}], [b"a"], [np.timedelta64(1, "D")]])
def test_what_is_neither_number_nor_word_nor_date_is_refused(color):
    with pytest.raises(ValueError, match="'color' takes numbers, words or dates; got"):
        read(color)


def test_values_are_not_modified():
    values = np.array([1.0, np.nan, np.inf])
    before = values.copy()
    read(values).paint()
    np.testing.assert_array_equal(values, before)
