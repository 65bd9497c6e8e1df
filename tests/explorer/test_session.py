"""All requests of a page, in one process: maps, paths, columns, snippets, files."""

import numpy as np
import pytest

from unprior.explorer._container import unpack
from unprior.explorer._data import from_arrays
from unprior.explorer._maps import Factored
from unprior.explorer._protocol import write_rows
from unprior.plot._compare import rotate

KNOWN = {"name": "known", "strength": 1.0, "from": "column", "what": "known"}

HALF = write_rows(range(0, 150, 2), 150)


@pytest.fixture
def page(open_page, shown):
    page = open_page(shown)
    page.session.studio.begin()
    return page


def tree(page):
    return page.session.studio.tree


def test_the_first_map_is_the_plain_one(page):
    (first,) = tree(page)
    assert (first.name, first.state, first.left) == ("plain t-SNE", "done", {})
    head, _ = unpack(page.session.page())
    assert head["left"] == head["right"] == first.key


def test_what_is_known_at_the_start_is_factored_out_at_once(open_page, sample):
    data = from_arrays(sample.X, prior={"batch": sample.known.astype(str)})
    page = open_page(data)
    page.session.studio.begin([Factored("batch", 1.0, "known", "batch")])
    plain, after = tree(page)
    assert after.parent == plain.key
    assert plain.left["batch"] > after.left["batch"]
    assert "batch" in data.columns


def test_factor_out_a_column_then_a_selection_then_a_map(page):
    first = next(iter(tree(page)))
    assert "error" not in page.ask("job.start", parent=first.key, priors=[KNOWN])
    second = [*tree(page)][1]
    assert second.name == "without known"
    assert {*tree(page)[first.key].left} == {"known"}
    rows = write_rows(range(40), 150)
    chosen = {"name": "selection 1", "strength": 0.5, "from": "selection", "what": rows}
    assert "error" not in page.ask("job.start", parent=second.key, priors=[KNOWN, chosen])
    third = [*tree(page)][2]
    assert third.name == "without known, 0.5 of selection 1"
    assert third.parent == second.key
    whole = {"name": "that map", "strength": 1.0, "from": "map", "what": first.key}
    assert "error" not in page.ask("job.start", parent=third.key, priors=[whole])
    assert [each.factored[0].source for each in [*tree(page)][1:]] == ["column", "column", "map"]
    assert page.told("map")[-1] == {"op": "map"}
    assert page.told("job")[-1]["state"] == "none"


def test_a_map_says_how_to_ask_for_it_again(page):
    first = next(iter(tree(page)))
    chosen = {**KNOWN, "name": "s", "from": "selection", "what": write_rows([3, 5], 150)}
    page.ask("job.start", parent=first.key, priors=[KNOWN, chosen])
    head, _ = unpack(page.session.page())
    assert head["maps"][1]["factored"] == [KNOWN, chosen]


@pytest.mark.parametrize(
    "factored",
    [
        [],
        [KNOWN],
        [{**KNOWN, "strength": 0.5}],
        [{**KNOWN, "name": "s", "from": "selection", "what": HALF}],
        [{**KNOWN, "name": "'''\nraise SystemExit", "from": "selection", "what": HALF}],
    ],
)
def test_the_snippet_draws_the_same_map(page, shown, factored):
    first = next(iter(tree(page)))
    if factored:
        page.ask("job.start", parent=first.key, priors=factored)
    new = [*tree(page)][-1]
    names = {}
    exec(new.snippet.replace("data = from_arrays(...)", "data = given"), {"given": shown}, names)
    Y = names["Y"]
    np.testing.assert_allclose(rotate(Y, new.Y), new.Y - new.Y.mean(0) + Y.mean(0), atol=1e-6)


def test_a_path_and_its_snippet(page, shown):
    first = next(iter(tree(page)))
    page.ask("job.start", parent=first.key, priors=[KNOWN])
    after = [*tree(page)][1]
    assert "error" not in page.ask("path.start", key=after.key)
    (path,) = tree(page).paths.values()
    assert path.strengths == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert path.maps[0] == first.key
    third = tree(page)[path.maps[2]]
    # The snippet takes the library's number of steps; here it takes the page's.
    text = third.snippet.replace("data = from_arrays(...)", "data = given")
    names = {}
    exec(text.replace("metric=", "n_iter=60, metric="), {"given": shown}, names)
    np.testing.assert_allclose(names["Y"], third.Y, atol=1e-9)


def test_a_path_of_a_plain_map_is_refused(page):
    assert "factored out" in page.ask("path.start", key=next(iter(tree(page))).key)["error"]


