"""Warnings about files that would make a map misleading name command-line options."""

import io

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_matrix

from unprior.cli import _draw, main

N = 60

# The random maps that suffice for these tests keep nothing of the data.
pytestmark = pytest.mark.filterwarnings("ignore::unprior.OverRemovalWarning")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(N, 4)), columns=list("abcd"))
    return table.assign(kind=["u", "v"] * (N // 2))


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Write a table, map it, and return what is said and the data that were mapped."""
    given = {}

    def fit(X, priors, setting, _):
        given.update(X=X, priors=priors)
        return X[:, :2], None, None

    monkeypatch.setattr(_draw, "_fit", fit)

    def run(table, *words, prior="kind", file="a.csv", code=0):
        if table is not None:
            table.to_csv(tmp_path / file, index=False)
        every = ["embed", str(tmp_path / file), "--prior", prior, "--method", "jedi", "--jobs", "1"]
        done = CliRunner().invoke(main, [*every, *map(str, words)], catch_exceptions=False)
        assert done.exit_code == code, done.output
        return done.stderr, given

    return run


def test_ids_are_left_out_and_said(told, frame):
    shuffled = np.random.default_rng(1).permutation(N) + 4000
    err, given = told(frame.assign(user_id=shuffled, visit_id=np.arange(N) // 2))
    assert "ids from column 'user_id'" in err
    assert "visit_id (ids)" in err
    assert given["X"].shape == (N, 4)
    err, given = told(frame.assign(user_id=shuffled), "--features", "a,b,c,user_id")
    assert "Warning: column 'user_id' looks like ids" in err
    assert given["X"].shape == (N, 4)


def test_a_column_that_drowns_all_others_is_named(told, frame):
    frame["c"] *= 5000
    err, _ = told(frame)
    assert "Warning: column 'c' holds 100 % of the variance" in err
    assert "--standardize" in err
    assert "Warning" not in told(frame, "--standardize")[0]


def test_codes_for_missing_values(told, frame):
    frame.loc[[3, 8], "b"] = -999
    err, _ = told(frame)
    assert "column 'b' is -999 in 2 rows" in err
    assert "--missing" in err
    err, given = told(frame, "--missing", -999, "--drop-missing")
    assert "Left out 2 rows with missing values" in err
    assert "Warning" not in err
    assert len(given["X"]) == N - 2
    assert "column 'b' has no value in row 3" in told(frame, "--missing", -999, code=1)[0]


def test_constant_columns_and_copies(told, frame):
    err, _ = told(pd.concat([frame.iloc[:40], frame.iloc[:20]]).assign(e=1))
    assert "Constant columns: e." in err
    assert "20 of 60 rows are exact copies" in err


def test_priors_with_little_to_take_out(told, frame):
    err, _ = told(frame.assign(kind=["u"] * 58 + ["v"] * 2))
    assert "Warning: --prior kind: one class, 'u', has 97 % of the samples" in err
    err, _ = told(frame.assign(kind=[f"k{k}" for k in range(50)] + ["v"] * 10, name=range(N)))
    assert "51 classes for 60 samples" in err


def test_embeddings_of_different_lengths_call_for_cosine(told, frame, tmp_path):
    rng = np.random.default_rng(0)
    E = rng.normal(size=(N, 100)) * rng.uniform(1, 3, (N, 1))
    np.savez(tmp_path / "E.npz", X=E, kind=frame["kind"].to_numpy().astype(str))
    err, _ = told(None, file="E.npz")
    assert "--metric cosine" in err
    np.savez(tmp_path / "E.npz", X=E / np.linalg.norm(E, axis=1, keepdims=True),
             kind=frame["kind"].to_numpy().astype(str))  # fmt: skip
    assert "cosine" not in told(None, file="E.npz")[0]


def test_components_stand_for_many_variables(told, tmp_path):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    obs = pd.DataFrame({"kind": ["u", "v"] * 30}, index=[f"c{k}" for k in range(N)])
    genes, pca = rng.normal(size=(N, 60)), rng.normal(size=(N, 5))
    adata = anndata.AnnData(genes, obs=obs, obsm={"X_pca": pca})
    adata.write_h5ad(tmp_path / "a.h5ad")
    err, given = told(None, file="a.h5ad")
    assert "The data are 'X_pca' of obsm, since X has 60 variables" in err
    np.testing.assert_array_equal(given["X"], pca)
    for words, shape in ((["--features", "X"], 60), (["--pca", "3"], 3), (["--drop", "0"], 59)):
        assert told(None, *words, file="a.h5ad")[1]["X"].shape == (N, shape)
    del adata.obsm["X_pca"]
    adata.write_h5ad(tmp_path / "a.h5ad")
    err, given = told(None, file="a.h5ad")
    assert "There is no 'X_pca' in obsm; the data are all 60 variables" in err
    assert given["X"].shape == (N, 60)


def test_dates_are_amounts_or_go_round(told, frame):
    days = pd.date_range("2024-01-01", periods=N, freq="9D").strftime("%Y-%m-%d")
    err, given = told(frame.assign(day=days, kind=1.5), prior="day")
    assert "Prior: day (features)" in err
    np.testing.assert_array_equal(given["priors"]["day"].pairs([0], [40]), [360])
    err, given = told(frame.assign(day=days, kind=1.5), prior="day:cyclic=year")
    np.testing.assert_allclose(given["priors"]["day"].pairs([0], [40]), [5.2425])


class TestASecondFile:
    """Metadata from another file: by ids, or in the same order."""

    @pytest.fixture
    def meta(self, frame, tmp_path):
        np.save(tmp_path / "E.npy", frame[list("abcd")].to_numpy())
        told = pd.DataFrame({"id": [f"s{k}" for k in range(N)], "kind": frame["kind"], "age": 1.5})
        told.to_csv(tmp_path / "obs.csv", index=False)
        return tmp_path / "obs.csv"

    def test_in_the_same_order(self, told, meta):
        err, given = told(None, "--meta", meta, file="E.npy")
        assert "Rows of obs.csv are matched by order" in err
        assert given["X"].shape == (N, 4)
        assert given["priors"]["kind"].n_samples == N

    def test_by_ids(self, told, frame, meta):
        table = frame.drop(columns="kind").assign(id=[f"s{k}" for k in range(N)])[::-1]
        err, given = told(table, "--meta", meta, "--on", "id")
        assert "Rows of obs.csv are matched by ids" in err
        assert given["X"].shape == (N, 4)
        codes = given["priors"]["kind"].codes
        np.testing.assert_array_equal(codes, (frame["kind"] == "v")[::-1])

    @pytest.mark.parametrize(
        ("words", "reason"),
        [
            (["--on", "name"], "--on name: obs.csv has no column 'name'"),
            ([], "--meta obs.csv lacks ids of a.csv"),
        ],
    )
    def test_what_does_not_match_is_refused(self, told, frame, meta, words, reason):
        table = frame.drop(columns="kind").assign(id=[f"t{k}" for k in range(N)])
        assert reason in told(table, "--meta", meta, *words, code=1)[0]
        assert "there is no --meta" in told(frame, "--on", "id", code=1)[0]


@pytest.mark.parametrize("kind", ["csv", "npz", "parquet", "feather"])
def test_stdin(frame, monkeypatch, kind):
    given = {}
    fit = lambda X, *_: (given.setdefault("X", X)[:, :2], None, None)  # noqa: E731
    monkeypatch.setattr(_draw, "_fit", fit)
    held = io.BytesIO()
    if kind == "npz":
        X = frame[list("abcd")].to_numpy()
        np.savez(held, X=X, kind=frame["kind"].to_numpy().astype(str))
    elif kind == "csv":
        frame.to_csv(held, index=False)
    else:
        getattr(frame, f"to_{kind}")(held)
    words = ["embed", "-", "--prior", "kind", "--method", "jedi", "--jobs", "1"]
    done = CliRunner().invoke(main, words, input=held.getvalue(), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    np.testing.assert_allclose(given["X"], frame[list("abcd")])
    assert f"stdin.{kind}: {N} samples" in done.stderr


def test_a_sheet_of_excel(told, frame, tmp_path):
    pytest.importorskip("openpyxl")
    frame.to_excel(tmp_path / "a.xlsx", index=False)
    _, given = told(None, file="a.xlsx")
    np.testing.assert_allclose(given["X"], frame[list("abcd")])
    (tmp_path / "b.xlsx").write_bytes(b"PK")
    assert "b.xlsx is not an Excel file" in told(None, file="b.xlsx", code=1)[0]


def test_whole_distances_have_no_ids(tmp_path, told):
    places = np.random.default_rng(0).permutation(N)
    D = pd.DataFrame(np.abs(places[:, None] - places)).add_prefix("s")
    D.to_csv(tmp_path / "D.csv", index=False)
    np.save(tmp_path / "kind.npy", np.tile([0.5, 1.5], N // 2))
    words = ["--metric", "precomputed"]
    _, given = told(None, *words, prior=str(tmp_path / "kind.npy"), file="D.csv")
    np.testing.assert_array_equal(given["X"], D)


def test_codes_in_a_prior(told, frame):
    frame["age"] = np.where(np.arange(N) % 10 == 0, 999.0, 20.5 + np.arange(N))
    err, _ = told(frame.drop(columns="kind"), prior="age")
    assert "Warning: --prior age: the value is 999 in 6 rows" in err
    err, given = told(frame, "--missing", 999, "--drop-missing", prior="age")
    assert len(given["X"]) == N - 6


def test_sparse_data_are_reduced_and_it_is_said(told, tmp_path):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    obs = pd.DataFrame({"kind": ["u", "v"] * 30}, index=[f"c{k}" for k in range(N)])
    counts = csr_matrix(rng.poisson(0.2, (N, 300)).astype(np.float32))
    anndata.AnnData(counts, obs=obs).write_h5ad(tmp_path / "a.h5ad")
    err, given = told(None, file="a.h5ad")
    assert (
        "The data are sparse, with 300 columns; they are reduced to 50 principal components" in err
    )
    assert given["X"].shape == (N, 50)
    assert told(None, "--pca", 7, file="a.h5ad")[1]["X"].shape == (N, 7)
    err, _ = told(None, "--metric", "cityblock", file="a.h5ad", code=1)
    assert "--metric cityblock takes dense data" in err
