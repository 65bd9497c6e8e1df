"""Journeys with a server: look, select, factor out, go back, stop, save; by mouse and by keys."""

import csv
import io

import numpy as np
import pytest

from unprior.explorer._draw import DrawSettings
from unprior.explorer._maps import Factored
from unprior.explorer._server import Server
from unprior.explorer._session import Session

SPECIES = Factored("species", 1.0, "column", "species")


def labels_of(penguins, rows):
    species = penguins.columns["species"]
    return {species.categories[code] for code in species.values[rows]}


def test_lasso_factor_out_new_map_back_export(view, serve, penguins, shots, tmp_path):
    server = serve(penguins, out=tmp_path / "saved.csv")
    view.open(server.url)
    view.until(lambda: view.state("maps") == "1" or view.state("left") == "m1")
    view.until(lambda: view.state("job") == "none")
    assert "token" not in view.page.url

    # Around the Gentoo, wherever they are on the map.
    box = view.app("""(() => {
      const pane = app.panes.left, species = app.model.columns.find(c => c.name === 'species');
      const at = [...species.codes.keys()].filter(i => species.codes[i] === 3)
        .map(i => pane.toPixels(...[0, 1].map(k => pane.picture.from[2 * i + k] / 65535)));
      const xs = at.map(p => p[0]), ys = at.map(p => p[1]);
      return [Math.min(...xs) - 6, Math.min(...ys) - 6, Math.max(...xs) + 6, Math.max(...ys) + 6];
    })()""")
    view.lasso([(box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3])])
    rows = view.selected()
    assert labels_of(penguins, rows) == {"Gentoo"}
    view.until(lambda: "100 % Gentoo" in view.page.inner_text(".holds"))
    view.page.click("button[name=distinct]")
    view.page.locator("table[name=distinct] tbody tr").first.wait_for()
    assert "100% Gentoo (0%)" in view.page.inner_text("table[name=distinct]")
    view.shoot("selection", shots)

    view.page.click("button[name=factor-selection]")
    view.page.click("button[name=draw]")
    view.until(lambda: view.state("right") == "m2")
    assert int(view.state("frame")) >= 0
    caption = view.page.inner_text(".pane.right .caption")
    assert "selection 1 left 0.0" in caption
    assert "selection 1 left 1.00" in view.page.inner_text(".pane.left .caption")
    assert view.selected() == rows
    view.page.wait_for_timeout(600)
    view.shoot("without_selection", shots)

    # On top of it, a column; then back to the first map.
    view.page.select_option("select[aria-label^='Column to factor out']", "sex")
    view.page.click("button[name=factor-column]")
    assert view.page.locator(".factor li .name").all_inner_texts() == ["selection 1", "sex"]
    view.page.click("button[name=draw]")
    view.until(lambda: view.state("right") == "m3")
    tree = server.session.studio.tree
    assert [part.source for part in tree["m3"].factored] == ["selection", "column"]
    view.page.click("button[title='Show plain t-SNE on the right']")
    view.until(lambda: view.state("right") == "m1")
    view.page.wait_for_timeout(700)
    np.testing.assert_array_equal(
        view.app("[...app.panes.right.picture.from.subarray(0, 20)]"),
        view.app("[...app.model.maps.get('m1').points.subarray(0, 20)]"),
    )

    table = list(csv.DictReader(io.StringIO(view.download("button[name=csv]").decode())))
    assert len(table) == len(rows)
    view.page.click("button[name=save]")
    view.until(lambda: "Saved 3 maps and 1 selections" in view.page.inner_text(".status"))
    assert (tmp_path / "saved.csv").exists()
    view.page.click("button[title^='Remove without selection 1 and']")
    view.until(lambda: view.state("maps") == "1")

    # A second page, and a page that is reloaded, show the same state.
    view.page.reload()
    view.until(lambda: view.state("ready") == "1")
    assert view.app("app.model.maps.size") == 1


def test_before_and_after_come_by_themselves_and_the_snippet_is_there(view, serve, penguins):
    view.open(serve(penguins, [SPECIES]).url)
    view.until(lambda: view.state("right") == "m2")
    assert view.state("left") == "m1"
    assert view.page.locator(".factor li .name").all_inner_texts() == ["species"]
    view.page.click("summary:has-text('Python')")
    assert "IndependentTSNE" in view.page.inner_text(".snippet")


def test_a_map_that_is_done_while_the_page_is_on_its_way_is_not_missed(view, penguins):
    session = Session(penguins, DrawSettings(n_iter=30), in_child=False)
    page = session.page

    def slow_page():
        data = page()
        session.studio.begin()  # draws here, and is done when it returns
        return data

    session.page = slow_page
    server = Server(session)
    view.open(server.url)
    view.until(lambda: view.state("left") == "m1")
    server.close()
    view.until(lambda: "server has gone" in view.page.inner_text(".status"))


