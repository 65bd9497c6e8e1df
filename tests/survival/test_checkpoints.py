"""Fits with a checkpoint: they resume where they were, and refuse any other run."""

import errno
import json
import os
import shutil
from functools import partial

import numpy as np
import pytest

import unprior as up
from unprior import _atomic_files
from unprior.optimize import _checkpoint

ESTIMATORS = {
    "independent": lambda **o: up.IndependentTSNE(n_iter=60, perplexity=5, **o),
    "half": lambda **o: up.IndependentTSNE(n_iter=30, perplexity=5, strength=0.5, **o),
    "jedi": lambda **o: up.JEDI(n_iter=40, **o),
    "drawn": lambda **o: up.JEDI(n_iter=40, solver="sampled", **o),
    "ctsne": lambda **o: up.ConditionalTSNE(n_iter=40, perplexity=5, **o),
    "revised": lambda **o: up.RevisedConditionalTSNE(n_iter=40, perplexity=5, **o),
}

# After a few steps a map does not meet its constraint yet.
pytestmark = pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")


class FailedError(Exception):
    """What a callback of these tests raises."""


def fail_at(step):
    def fail(t, value, Y):
        if t == step:
            raise FailedError

    return fail


def watch(seen):
    return lambda t, value, Y: seen.append(t)


@pytest.fixture
def data(two_groups):
    return two_groups[0], two_groups[1].astype(str)


@pytest.fixture(params=ESTIMATORS)
def make(request):
    return ESTIMATORS[request.param]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "checkpoint"


def test_goes_on_to_the_same_bits(make, data, folder):
    X, known = data
    alone = make(random_state=0).fit(X, prior=known)
    for step in (5, 21):
        with pytest.raises(FailedError):
            make(random_state=0, checkpoint=folder, callbacks=[fail_at(step)]).fit(X, prior=known)
    seen = []
    fitted = make(random_state=0, checkpoint=folder, callbacks=[watch(seen)]).fit(X, prior=known)
    assert seen[0] == 21
    np.testing.assert_array_equal(fitted.embedding_, alone.embedding_)
    np.testing.assert_array_equal(fitted.objective_, alone.objective_)
    assert vars(fitted).get("left_") == vars(alone).get("left_")
    assert vars(fitted).get("multiplier_") == vars(alone).get("multiplier_")


def test_a_finished_fit_takes_no_step_again(make, data, folder):
    X, known = data
    first = make(random_state=0, checkpoint=folder).fit(X, prior=known)
    seen = []
    second = make(random_state=0, checkpoint=folder, callbacks=[watch(seen)]).fit(X, prior=known)
    assert not seen
    np.testing.assert_array_equal(first.embedding_, second.embedding_)
    np.testing.assert_array_equal(first.objective_, second.objective_)


def test_the_layout_of_umap_goes_on(data, folder):
    X, known = data

    def make(*callbacks, **options):
        params = {"n_epochs": 20, "callbacks": callbacks, "callbacks_every_iters": 1}
        return up.Confetti(embedder_params=params, random_state=0, **options)

    alone = make().fit(X, prior=known)
    stopped = make(partial(fail_at(11), Y=None), checkpoint=folder)
    with pytest.raises(FailedError):
        stopped.fit(X, prior=known)
    seen = []
    fitted = make(lambda t, Y: seen.append(t), checkpoint=folder).fit(X, prior=known)
    assert seen[0] == 11
    np.testing.assert_array_equal(fitted.embedding_, alone.embedding_)


def test_ctrl_c_keeps_map_and_state(data, folder):
    X, known = data

    def stop(t, value, Y):
        if t == 9:
            raise KeyboardInterrupt

    alone = up.JEDI(n_iter=30, random_state=0).fit(X, prior=known)
    with pytest.warns(up.InterruptedFitWarning):
        up.JEDI(n_iter=30, random_state=0, checkpoint=folder, callbacks=[stop]).fit(X, prior=known)
    fitted = up.JEDI(n_iter=30, random_state=0, checkpoint=folder).fit(X, prior=known)
    np.testing.assert_array_equal(fitted.embedding_, alone.embedding_)


