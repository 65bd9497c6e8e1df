"""Labels to keep: requested by a page, drawn, scored, saved and drawn again."""

import numpy as np
import pytest

import unprior as up
from unprior.explorer._api import export_html, given_labels, given_priors
from unprior.explorer._container import unpack
from unprior.explorer._data import from_arrays
from unprior.explorer._draw import DrawSettings
from unprior.explorer._maps import Kept
from unprior.explorer._priors import find_keep
from unprior.explorer._protocol import Refused, keep_of, write_rows
from unprior.plot._compare import rotate

KNOWN = {"name": "known", "strength": 1.0, "from": "column", "what": "known"}
HIDDEN = {"name": "hidden", "from": "column", "what": "hidden"}
SOME = {"name": "selection 1", "from": "selection", "what": write_rows(range(60), 150)}


@pytest.fixture
def page(open_page, shown):
    page = open_page(shown)
    page.session.studio.begin()
    return page


def draw(page, keep, prior=KNOWN):
    """Request a map without something, and return it after the map it was requested from."""
    tree = page.session.studio.tree
    first = next(iter(tree))
    assert "error" not in page.ask("job.start", parent=first.key, priors=[prior], keep=keep)
    return tree[first.key], [*tree][-1]


def test_a_column_is_kept_and_what_is_left_is_told_within_it(page, sample):
    before, after = draw(page, [HIDDEN])
    assert after.name == "without known (hidden kept)"
    assert after.keep == (Kept("hidden", "column", "hidden"),)
    for each in (before, after):
        k, labels = 15, (sample.known.astype(str), sample.hidden.astype(str))
        expected = up.scores.left_within(each.Y, *labels, k)
        assert each.within == {"hidden": {"known": pytest.approx(expected)}}
    assert page.told("left")[-1]["left"][before.key]["within"]["hidden"]["known"] > 0.5
    head, _ = unpack(page.session.page(can_draw=False))  # as the offline file has it
    assert head["maps"][1]["keep"] == [HIDDEN]
    assert {*head["maps"][1]["within"]["hidden"]} == {"known"}


@pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")  # because of so few steps
@pytest.mark.parametrize("keep", [[HIDDEN], [SOME], [HIDDEN, SOME]])
def test_the_snippet_keeps_the_same_labels(page, shown, keep):
    new = draw(page, keep, {**KNOWN, "strength": 0.5})[1]
    names = {}
    exec(new.snippet.replace("data = from_arrays(...)", "data = given"), {"given": shown}, names)
    Y = names["Y"]
    np.testing.assert_allclose(rotate(Y, new.Y), new.Y - new.Y.mean(0) + Y.mean(0), atol=1e-6)


def test_strengths_in_between_keep_them_too(page, shown):
    new = draw(page, [HIDDEN])[1]
    page.ask("path.start", key=new.key)
    tree = page.session.studio.tree
    (path,) = tree.paths.values()
    second = tree[path.maps[1]]
    assert second.keep == new.keep
    assert [*second.within] == ["hidden"]
    text = second.snippet.replace("data = from_arrays(...)", "data = given")
    names = {}
    exec(text.replace("metric=", "n_iter=60, metric="), {"given": shown}, names)
    np.testing.assert_allclose(names["Y"], second.Y, atol=1e-9)


def test_how_far_they_go_together_is_told_before_anything_is_drawn(open_page, sample):
    mixed = sample.known.astype(str)
    mixed[::5] = "else"
    known, own = sample.known.astype(str), [f"{place % 50}" for place in range(150)]
    page = open_page(from_arrays(sample.X, columns={"known": known, "mixed": mixed, "own": own}))
    page.session.studio.begin()
    (line,) = page.ask("together", priors=[KNOWN], keep=[{**HIDDEN, "what": "mixed"}])["found"]
    assert line["text"].startswith("'known' and 'hidden' go together strongly (Cramér's V 0.")
    assert line["strong"]
    assert page.ask("together", priors=[KNOWN])["found"] == []
    # The map that is drawn anyway says so, too.
    after = draw(page, [{**HIDDEN, "name": "mixed", "what": "mixed"}])[1]
    assert "What they share stays on the map" in after.note


@pytest.mark.parametrize(
    ("keep", "fragment"),
    [
        ([{**HIDDEN, "what": "nothing"}], "no column 'nothing'"),
        ([{**HIDDEN, "what": "0"}], "kept labels are groups, and it holds amounts"),
        ([{**HIDDEN, "what": "known"}], "'known' is both factored out and kept"),
        ([{**HIDDEN, "name": "known"}], "'known' is both factored out and kept"),
        ([{**SOME, "what": write_rows([], 150)}], "to keep takes some samples, but not all"),
        ([{**HIDDEN, "from": "map", "what": "m1"}], "from one of: column, selection"),
        ([HIDDEN, HIDDEN], "with different names"),
        ("hidden", "takes a list of 0 to 20"),
    ],
)
def test_what_cannot_be_kept(page, keep, fragment):
    first = next(iter(page.session.studio.tree))
    answer = page.ask("job.start", parent=first.key, priors=[KNOWN], keep=keep)
    assert fragment in answer["error"]
    assert len(page.session.studio.tree) == 1


def test_labels_with_gaps_and_labels_of_one_class():
    data = from_arrays([[0.0]] * 4, columns={"gaps": ["a", None, "b", "a"], "one": ["a"] * 4})
    found = find_keep([Kept("gaps", "column", "gaps")], data)
    assert found["gaps"].tolist() == ["a", None, "b", "a"]
    with pytest.raises(ValueError, match="only one class"):
        find_keep([Kept("one", "column", "one")], data)


def test_a_message_need_not_name_labels_to_keep():
    assert keep_of({}) == []
    with pytest.raises(Refused, match="'keep' takes a list of 0 to 20"):
        keep_of({"keep": None})


def test_what_is_kept_from_the_start(sample, tmp_path):
    data = from_arrays(sample.X, prior={"known": sample.known}, keep={"hidden": sample.hidden})
    assert data.columns["hidden"].kind == "groups"
    path = export_html(data, DrawSettings(n_iter=30), given_priors(data), tmp_path / "page.html")
    assert path.exists()
    assert given_labels(data) == [Kept("hidden", "column", "hidden")]