def test_stop_keeps_what_is_there_and_drawing_goes_on_later(view, serve, penguins):
    server = serve(penguins, n_iter=1_000_000)
    view.open(server.url)
    view.until(lambda: int(view.state("frame") or 0) > 50)
    first = int(view.state("frame"))
    view.until(lambda: int(view.state("frame")) > first)
    view.page.click("button[name=stop]")
    view.until(lambda: view.state("job") == "none" and view.app("app.model.maps.size") == 1)
    assert "stopped" in view.page.inner_text(".pane.right .caption")
    view.page.click("button[name=go-on]")
    view.until(lambda: view.state("job") == "drawing" and view.app("app.drawing.live"))
    view.page.keyboard.press("x")
    view.until(lambda: view.state("right") == "m2" and view.state("job") == "none")
    names = [each.name for each in server.session.studio.tree]
    assert names == ["plain t-SNE", "plain t-SNE, continued"]
    view.page.click("button[name=factor-column]")
    view.page.click("button[name=draw]")
    view.until(lambda: view.state("job") == "drawing")
    view.page.click("button[name=draw]")
    view.until(lambda: "being drawn" in view.page.inner_text(".status"))
    view.until(lambda: view.app("app.drawing.live"))
    view.page.keyboard.press("x")
    view.until(lambda: view.state("right") == "m3")


def test_strengths_in_between(view, serve, penguins, shots):
    view.open(serve(penguins, [SPECIES], n_iter=120).url)
    view.until(lambda: view.state("right") == "m2" and view.state("job") == "none")
    view.page.click("button[name=path]")
    view.until(lambda: view.state("right") == "m6")
    assert view.page.locator(".path .ticks span").all_inner_texts() == [
        "0",
        "0.25",
        "0.5",
        "0.75",
        "1",
    ]
    assert view.page.locator(".pane.right select option").count() == 6


def test_keyboard_only(view, serve, penguins, shots):
    server = serve(penguins, [SPECIES], n_iter=120)
    view.open(server.url)
    view.until(lambda: view.state("right") == "m2" and view.state("job") == "none")
    press = view.page.keyboard.press
    view.page.evaluate("document.activeElement.blur()")
    for _ in range(40):
        press("Tab")
        if view.page.evaluate("document.activeElement.className") == "overlay":
            break
    name = view.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name == "Left map"
    press("+")
    press("ArrowRight")
    assert view.app("app.panes.right.view.zoom") == pytest.approx(1.25)
    press("0")
    assert view.app("app.panes.left.view.x") == 0.5
    press("b")
    for _ in range(3):
        press("+")
    press("ArrowLeft")
    assert view.app("app.panes.left.box.side") > 150
    view.page.screenshot(path=shots / "keyboard.png")
    press("Enter")
    chosen = view.selected()
    assert 0 < len(chosen) < 333
    press("i")
    assert len(view.selected()) == 333 - len(chosen)
    press("Control+z")
    assert view.selected() == chosen
    press("f")
    assert view.page.locator(".factor li .name").all_inner_texts() == ["species", "selection 1"]
    press("d")
    view.until(lambda: view.state("right") == "m3")
    press("?")
    assert view.page.locator("dialog[open] kbd").count() > 10
    press("Escape")
    assert view.page.locator("dialog[open]").count() == 0
    assert view.selected() == chosen  # the key closed the list, no more
    for _ in range(80):
        press("Tab")
        if view.page.evaluate("document.activeElement.title").startswith("Show without species on the right"):  # fmt: skip  # noqa: E501
            break
    press("Enter")
    view.until(lambda: view.state("right") == "m2")


def test_every_control_has_a_name(view, serve, penguins):
    view.open(serve(penguins, [SPECIES], n_iter=60).url)
    view.until(lambda: view.state("right") == "m2")
    nameless = view.page.evaluate("""
      [...document.querySelectorAll('button, select, input, [tabindex]')]
      .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.closest('label')))
      .map(e => e.outerHTML)""")
    assert nameless == []
    assert view.page.locator("[role=status][aria-live=polite]").count() == 1
    pictures = view.page.evaluate("[...document.querySelectorAll('button:not([title])')].map(e => e.textContent)")  # fmt: skip  # noqa: E501
    assert pictures == ["Close"]


def test_dark_and_still(open_view, offline, shots):
    view = open_view(color_scheme="dark", reduced_motion="reduce")
    view.open(offline[0].as_uri())
    corner = view.pixels("left")[5, 5]
    assert corner.max() < 0.2
    frames = view.app("app.panes.right.frames")
    view.page.select_option(".pane.right select", "m2")
    assert view.app("app.panes.right.picture.t") == 0
    view.page.wait_for_timeout(700)
    assert view.app("app.panes.right.frames") <= frames + 3  # no motion from map to map
    view.lasso([(60, 120), (330, 90), (420, 330), (40, 420)])
    view.shoot("dark", shots)


def test_a_tablet(open_view, offline, shots):
    view = open_view(viewport={"width": 820, "height": 1100}, has_touch=True)
    view.open(offline[0].as_uri())
    wide = view.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert wide
    box = view.page.locator(".pane.left .overlay").bounding_box()
    touch = view.page.context.new_cdp_session(view.page)

    def fingers(kind, *points):
        told = [{"x": box["x"] + x, "y": box["y"] + y, "id": k} for k, (x, y) in enumerate(points)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})

    fingers("touchStart", (100, 100), (200, 200))
    for step in range(1, 6):
        fingers("touchMove", (100 - 8 * step, 100 - 8 * step), (200 + 8 * step, 200 + 8 * step))
    fingers("touchEnd")
    view.until(lambda: view.app("app.panes.right.view.zoom") > 1.3)
    assert view.selected() == []
    view.shoot("tablet", shots)