def test_maps_can_be_removed(page):
    first = next(iter(tree(page)))
    page.ask("job.start", parent=first.key, priors=[KNOWN])
    second = [*tree(page)][1]
    assert "first map cannot be removed" in page.ask("map.drop", key=first.key)["error"]
    assert "error" not in page.ask("map.drop", key=second.key)
    assert page.told("gone")[-1]["keys"] == [second.key]
    assert "gone" in page.ask("map.drop", key=second.key)["error"]


@pytest.mark.parametrize(
    ("priors", "fragment"),
    [
        ([{**KNOWN, "what": "../../etc/passwd"}], "no column"),
        ([{**KNOWN, "from": "known", "what": "x"}], "no prior"),
        ([{**KNOWN, "from": "map", "what": "m99"}], "gone"),
        ([{**KNOWN, "from": "selection", "what": write_rows([], 150)}], "but not all"),
        ([{**KNOWN, "from": "selection", "what": write_rows(range(150), 150)}], "but not all"),
        ([{**KNOWN, "from": "selection", "what": "AAAA"}], "one bit for each"),
    ],
)
def test_what_cannot_be_factored_out(page, priors, fragment):
    first = next(iter(tree(page)))
    assert fragment in page.ask("job.start", parent=first.key, priors=priors)["error"]
    assert len(tree(page)) == 1


def test_a_column_of_one_value_is_refused(open_page, sample):
    page = open_page(from_arrays(sample.X, columns={"one": ["a"] * 150}))
    page.session.studio.begin()
    first = next(iter(tree(page)))
    asked = [{**KNOWN, "what": "one"}]
    assert "one class only" in page.ask("job.start", parent=first.key, priors=asked)["error"]


def test_a_map_that_is_done_does_not_go_on(page):
    first = next(iter(tree(page)))
    assert "to its end" in page.ask("job.continue", key=first.key)["error"]


def test_a_stopped_map_goes_on_from_where_it_was(page, sample):
    first = next(iter(tree(page)))
    tree(page).update(first.key, state="stopped")
    assert "error" not in page.ask("job.continue", key=first.key)
    second = [*tree(page)][1]
    assert second.state == "done"
    assert not second.is_plain  # it did not start from the library's initial map
    assert "starts from scratch" in second.snippet


def test_there_is_no_such_operation(page):
    assert "no operation" in page.ask("eval")["error"]


def test_maps_without_data_can_be_looked_at(open_page, rng):
    page = open_page(from_arrays(maps={"mine": rng.normal(size=(20, 2))}))
    page.session.studio.begin()
    head, _ = unpack(page.session.page())
    assert not head["can_draw"]
    refusal = page.ask("job.start", parent=head["left"], priors=[KNOWN])["error"]
    assert "only existing maps" in refusal


def test_columns_of_wide_data_come_when_asked_for(open_page, rng):
    data = from_arrays(rng.normal(size=(30, 40)), maps={"m": rng.normal(size=(30, 2))})
    page = open_page(data)
    head, _ = unpack(page.session.page())
    assert len(head["on_demand"]) == 40
    assert head["columns"] == []
    answer = unpack(page.session.answer({"v": 1, "id": 5, "op": "column", "name": "39"}))
    assert answer[0]["column"]["name"] == "39"
    np.testing.assert_allclose(
        np.frombuffer(answer[1][0], "<f4"), data.table[:, 39].astype(np.float32)
    )


def test_save_writes_the_named_file_and_no_other(open_page, shown, tmp_path):
    page = open_page(shown, out=tmp_path / "out.csv")
    page.session.studio.begin()
    answer = page.ask("save", rows=write_rows([0, 2], 150), path="/tmp/elsewhere.csv")
    assert answer["text"] == "Saved 1 maps and 1 selections to out.csv."
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "id,plain_t_SNE_x,plain_t_SNE_y,selection_1"
    assert [line[-1] for line in lines[1:4]] == ["1", "0", "1"]
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_save_for_anndata(open_page, shown, tmp_path):
    import anndata

    page = open_page(shown, out=tmp_path / "out.h5ad")
    page.session.studio.begin()
    page.ask("save", rows=write_rows([0, 2], 150))
    adata = anndata.read_h5ad(tmp_path / "out.h5ad")
    assert (adata.obs["selection_1"] == "selected").sum() == 2
    np.testing.assert_array_equal(adata.obsm["X_plain_t_SNE"], next(iter(tree(page))).Y)


def test_without_a_file_nothing_is_saved(page):
    assert "--out" in page.ask("save", rows=write_rows([0], 150))["error"]


def test_the_selection_is_explained(page, sample):
    rows = np.flatnonzero(sample.known == sample.known[0])
    answer = page.ask("distinct", rows=write_rows(rows, 150))
    (line,) = [line for line in answer["found"] if line["column"] == "known"]
    assert line["words"].startswith("100%")
    assert (line["effect"], line["p"] < 1e-20) == (1, True)
    assert "by eye" in answer["note"]