def test_without_a_seed_the_folder_has_one(data, folder):
    X, known = data
    with pytest.raises(FailedError):
        up.JEDI(n_iter=20, checkpoint=folder, callbacks=[fail_at(5)]).fit(X, prior=known)
    first = up.JEDI(n_iter=20, checkpoint=folder).fit(X, prior=known)
    seed = json.loads((folder / "checkpoint.json").read_text())["seed"]
    alone = up.JEDI(n_iter=20, random_state=seed).fit(X, prior=known)
    np.testing.assert_array_equal(first.embedding_, alone.embedding_)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": 1.0}, r"other data \('X'\)"),
        ({"prior": 1}, "another prior"),
        ({"skewness": 0.5}, r"other options \(skewness was 0.99, now 0.5\)"),
        ({"random_state": 1}, r"other options \(random_state was 0, now 1\)"),
        ({"init": np.eye(90, 2)}, r"other options \(init was spectral, now "),
    ],
)
def test_another_fit_is_refused_in_words(data, folder, change, words):
    X, known = data
    options = {"n_iter": 5, "random_state": 0, "checkpoint": folder}
    up.JEDI(**options).fit(X, prior=known)
    X[3, 2] += change.pop("X", 0.0)
    known[5] = "012"[(int(known[5]) + change.pop("prior", 0)) % 3]
    with pytest.raises(
        ValueError, match=f"^JEDI: 'checkpoint' .* belongs to {words}.*another folder"
    ):
        up.JEDI(**{**options, **change}).fit(X, prior=known)


@pytest.mark.filterwarnings("ignore:IndependentTSNE. map neighbours share")  # after five steps
def test_other_kept_labels_are_refused(data, folder):
    X, known = data
    kept = np.arange(len(X)) % 2
    options = {"n_iter": 5, "perplexity": 10, "random_state": 0, "checkpoint": folder}
    up.IndependentTSNE(**options).fit(X, prior=known, keep=kept)
    for other in (None, np.arange(len(X)) % 3):
        with pytest.raises(ValueError, match=r"belongs to other kept labels.*another folder"):
            up.IndependentTSNE(**options).fit(X, prior=known, keep=other)


@pytest.mark.parametrize("option", [{"n_jobs": 2}, {"verbose": 0}, {"callbacks": [print]}])
def test_what_changes_no_map_may_change(data, folder, option, capsys):
    X, known = data
    options = {"n_iter": 5, "random_state": 0, "checkpoint": folder}
    first = up.JEDI(**options).fit(X, prior=known)
    second = up.JEDI(**options, **option).fit(X, prior=known)
    np.testing.assert_array_equal(first.embedding_, second.embedding_)


def test_another_version_or_estimator_is_refused(data, folder):
    X, known = data
    up.JEDI(n_iter=5, random_state=0, checkpoint=folder).fit(X, prior=known)
    with pytest.raises(ValueError, match=r"another estimator \(JEDI, now ConditionalTSNE\)"):
        up.ConditionalTSNE(perplexity=5, random_state=0, checkpoint=folder).fit(X, prior=known)
    about = json.loads((folder / "checkpoint.json").read_text())
    (folder / "checkpoint.json").write_text(json.dumps({**about, "version": "0.0.1"}))
    with pytest.raises(ValueError, match=r"another version \(0.0.1, now "):
        up.JEDI(n_iter=5, random_state=0, checkpoint=folder).fit(X, prior=known)


@pytest.mark.parametrize("text", ["", "[" * 200_000, "[]", '{"seed": "x"}', "\x00\x01"])
def test_a_folder_of_something_else_is_refused(data, folder, text):
    X, known = data
    folder.mkdir()
    (folder / "checkpoint.json").write_text(text)
    with pytest.raises(ValueError, match=r"'checkpoint' takes a folder that this library made"):
        up.JEDI(n_iter=5, random_state=0, checkpoint=folder).fit(X, prior=known)


@pytest.mark.parametrize("spoil", ["cut", "empty", "other", "missing"])
def test_a_spoilt_state_is_refused(data, folder, spoil):
    X, known = data
    up.JEDI(n_iter=5, random_state=0, checkpoint=folder).fit(X, prior=known)
    path = folder / "descent.npz"
    if spoil == "cut":
        path.write_bytes(path.read_bytes()[:-200])
    elif spoil == "empty":
        path.write_bytes(b"")
    else:
        with np.load(path) as file:
            arrays = dict(file)
        if spoil == "other":
            arrays["map"] = arrays["map"][:-1]
        else:
            del arrays["gains"]
        np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"^JEDI: 'checkpoint' .*delete the folder"):
        up.JEDI(n_iter=5, random_state=0, checkpoint=folder).fit(X, prior=known)


def facts_of(text):
    return {"facts": np.frombuffer(text, np.uint8)}


FACTS = b'{"n_done": 5, "memory": %s}'

