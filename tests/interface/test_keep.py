"""Kept labels in tables, AnnData, the shell and tuning."""

import json

import anndata
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import unprior as up
from unprior import scores
from unprior.cli import main

N = 120
RNG = np.random.default_rng(0)
TYPE = RNG.integers(0, 3, N)
BATCH = np.where(TYPE == 0, 0, np.where(TYPE == 2, 1, RNG.integers(0, 2, N)))
X = RNG.normal(size=(N, 5)) + 5 * np.eye(5)[TYPE] + 4 * np.eye(5)[3] * BATCH[:, None]
CELL = np.array(["x", "y", "z"], dtype=object)[TYPE]
CELL[:3] = None

pytestmark = pytest.mark.filterwarnings("ignore::unprior.ConfoundingWarning")


@pytest.fixture
def table():
    known = {"batch": np.array(["a", "b"])[BATCH], "cell": CELL}
    return pd.DataFrame(X, columns=[*"vwxyz"]).assign(**known)


@pytest.fixture
def expected(table):
    """The map drawn with the values themselves."""
    data = table[[*"vwxyz"]]
    return up.embed(data, prior={"batch": table["batch"]}, keep={"cell": CELL}, random_state=0)


def cells(table):
    adata = anndata.AnnData(X.astype(np.float64))
    adata.obs["batch"] = pd.Categorical(table["batch"])
    adata.obs["cell"] = pd.Categorical(table["cell"])
    return adata


def test_columns_of_a_table(table, expected):
    Y = up.embed(table, prior="batch", keep="cell", random_state=0)
    np.testing.assert_array_equal(Y, expected)
    shuffled = table["cell"].sample(frac=1, random_state=0)
    again = up.embed(
        table.drop(columns="cell"), prior="batch", keep={"cell": shuffled}, random_state=0
    )
    np.testing.assert_array_equal(again, expected)
    with pytest.raises(ValueError, match="'keep' names 'cel', which is not a column of 'X'"):
        up.embed(table, prior="batch", keep="cel")


def test_columns_of_whole_numbers_are_labels(table, expected):
    numbered = table.assign(cell=table["cell"].map({"x": 1, "y": 2, "z": 3}).astype("Int64"))
    Y = up.embed(numbered, prior="batch", keep="cell", random_state=0)
    np.testing.assert_array_equal(Y, expected)


def test_names_in_anndata(table, tmp_path):
    adata = cells(table)
    up.tl.embed(adata, "batch", keep="cell")
    told = adata.uns["embed"]
    assert told["params"]["keep"] == ["cell"]
    assert abs(told["report"]["left_within"]["batch"]) < 0.06
    adata.write_h5ad(tmp_path / "cells.h5ad")
    report = up.tl.score(anndata.read_h5ad(tmp_path / "cells.h5ad"))
    assert "batch within cell" in report.to_dict()["prior within"]


def test_a_residual_takes_it(table):
    adata = cells(table)
    up.tl.residual(adata, "batch", keep="cell", kind="linear")
    expected = up.Residual("linear").fit_transform(X, prior=table["batch"], keep=CELL)
    np.testing.assert_allclose(adata.obsm["X_residual"], expected, atol=1e-9)


def test_a_transformer_takes_it_and_jedi_does_not(table):
    adata = cells(table)
    graph = up.tl.transformer(adata, "batch", keep="cell", n_neighbors=10).fit_transform(X)
    plain = up.tl.transformer(adata, "batch", n_neighbors=10).fit_transform(X)
    assert (graph != plain).nnz > 0
    with pytest.raises(TypeError, match=r"tl.jedi: 'keep' is not taken by JEDI"):
        up.tl.jedi(adata, "batch", keep="cell")


def shell(*words):
    done = CliRunner().invoke(main, [*map(str, words)], catch_exceptions=False)
    return done.exit_code, done.stdout, done.stderr


def test_the_shell(table, tmp_path):
    file, out = tmp_path / "cells.csv", tmp_path / "map.csv"
    table.to_csv(file, index=False)
    words = ("--prior", "batch", "--keep", "cell", "--jobs", "1")
    code, told, said = shell("embed", file, *words, "--out", out, "--json")
    assert code == 0, said
    drawn = pd.read_csv(out).iloc[:, -2:].to_numpy()
    assert abs(scores.left_within(drawn, table["batch"], CELL)) < 0.06
    found = json.loads(told)
    assert "batch within cell" in found["scores"]["prior within"]
    assert abs(found["report"]["left_within"]["batch"]) < 0.06
    assert "go together" in said
    assert json.loads((tmp_path / "map.csv.json").read_text())["keep"] == ["cell"]
    code, told, said = shell("score", out, "--json")
    assert code == 0, said
    assert "batch within cell" in json.loads(told)["scores"]["prior within"]


def test_what_the_shell_refuses(table, tmp_path):
    file = tmp_path / "cells.csv"
    table.to_csv(file, index=False)
    code, _, said = shell("embed", file, "--prior", "batch", "--keep", "cell", "--method", "jedi")
    assert code == 2
    assert "--keep: the method 'jedi' cannot keep labels" in said
    code, _, said = shell("embed", file, "--prior", "batch", "--keep", "cel", "--jobs", "1")
    assert code == 1
    assert "Did you mean 'cell'?" in said


def test_tuning_looks_within(table):
    known = {"prior": {"batch": table["batch"]}, "strengths": [0, 1], "k": 10}
    path = up.tune(up.Residual("aligned"), X, keep=CELL, **known)
    left = [step.left["batch"] for step in path.steps]
    R = up.Residual("aligned").fit_transform(X, prior=table["batch"], keep=CELL)
    assert left[0] == pytest.approx(scores.left_within(X, table["batch"], CELL, 10))
    assert left[1] == pytest.approx(scores.left_within(R, table["batch"], CELL, 10))
    assert left[1] < 0.2 < left[0]
    by_name = up.tune(up.Residual("aligned"), table, keep="cell", **known | {"prior": "batch"})
    assert [step.left["batch"] for step in by_name.steps] == left
    with pytest.raises(TypeError, match="tune: 'keep' is not taken by JEDI"):
        up.tune(up.JEDI(), X, keep=CELL, **known)
