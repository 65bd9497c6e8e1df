"""Columns are read as groups or amounts, coloured as in figures, and become priors."""

import numpy as np
import pytest

from unprior.explorer._columns import group_colors, read_column
from unprior.explorer._container import Blocks
from unprior.plot._colors import MOST_GROUPS, read_color


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["b", "a"], "groups"),
        ([True, False], "groups"),
        ([1, 2], "groups"),
        (np.arange(MOST_GROUPS + 1), "amounts"),
        ([1.5, 2.5], "amounts"),
        (np.array(["2024-05-31", "2024-06-01"], dtype="M8[D]"), "dates"),
        ([str(k) for k in range(1001)], "text"),
    ],
)
def test_kinds(values, kind):
    assert read_column("c", values).kind == kind


def test_kinds_agree_with_those_of_figures(rng):
    for values in (rng.normal(size=50), rng.integers(0, 5, 50), rng.integers(0, 500, 50)):
        figure = type(read_color("x", "c", values, 50)).__name__.lower()
        assert read_column("c", values).kind == figure


def test_groups_are_in_natural_order_and_know_what_is_missing():
    column = read_column("c", np.array(["c10", None, "c2"], dtype=object))
    assert column.categories == ("c2", "c10")
    assert column.values.tolist() == [1, -1, 0]
    assert column.missing.tolist() == [False, True, False]


@pytest.mark.parametrize("n_groups", [3, 30])
def test_colours_are_those_of_figures(rng, n_groups):
    values = np.concatenate([np.full(5 + k, f"g{k:02}") for k in range(n_groups)])
    column = read_column("c", values)
    groups = read_color("x", "c", values, len(values))
    painted = np.rint(groups.paint()[:, :3] * 255).astype(int)
    colors = np.array(group_colors(column.values, n_groups))
    assert np.abs(colors[column.values] - painted).max() <= 1


def test_dates_are_days():
    column = read_column("d", np.array(["1970-01-02T12:00", "NaT"], dtype="M8[s]"))
    assert column.values[0] == 1.5
    assert column.missing.tolist() == [False, True]


def test_what_the_page_reads():
    blocks = Blocks()
    told = read_column("c", np.array(["a", None, "b"], dtype=object)).to_header(blocks)
    assert np.frombuffer(blocks.parts[told["block"]], "<u2").tolist() == [1, 0, 2]
    told = read_column("x", [1.0, np.nan, 3.0]).to_header(blocks)
    assert told["range"] == [1.0, 3.0]
    assert np.frombuffer(blocks.parts[told["block"]], "<f4")[[0, 2]].tolist() == [1, 3]


def test_columns_become_priors():
    assert read_column("c", np.array(["a", None], dtype=object)).to_prior().kind == "labels"
    assert read_column("x", [1.0, 2.0]).to_prior().kind == "features"
    cyclic = read_column("h", [23.0, 1.0], kind="cyclic", period=24.0).to_prior()
    assert cyclic.largest() == 2


@pytest.mark.parametrize(
    ("values", "fragment"),
    [([1.0, np.nan], "1 samples have no value"), ([str(k) for k in range(1001)], "different text")],
)
def test_what_is_no_prior(values, fragment):
    with pytest.raises(ValueError, match=fragment):
        read_column("c", values).to_prior()


def test_words_are_no_circle():
    with pytest.raises(ValueError, match="takes numbers"):
        read_column("c", ["noon"], kind="cyclic", period=24.0)
