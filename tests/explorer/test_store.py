"""A saved session is restored, refused with other data, and always complete."""

import json
import shutil

import numpy as np
import pytest

from explorer_pages import Page
from unprior.explorer import _store
from unprior.explorer._container import unpack
from unprior.explorer._data import from_arrays
from unprior.explorer._draw import DrawSettings
from unprior.explorer._maps import Factored
from unprior.explorer._protocol import write_rows
from unprior.explorer._session import Session
from unprior.explorer._store import NAME

KNOWN = {"name": "known", "strength": 1.0, "from": "column", "what": "known"}
SOME = {"name": "selection 1", "from": "selection", "what": write_rows(range(60), 150)}
QUICK = 12


@pytest.fixture(scope="module")
def drawn(shown, tmp_path_factory):
    """A session with one column factored out, strengths and a selection; and its folder."""
    folder = tmp_path_factory.mktemp("sessions") / "kept"
    page = Page(Session(shown, DrawSettings(n_iter=QUICK), folder=folder, in_child=False))
    page.session.studio.begin()
    page.ask("job.start", parent="m1", priors=[KNOWN], keep=[SOME])
    page.ask("path.start", key="m2")
    page.ask("select", rows=write_rows([3, 140], 150))
    return page, folder


@pytest.fixture
def kept(drawn, open_page, shown, tmp_path):
    """That session, opened again from a copy of its folder."""
    folder = tmp_path / "kept"
    shutil.copytree(drawn[1], folder)
    return open_page(shown, folder=folder, n_iter=QUICK), folder


def test_a_session_is_found_again_as_it_was_left(drawn, kept):
    page, again = drawn[0], kept[0]
    told, found = unpack(page.session.page())[0], unpack(again.session.page())[0]
    assert found == told
    assert found["chosen"] == write_rows([3, 140], 150)
    assert found["maps"][1]["keep"] == [SOME]
    for before, after in zip(page.session.studio.tree, again.session.studio.tree, strict=True):
        np.testing.assert_array_equal(before.Y, after.Y)
        assert (before.requested, before.snippet) == (after.requested, after.snippet)
    # Nothing is drawn again, and the next map takes the next key.
    again.session.studio.begin([Factored("known", 1.0, "column", "known")])
    keys = [each.key for each in again.session.studio.tree]
    assert keys == ["m1", "m2", "m3", "m4", "m5", "m6", "m7"]
    again.session.studio.begin([Factored("known", 1.0, "column", "known")])
    assert len(again.session.studio.tree) == 7


def test_maps_that_are_removed_go_from_the_folder(kept):
    page, folder = kept
    assert sorted(file.name for file in folder.iterdir())[0] == "m1.npy"
    page.ask("map.drop", key="m2")
    assert sorted(file.name for file in folder.iterdir()) == ["m1.npy", NAME]


def test_what_is_cut_short_leaves_the_session_before(kept, open_page, shown, monkeypatch):
    page, folder = kept
    before = (folder / NAME).read_bytes()

    def fail(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_store, "write_bytes", fail)
    page.ask("job.start", parent="m1", priors=[{**KNOWN, "what": "hidden"}])
    assert len(page.session.studio.tree) == 7  # the page has it anyway, and shows a message
    assert "No space left" in page.told("failed")[-1]["text"]
    monkeypatch.undo()
    assert (folder / NAME).read_bytes() == before
    assert len(open_page(shown, folder=folder, n_iter=QUICK).session.studio.tree) == 6


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (lambda X, columns: (X + 1, columns), "belongs to other data; open it with the same data"),
        (lambda X, columns: (X[:140], {k: v[:140] for k, v in columns.items()}), "150 samples"),
        (lambda X, columns: (X, {**columns, "known": columns["hidden"]}), "other columns"),
    ],
)
def test_other_data_are_refused(kept, sample, change, fragment):
    columns = {"known": sample.known.astype(str), "hidden": sample.hidden.astype(str)}
    X, columns = change(sample.X, columns)
    other = from_arrays(X, columns=columns)
    with pytest.raises(ValueError, match=f"'session' .*{fragment}"):
        Session(other, DrawSettings(n_iter=QUICK), folder=kept[1])


def test_other_settings_and_priors_that_are_missing_are_refused(kept, shown, sample, tmp_path):
    with pytest.raises(ValueError, match=r"another seed \(0, now 7\)"):
        Session(shown, DrawSettings(seed=7, n_iter=QUICK), folder=kept[1])
    batch, folder = sample.known.astype(str), tmp_path / "known"
    given = from_arrays(sample.X, prior={"batch": batch})
    session = Session(given, DrawSettings(n_iter=QUICK), folder=folder, in_child=False)
    session.studio.begin([Factored("batch", 1.0, "known", "batch")])
    without = from_arrays(sample.X, columns={"batch": batch})
    with pytest.raises(ValueError, match="without the prior 'batch', which is not given now"):
        Session(without, DrawSettings(n_iter=QUICK), folder=folder)


@pytest.mark.parametrize("what", ["cut", "pickled", "elsewhere", "lost"])
def test_a_damaged_session_is_refused_in_words(kept, shown, what):
    _, folder = kept
    told = json.loads((folder / NAME).read_bytes())
    if what == "cut":
        (folder / NAME).write_bytes((folder / NAME).read_bytes()[:-9])
    elif what == "pickled":
        np.save(folder / "m1.npy", np.array([{}], dtype=object), allow_pickle=True)
    elif what == "elsewhere":
        told["maps"][0]["key"] = "../m1"
        (folder / NAME).write_text(json.dumps(told))
    else:
        (folder / "m1.npy").unlink()
    with pytest.raises(ValueError, match=r"'session' cannot be read from .*start over"):
        Session(shown, DrawSettings(n_iter=QUICK), folder=folder)


def test_a_folder_that_cannot_be_made_is_refused(shown, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="'session' cannot be written to"):
        Session(shown, DrawSettings(), folder=tmp_path / "file")
