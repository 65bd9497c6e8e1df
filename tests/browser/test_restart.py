"""A page that is opened again after a restart of the server shows the same."""


def test_maps_and_selection_are_found_again(open_view, serve, penguins, tmp_path):
    view = open_view()
    server = serve(penguins, n_iter=40, folder=tmp_path / "kept")
    view.open(server.url)
    view.until(lambda: view.state("left") == "m1" and view.state("job") == "none")
    view.page.select_option("select[aria-label^='Column to factor out']", "sex")
    view.page.click("button[name=factor-column]")
    view.page.click("button[name=draw]")
    view.until(lambda: view.state("right") == "m2" and view.state("job") == "none")
    view.lasso([(60, 120), (330, 90), (420, 330), (250, 460), (40, 420)])
    rows = view.selected()
    view.until(lambda: server.session.selections.get("chosen") == tuple(rows))
    server.close()
    view.page.close()

    again = open_view()
    again.open(serve(penguins, n_iter=40, folder=tmp_path / "kept").url)
    assert [again.state("left"), again.state("right")] == ["m1", "m2"]
    assert again.selected() == rows
    assert again.page.locator(".factor .out .name").all_inner_texts() == ["sex"]
