"""Results of commands: files written, extra columns, and what happens if writing fails."""

import json
import os
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from PIL import Image

import unprior as up
from unprior.cli import _draw, _options, main
from unprior.files import _write

N = 60

# The random maps that suffice for these tests keep nothing of the data.
pytestmark = pytest.mark.filterwarnings("ignore::unprior.OverRemovalWarning")


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N, 4)), columns=list("abcd"))
    frame["kind"], frame["hour"] = ["u", "v"] * (N // 2), rng.uniform(0, 24, N)
    frame["day"] = pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d")
    frame.insert(0, "id", [f"s{k}" for k in range(N)])
    frame.loc[3, "hour"] = np.nan
    frame.to_csv(tmp_path / "a.csv", index=False)
    return tmp_path / "a.csv"


@pytest.fixture
def quick(monkeypatch):
    def fit(X, priors, setting, _):
        return np.random.default_rng(0).normal(size=(len(X), 2)), None, None

    monkeypatch.setattr(_draw, "_fit", fit)


def run(*words, code=0):
    done = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done


def embed(file, *words, code=0):
    drop = ["--drop", "hour"] if "--features" not in words else []
    return run("embed", file, "--prior", "kind", "--jobs", 1, *drop, *words, code=code)


@pytest.mark.usefixtures("quick")
class TestWithoutAFit:
    """Maps at once."""

    @pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "npz", "h5ad"])
    def test_other_columns_go_along(self, file, tmp_path, ending):
        out = tmp_path / f"map.{ending}"
        embed(file, "--out", out, "--with", "hour,kind", "--with", "day")
        done = run("plot", out, "--color", "kind", "--color", "day", "--out", tmp_path / "m.png")
        assert "Columns from" not in done.stderr
        with Image.open(tmp_path / "m.png") as picture:
            assert picture.size[1] > 1.5 * 300  # two rows of panels
        if ending == "csv":
            told = pd.read_csv(out)
            assert [*told] == ["id", "x", "y", "hour", "kind", "day"]
            assert told["hour"].isna().sum() == 1
            assert told["day"][1] == "2024-01-02"

    def test_columns_go_along_to_stdout(self, file):
        assert embed(file, "--with", "kind").stdout.startswith("id,x,y,kind\ns0,")

    def test_an_array_holds_no_columns(self, file, tmp_path):
        done = embed(file, "--out", tmp_path / "m.npy", "--with", "kind", code=1)
        assert "an .npy file cannot hold the columns of --with" in done.stderr
        assert "--with: a.csv has no column 'kin'. Did you mean 'kind'" in embed(
            file, "--with", "kin", code=1).stderr  # fmt: skip

    def test_pictures_in_the_colours_of_any_column(self, file, tmp_path):
        embed(file, "--plot", tmp_path / "m.png", "--color", "hour:cyclic=24", "--color", "day")
        assert (tmp_path / "m.png").is_file()
        done = embed(file, "--plot", tmp_path / "n.png", "--color", "hours", code=1)
        assert "--color hours: a.csv has no column 'hours'" in done.stderr

    def test_plot_finds_the_columns_of_the_data(self, file, tmp_path):
        embed(file, "--out", tmp_path / "map.csv")
        words = ["plot", tmp_path / "map.csv", "--color", "day:features", "--size", 9,
                 "--cmap", "magma", "--no-legend", "--out"]  # fmt: skip
        assert "Columns from a.csv" in run(*words, tmp_path / "m.png").stderr
        (tmp_path / "map.csv.json").unlink()
        assert "has no column 'day'" in run(*words, tmp_path / "n.png", code=1).stderr
        run(*words, tmp_path / "n.png", "--data", file)
        assert "already exists" in run(*words, tmp_path / "n.png", code=1).stderr

    def test_score_remembers_how_the_map_was_made(self, file, tmp_path):
        out = tmp_path / "map.csv"
        embed(file, "--standardize", "--drop", "d", "--out", out)
        told = json.loads((tmp_path / "map.csv.json").read_text())
        assert (told["prior"], told["standardize"]) == (["kind"], True)
        done = run("score", out, "--json")
        assert "--prior kind --drop hour --drop d" in done.stderr.replace("\n", " ")
        words = ["--data", file, "--prior", "kind", "--standardize", "--drop", "d,hour", "--json"]
        (tmp_path / "map.csv.json").unlink()
        assert run("score", out, *words).stdout == done.stdout
        assert "Give --data" in run("score", out, code=2).stderr

    def test_what_is_said_goes_before_what_is_remembered(self, file, tmp_path):
        embed(file, "--out", tmp_path / "map.csv")
        done = run("score", tmp_path / "map.csv", "--prior", "day", "--drop", "hour", "--json")
        assert [*json.loads(done.stdout)["scores"]["prior"]] == ["day"]

    def test_the_table_goes_to_stdout_unless_the_map_does(self, file, tmp_path):
        assert "kind left" in embed(file, "--out", tmp_path / "m.csv").stdout
        done = embed(file)
        assert "kind left" not in done.stdout
        assert "kind left" in done.stderr

    def test_a_folder_that_cannot_be_written_is_found_out_before_the_fit(
        self, file, tmp_path, monkeypatch
    ):
        def refuse(*_, **__):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
        done = embed(file, "--out", tmp_path / "m.csv", code=1)
        assert "m.csv cannot be written: Permission denied; give another folder" in done.stderr
        assert "samples" not in done.stderr

    def test_a_full_disk_is_found_out_before_the_fit(self, file, tmp_path, monkeypatch):
        room = os.terminal_size((0, 0))
        monkeypatch.setattr(_write.shutil, "disk_usage", lambda _: type("D", (), {"free": 10**5}))
        done = embed(file, "--out", tmp_path / "m.csv", code=1)
        assert "m.csv needs about 4 MiB, but only 0 are free" in done.stderr
        assert room is not None

    def test_a_map_that_cannot_be_written_is_saved_elsewhere(self, file, tmp_path, monkeypatch):
        out, write = tmp_path / "m.csv", _write.WRITERS[".csv"]

        def fail_there(path, *rest):
            if path.parent == tmp_path:
                raise OSError(28, "No space left on device")
            write(path, *rest)

        monkeypatch.setitem(_write.WRITERS, ".csv", fail_there)
        done = embed(file, "--out", out, code=1)
        assert f"Error: {out} could not be written (No space left on device)." in done.stderr
        place = next(line for line in done.stderr.splitlines() if line.startswith("Map: "))
        assert len(pd.read_csv(place.removeprefix("Map: "))) == N
        assert "kind left" in done.stdout


