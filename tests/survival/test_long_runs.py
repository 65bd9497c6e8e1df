"""embed, tune, reproduce and the command line resume where they were stopped."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import unprior as up
from unprior.cli._embed import embed as embed_command
from unprior.cli._tune import tune as tune_command
from unprior.reproduce import _methods
from unprior.tuning import _trial

pytestmark = pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")


class FailedError(Exception):
    """What stops a run of these tests."""


@pytest.fixture
def data(two_groups):
    return two_groups[0], two_groups[1].astype(str)


@pytest.fixture
def after_two(monkeypatch):
    """Let two fits of `tune` finish, and stop the third."""
    made, run = [], _trial.Trial._run

    def stop(self, strength, folder):
        if len(made) == 2:
            raise FailedError
        made.append(strength)
        return run(self, strength, folder)

    monkeypatch.setattr(_trial.Trial, "_run", stop)
    return made


def test_embed_without_a_seed_goes_on_with_that_of_the_folder(data, tmp_path):
    X, known = data
    first, report = up.embed(X, prior=known, checkpoint=tmp_path / "a", return_report=True)
    second = up.embed(X, prior=known, checkpoint=tmp_path / "a")
    np.testing.assert_array_equal(first, second)
    seed = report.estimator.random_state
    np.testing.assert_array_equal(first, up.embed(X, prior=known, random_state=seed))


@pytest.mark.parametrize("method", ["residual", "jedi", "tsne"])
def test_embed_keeps_every_descent(data, tmp_path, method):
    X, known = data
    asked = {"prior": known, "method": method, "random_state": 0}
    first = up.embed(X, checkpoint=tmp_path / "a", **asked)
    assert (tmp_path / "a" / "descent.npz").exists()
    np.testing.assert_array_equal(first, up.embed(X, **asked))


def test_tune_scores_no_strength_twice(data, tmp_path, after_two, monkeypatch):
    X, known = data
    asked = {"prior": known, "strengths": [0, 0.5, 1], "checkpoint": tmp_path / "a"}
    estimator = up.JEDI(n_iter=20)
    with pytest.raises(FailedError):
        up.tune(estimator, X, **asked)
    del after_two[:]
    path = up.tune(estimator, X, **asked)
    assert after_two == [1.0]
    monkeypatch.undo()
    alone = up.tune(estimator, X, prior=known, strengths=[0, 0.5, 1])
    assert repr(path) == repr(alone)
    assert path.to_dict() == alone.to_dict()
    assert not [*(tmp_path / "a").rglob("descent.npz")]


def test_tune_refuses_another_run(data, tmp_path):
    X, known = data
    asked = {"prior": known, "strengths": [0], "checkpoint": tmp_path / "a"}
    up.tune(up.Residual(), X, **asked)
    with pytest.raises(
        ValueError, match=r"^tune: 'checkpoint' .* belongs to another k \(15, now 5\)"
    ):
        up.tune(up.Residual(), X, **asked, k=5)
    with pytest.raises(ValueError, match="'estimator' takes one without a checkpoint"):
        up.tune(up.JEDI(checkpoint=tmp_path / "b"), X, **asked)


def test_reproduce_draws_no_map_twice(data, tmp_path, monkeypatch):
    X, known = data
    task = _methods.Task(up.JEDI(n_iter=5, random_state=0), known)
    first = _methods.draw(task, X, tmp_path)
    monkeypatch.setattr(_methods, "_fit", None)
    again = _methods.draw(task, X, tmp_path)
    np.testing.assert_array_equal(first.embedding, again.embedding)
    assert first.seconds == again.seconds
    # Another map is not taken for it.
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        _methods.draw(task, X[::-1], tmp_path)


@pytest.mark.parametrize("command", ["embed", "tune"])
def test_the_command_line_goes_on(data, tmp_path, command):
    X, known = data
    file = tmp_path / "data.csv"
    rows = [",".join([*map(str, row), label]) for row, label in zip(X, known, strict=True)]
    file.write_text("\n".join(["a,b,c,d,e,f,known", *rows]))
    words = [str(file), "--prior", "known:labels", "--checkpoint", str(tmp_path / "kept"), "--json"]
    run = embed_command if command == "embed" else tune_command
    words += ["--method", "residual", *(["--strengths", "0,1"] if command == "tune" else [])]
    first, second = (CliRunner().invoke(run, words, catch_exceptions=False) for _ in range(2))
    assert first.exit_code == second.exit_code == 0
    assert json.loads(first.stdout)
    assert first.stdout == second.stdout
    assert [*(tmp_path / "kept").glob("*.npz")]
