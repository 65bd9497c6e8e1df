"""A journey with kept labels: keep a column, read its association with the prior, draw, undo."""

from unprior.explorer._maps import Factored, Kept

ISLAND = Factored("island", 1.0, "column", "island")


def test_keep_a_column_and_a_selection(view, serve, penguins, shots):
    server = serve(penguins, n_iter=80)
    view.open(server.url)
    view.until(lambda: view.state("left") == "m1" and view.state("job") == "none")
    column = "select[aria-label^='Column to factor out']"
    view.page.select_option(column, "body_mass_g")
    assert view.page.is_disabled("button[name=keep-column]")  # amounts are no labels
    view.page.select_option(column, "island")
    view.page.click("button[name=factor-column]")
    view.page.select_option(column, "species")
    view.page.click("button[name=keep-column]")
    view.until(lambda: "go together" in view.page.inner_text(".together"))
    assert "'island' and 'species' go together strongly" in view.page.inner_text(".together")
    view.page.click("button[name=draw]")
    view.until(lambda: view.state("right") == "m2" and view.state("job") == "none")
    tree = server.session.studio.tree
    assert tree["m2"].requested == {"factored": (ISLAND,), "keep": (Kept("species", "column", "species"),)}  # fmt: skip  # noqa: E501
    for side, key in (("left", "m1"), ("right", "m2")):
        words = view.page.inner_text(f".pane.{side} .caption")
        within = abs(tree[key].within["species"]["island"])
        assert f"within species {within:.2f}" in words.replace("-", "")
    view.page.locator(".factor .keep").scroll_into_view_if_needed()
    view.shoot("keep", shots)

    # The selection instead, by a key; the column disappears from the list.
    view.page.click("button[title='Do not keep species']")
    assert view.page.inner_text(".together") == ""
    view.lasso([(60, 120), (330, 90), (420, 330), (250, 460), (40, 420)])
    rows = view.selected()
    view.page.keyboard.press("e")
    assert view.page.locator(".factor .keep .name").all_inner_texts() == ["selection 1"]
    view.page.click("button[name=factor-selection]")  # what is factored out is not kept
    assert view.page.locator(".factor .keep .name").count() == 0
    view.page.click("button[name=keep-selection]")
    assert view.page.locator(".factor .out .name").all_inner_texts() == ["island"]
    view.page.click("button[name=draw]")
    view.until(lambda: view.state("right") == "m3" and view.state("job") == "none")
    assert tree["m3"].keep == (Kept("selection 1", "selection", tuple(rows)),)
    view.page.click("summary:has-text('Python')")
    assert "keep={'selection 1': kept_0}" in view.page.inner_text(".snippet")
