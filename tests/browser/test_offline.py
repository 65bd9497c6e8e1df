"""The page as one file: shown, selected, coloured, filtered and saved without a network."""

import csv
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from browser.tools import inside
from unprior.explorer._container import STEPS, pack, quantize
from unprior.explorer._distinct import distinguish
from unprior.explorer._html import write_html

CORNERS = [(60, 120), (330, 90), (420, 330), (250, 460), (40, 420), (180, 300)]


@pytest.fixture
def page(view, offline):
    view.page.route("http*://**", lambda route: route.abort())
    return view.open(offline[0].as_uri())


def test_first_look(page, shots):
    assert [page.state("left"), page.state("right")] == ["m1", "m6"]
    assert [r for r in page.requests if not r.startswith(("file:", "data:", "blob:"))] == []
    for side in ("left", "right"):
        assert len(np.unique(page.pixels(side).reshape(-1, 3), axis=0)) > 20
    page.page.select_option(".pane.right select", "m2")
    page.page.wait_for_timeout(700)
    page.shoot("before_and_after", shots)


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_lasso_finds_what_numpy_finds_and_both_panes_show_it(page, offline, side):
    page.lasso(CORNERS, side)
    points = quantize(offline[1][page.state(side)].Y).points / STEPS
    expected = inside(points, page.polygon(side, CORNERS))
    assert 0 < len(expected) < 333
    np.testing.assert_array_equal(page.selected(), expected)
    assert page.page.get_attribute(f".pane.{side} .overlay polygon", "points") == ""
    shown = page.app("['left', 'right'].map(s => app.panes[s].points.nChosen)")
    assert shown == [len(expected)] * 2


def test_shift_adds_alt_removes_undo_goes_back(page):
    page.lasso(CORNERS)
    first = page.selected()
    page.page.keyboard.down("Shift")
    page.lasso([(0, 0), (455, 0), (455, 300), (0, 300)])
    page.page.keyboard.up("Shift")
    more = page.selected()
    assert {*first} < {*more}
    page.page.keyboard.down("Alt")
    page.lasso([(0, 0), (455, 0), (455, 300), (0, 300)])
    page.page.keyboard.up("Alt")
    assert {*page.selected()} < {*first}
    page.page.keyboard.press("Control+z")
    assert page.selected() == more
    page.page.keyboard.press("Escape")
    assert page.selected() == []


def test_pan_and_zoom_are_linked_and_the_lasso_follows(page, offline):
    box = page.page.locator(".pane.right .overlay").bounding_box()
    page.page.mouse.move(box["x"] + 100, box["y"] + 100)
    at = "app.panes.right.toUnits(100, 100)"
    before = page.app(at)
    page.page.mouse.wheel(0, -400)
    page.until(lambda: page.app("app.panes.left.view.zoom") > 1.5)
    assert page.app("app.panes.left.view") == page.app("app.panes.right.view")
    np.testing.assert_allclose(page.app(at), before, atol=2e-3)  # a pixel
    page.lasso(CORNERS, "right")
    points = quantize(offline[1]["m6"].Y).points / STEPS
    np.testing.assert_array_equal(page.selected(), inside(points, page.polygon("right", CORNERS)))
    page.page.click("text=Link")
    page.page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.page.mouse.wheel(0, -400)
    page.until(lambda: page.app("app.panes.left.view.zoom != app.panes.right.view.zoom"))
    page.page.click("text=Whole map")
    assert page.app("app.panes.left.view.zoom") == 1


def test_hover_names_the_sample_in_both_panes(page):
    x, y = page.app("app.panes.left.toPixels(...[0, 1].map(k => app.panes.left.picture.from[2 * 7 + k] / 65535))")  # fmt: skip  # noqa: E501
    box = page.page.locator(".pane.left .overlay").bounding_box()
    page.page.mouse.move(box["x"] + x, box["y"] + y)
    page.until(lambda: page.state("hover"))
    row = int(page.state("hover"))
    assert page.app("[app.panes.left.ring, app.panes.right.ring]") == [row, row]
    assert "species: " in page.page.inner_text(".tip")


