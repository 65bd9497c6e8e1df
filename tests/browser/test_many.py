"""Many samples: thinned while the maps move, whole when they rest, and selected exactly."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.path import Path as Polygon

from unprior.explorer._columns import read_column
from unprior.explorer._container import STEPS, quantize
from unprior.explorer._data import from_arrays

N = 100_000


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 30, N)
    Y = 6 * rng.normal(size=(30, 2))[group] + rng.normal(size=(N, 2))
    start = np.datetime64("2024-01-01")
    columns = {
        "group": np.char.add("group ", group.astype(str)),
        "day": start + rng.integers(0, 365, N).astype("m8[D]"),
    }
    return from_arrays(columns=columns, maps={"one": Y, "two": Y[:, ::-1]}, title="many")


def test_a_hundred_thousand(view, serve, many, shots):
    view.open(serve(many).url)
    view.until(lambda: view.app("Object.values(app.panes).every(p => p.frames > 0)"))
    assert view.app("app.density")
    corners = [(150, 150), (350, 180), (300, 450), (120, 400)]
    view.lasso(corners)
    points = quantize(many.maps["one"]).points / STEPS
    inside = Polygon(view.polygon("left", corners)).contains_points(points)
    rows = np.array(view.selected())
    # Points on the very edge may fall either way.
    assert np.count_nonzero(np.isin(np.arange(N), rows) != inside) <= 2
    assert len(rows) > 1000
    view.page.keyboard.press("Escape")
    view.app("app.panes.left.pan(5, 5)")
    assert view.app("app.panes.left.settling") > 0  # some are drawn now, all soon
    view.until(lambda: view.app("app.panes.left.settling") == 0)
    view.page.wait_for_timeout(500)
    view.shoot("many", shots)


def test_dates_have_a_range_and_more_groups_than_colours_share_a_grey(view, serve, many):
    view.open(serve(many).url)
    assert view.page.locator(".legend li").count() == 30
    assert len({*map(tuple, view.app("app.model.columns[0].colors"))}) == 21
    view.page.select_option("select[aria-label='Colour by']", "day")
    assert "2024-01-01 to 2024-12-30" in view.page.inner_text(".legend")
    view.page.locator(".legend input[type=range]").nth(1).fill("0.5")
    view.page.click(".legend button")
    days = many.columns["day"].values
    rows = np.array(view.selected())
    assert days[rows].max() <= (days.min() + days.max()) / 2 + 0.01
    assert len(rows) > 0.45 * N


def test_a_gene_is_fetched_when_it_is_asked_for(view, serve):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 40))
    data = from_arrays(X, maps={"one": rng.normal(size=(50, 2))})
    view.open(serve(data).url)
    view.page.fill("input[list=unprior-more]", "39")
    view.page.keyboard.press("Enter")
    view.until(lambda: view.app("app.column?.name") == "39")
    np.testing.assert_allclose(view.app("[...app.column.numbers]"), X[:, 39], rtol=1e-6)
    assert "39" in view.page.locator("select[aria-label^='Column to factor out']").inner_text()


def test_colours_of_a_circle_meet_at_its_ends(view, serve):
    hours = np.array([0.0, 6.0, 12.0, 18.0, 23.99, 24.0])
    column = read_column("hour", hours, kind="cyclic", period=24.0)
    shown = from_arrays(maps={"one": np.random.default_rng(0).normal(size=(6, 2))})
    view.open(serve(replace(shown, columns={"hour": column})).url)
    shade = view.app("[...app.shades.shade]")
    assert shade[0] == shade[5]
    table = np.array(view.app("[...app.shades.table]")).reshape(256, 4)[:, :3].astype(int)
    assert np.abs(table[shade[4]] - table[shade[0]]).max() < 12  # nearly the same colour
    assert np.abs(table[shade[2]] - table[shade[0]]).max() > 60