@pytest.fixture
def cells(tmp_path):
    rng = np.random.default_rng(0)
    obs = pd.DataFrame({"batch": ["u", "v"] * (N // 2)}, index=[f"c{k}" for k in range(N)])
    adata = anndata.AnnData(rng.normal(size=(N, 5)), obs, uns={"title": "mine"})
    adata.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"


@pytest.mark.parametrize(
    ("method", "key", "more"),
    [("auto", "embed", []), ("residual", "embed", ["X_residual"]), ("confetti", "confetti", [])],
)
def test_a_copy_holds_all_that_was_there_and_the_result(cells, tmp_path, method, key, more):
    words = ["--prior", "batch", "--method", method, "--jobs", 1]
    run("embed", cells, *words, "--add-to", tmp_path / "b.h5ad", "--out", tmp_path / "map.csv")
    copy = anndata.read_h5ad(tmp_path / "b.h5ad")
    assert copy.uns["title"] == "mine"
    assert "batch" in copy.obs
    np.testing.assert_allclose(
        copy.obsm[f"X_{key}"], pd.read_csv(tmp_path / "map.csv")[["x", "y"]], rtol=1e-5
    )
    assert {*more} <= {*copy.obsm}
    assert ("confetti_connectivities" in copy.obsp) == (method == "confetti")
    report = up.tl.score(copy, prior="batch")  # the latest map, from the data it was drawn from
    assert report.to_dict()["prior"]["batch"]


def test_only_an_anndata_has_a_copy(file, tmp_path):
    done = embed(file, "--add-to", tmp_path / "b.h5ad", code=1)
    assert "--add-to takes an AnnData as FILE" in done.stderr


@pytest.mark.parametrize(("load", "jobs"), [(0.1, 4), (1.4, 3), (9.0, 1)])
def test_threads_are_as_many_as_idle_cores(monkeypatch, load, jobs):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {*range(4)}, raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0, 0), raising=False)
    assert _options.free_cores() == jobs


@pytest.mark.parametrize("command", ["embed", "tune"])
@pytest.mark.parametrize("hides", [SystemError, ValueError])
def test_a_stop_within_compiled_code_is_a_stop(file, monkeypatch, command, hides):
    def stop(*_, **__):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise hides("returned a result with an exception set")  # noqa: B904

    monkeypatch.setattr("unprior.cli._prepare.read_samples", stop)
    done = run(command, file, "--prior", "kind", code=130)
    assert done.stderr == "Stopped.\n"


def test_tune_raises_a_stop_as_such(monkeypatch):
    def stop(*_):
        raise SystemError("compiled") from KeyboardInterrupt()

    monkeypatch.setattr("unprior.tuning._trial.Trial.run", stop)
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(KeyboardInterrupt):
        up.tune(up.Residual(), X, prior=["a", "b"] * 20, strengths=[0, 1])