def test_colour_legend_and_filter(page, penguins, shots):
    page.page.select_option("select[aria-label='Colour by']", "sex")
    names = page.page.locator(".legend .name").all_inner_texts()
    assert names == ["female", "male"]
    before = page.pixels("left")
    page.page.click(".legend li:first-child input")
    page.until(lambda: page.app("app.hidden.reduce((a, b) => a + b)") == 165)
    page.page.wait_for_timeout(200)
    assert (before != page.pixels("left")).any()
    page.lasso([(0, 0), (455, 0), (455, 600), (0, 600)])
    codes = penguins.columns["sex"].values
    assert {*codes[page.selected()].tolist()} == {1}  # what is hidden is not selected
    page.page.select_option("select[aria-label='Colour by']", "body_mass_g")
    assert page.app("app.hidden.reduce((a, b) => a + b)") == 0
    page.page.locator(".legend input[type=range]").first.fill("0.5")
    assert page.app("app.hidden.reduce((a, b) => a + b)") > 100
    page.page.keyboard.press("Escape")
    page.shoot("amounts", shots)


def test_the_slider_rests_at_maps_and_marks_what_lies_between(page, offline, shots):
    slider = page.page.locator(".path input[type=range]")
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.page.mouse.move(box["x"] + box["width"] - 8, middle)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 0.63 * box["width"], middle, steps=3)
    page.until(lambda: page.state("right") == "between")
    assert "not a map" in page.page.inner_text(".path label")
    assert page.page.inner_text(".pane.right .caption") == "between two maps"
    page.page.screenshot(path=shots / "strengths.png")
    page.page.mouse.up()
    page.until(lambda: page.state("right") != "between")
    key = page.state("right")
    path = next(iter(offline[1].paths.values()))
    assert key in path.maps
    left = offline[1][key].left["species"]
    assert f"species left {left:.2f}" in page.page.inner_text(".pane.right .caption")
    slider.focus()
    page.page.keyboard.press("ArrowRight")
    page.until(lambda: page.state("right") == path.maps[path.maps.index(key) + 1])


def test_saved_rows_and_pictures(page, penguins):
    page.lasso(CORNERS)
    rows = page.selected()
    table = list(csv.DictReader(io.StringIO(page.download("button[name=csv]").decode())))
    assert [int(line["sample"]) for line in table] == rows
    species = penguins.columns["species"]
    names = [species.categories[code] for code in species.values[rows]]
    assert [line["species"] for line in table] == names
    assert page.download("text=PNG left").startswith(b"\x89PNG")
    drawn = ET.fromstring(page.download("text=SVG left"))
    assert len(drawn.findall("{http://www.w3.org/2000/svg}circle")) == 333


def test_the_page_compares_as_python_does(page, penguins):
    page.lasso(CORNERS)
    page.page.click("button[name=distinct]")
    page.until(lambda: page.app("app.layout.explain.last.length"))
    expected, _ = distinguish(penguins, np.array(page.selected()))
    found = page.app("app.layout.explain.last")
    assert [line["column"] for line in found] == [line.column for line in expected]
    for ours, line in zip(found, expected, strict=True):
        assert ours["effect"] == pytest.approx(line.effect, abs=1e-9)
        assert ours["p"] == pytest.approx(line.p, rel=1e-5)
        assert ours["words"].partition("(")[0] == line.words.partition("(")[0]


def test_the_table_is_the_selection(page):
    page.lasso(CORNERS)
    page.page.click("summary:has-text('Rows')")
    cells = page.page.locator(".rows tbody th").all_inner_texts()
    assert [int(cell) for cell in cells] == page.selected()[:25]
    page.page.click("button[title='Next page']")
    cells = page.page.locator(".rows tbody th").all_inner_texts()
    assert [int(cell) for cell in cells] == page.selected()[25:50]


def test_the_policy_names_this_script_only(offline):
    text = offline[0].read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "unsafe" not in policy
    assert "connect-src 'none'" in policy


def test_a_page_of_another_version_says_so(view, tmp_path):
    path = tmp_path / "old.html"
    write_html(path, pack({"op": "page", "version": 99}), "old")
    view.page.goto(path.as_uri())
    view.page.get_by_role("alert").wait_for()
    assert "version 99" in view.page.inner_text("[role=alert]")