SPOILT = {
    "compressed": lambda path, arrays: np.savez_compressed(path, map=np.zeros(10**6), **arrays),
    "no archive": lambda path, arrays: path.write_bytes(b"\x93NUMPY"),
    "nested": lambda path, arrays: np.savez(path, **{**arrays, **facts_of(b"[" * 200_000)}),
    "no memory": lambda path, arrays: np.savez(path, **{**arrays, **facts_of(FACTS % b"{}")}),
    "other memory": lambda path, arrays: np.savez(
        path, **{**arrays, **facts_of(FACTS % b'{"drawn": ["x"], "revise": [1]}')}
    ),
    "text": lambda path, arrays: np.savez(path, **{**arrays, "gains": arrays["gains"].astype("U")}),
}


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_state_that_was_never_saved_is_refused(data, folder, spoil):
    X, known = data
    options = {"n_iter": 5, "perplexity": 5, "random_state": 0, "checkpoint": folder}
    up.IndependentTSNE(**options).fit(X, prior=known)
    path = folder / "descent.npz"
    with np.load(path) as file:
        arrays = dict(file)
    SPOILT[spoil](path, {name: held for name, held in arrays.items() if name != "map"})
    if spoil not in ("compressed", "no archive"):
        with np.load(path) as file:
            np.savez(path, **{**file, "map": arrays["map"]})
    with pytest.raises(ValueError, match=r"^IndependentTSNE: 'checkpoint' .*delete the folder"):
        up.IndependentTSNE(**options).fit(X, prior=known)


@pytest.mark.parametrize("spoilt", [{"map": np.zeros(2, np.float32)}, {"other": np.zeros(2)}])
def test_a_state_of_another_layout_is_refused(data, folder, spoilt):
    X, known = data
    options = {"embedder_params": {"n_epochs": 5}, "random_state": 0, "checkpoint": folder}
    up.Confetti(**options).fit(X, prior=known)
    (path,) = folder.glob("*.npz")
    np.savez(path, **spoilt, **facts_of(b'{"n_done": 3}'))
    with pytest.raises(ValueError, match=r"^Confetti: 'checkpoint' .*delete the folder"):
        up.Confetti(**options).fit(X, prior=known)


def test_a_generator_cannot_go_on(data, folder):
    X, known = data
    with pytest.raises(ValueError, match=r"^JEDI: 'random_state' takes None or a whole number"):
        up.JEDI(checkpoint=folder, random_state=np.random.RandomState(0)).fit(X, prior=known)


def test_other_embedders_refuse_a_checkpoint(data, folder):
    X, known = data
    with pytest.raises(ValueError, match=r"^Confetti: 'checkpoint' takes None unless"):
        up.Confetti(embedder="tsne", checkpoint=folder).fit(X, prior=known)


def test_a_place_that_cannot_be_written_is_refused_before_any_work(data, tmp_path):
    X, known = data
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(OSError, match=r"^\[Errno \d+\] JEDI: 'checkpoint' cannot be written to"):
        up.JEDI(checkpoint=file / "folder").fit(X, prior=known)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_read_only_folder_is_refused(data, tmp_path):
    X, known = data
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="'checkpoint' cannot be written to"):
        up.JEDI(checkpoint=tmp_path / "folder").fit(X, prior=known)


def test_a_full_disk_is_said_and_spoils_nothing(data, folder, monkeypatch):
    X, known = data
    options = {"n_iter": 20, "random_state": 0, "checkpoint": folder}
    with pytest.raises(FailedError):
        up.JEDI(**options, callbacks=[fail_at(8)]).fit(X, prior=known)
    before = (folder / "descent.npz").read_bytes()

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    def fill(t, value, Y):
        monkeypatch.setattr(_atomic_files.os, "fsync", full)

    monkeypatch.setattr(_checkpoint, "SECONDS", 0.0)
    with pytest.warns(up.CheckpointWarning, match="No space left on device.*the run continues"):
        fitted = up.JEDI(**options, callbacks=[fill]).fit(X, prior=known)
    monkeypatch.undo()
    assert [path.name for path in sorted(folder.iterdir())] == ["checkpoint.json", "descent.npz"]
    assert len((folder / "descent.npz").read_bytes()) >= len(before)
    alone = up.JEDI(n_iter=20, random_state=0).fit(X, prior=known)
    np.testing.assert_array_equal(fitted.embedding_, alone.embedding_)
    again = up.JEDI(**options).fit(X, prior=known)
    np.testing.assert_array_equal(again.embedding_, alone.embedding_)


def test_what_a_killed_process_left_half_written_goes(data, folder):
    X, known = data
    up.JEDI(n_iter=5, random_state=0, checkpoint=folder).fit(X, prior=known)
    shutil.copy(folder / "descent.npz", folder / ".descent.npz.0a1b2c3d.part")
    up.JEDI(n_iter=5, random_state=0, checkpoint=folder).fit(X, prior=known)
    assert not [*folder.glob(".*")]


def test_nothing_is_saved_before_it_is_due(data, folder, monkeypatch):
    X, known = data
    saves = []
    monkeypatch.setattr(_checkpoint, "SECONDS", np.inf)
    monkeypatch.setattr(_checkpoint.Checkpoint, "save", lambda self, *args: saves.append(args))
    up.JEDI(n_iter=20, random_state=0, checkpoint=folder).fit(X, prior=known)
    assert len(saves) == 1  # at the end
