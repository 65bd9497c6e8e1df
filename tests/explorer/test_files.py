"""`explore` reads files, arrays and AnnData."""

import anndata
import numpy as np
import pandas as pd
import pytest

import unprior as up
from unprior.explorer import from_arrays, read_file
from unprior.explorer._api import _read, given_priors
from unprior.explorer._container import unpack
from unprior.explorer._distinct import distinguish
from unprior.explorer._draw import DrawSettings
from unprior.explorer._session import Session

N = 40


@pytest.fixture
def frame(rng):
    return pd.DataFrame(
        {
            "u": rng.normal(size=N),
            "v": rng.normal(size=N),
            "hour": rng.uniform(0, 24, N),
            "batch": ["a", "b"] * (N // 2),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N), "D"),
        }
    )


@pytest.fixture
def path(frame, tmp_path):
    frame.to_parquet(tmp_path / "data.parquet")
    return tmp_path / "data.parquet"


def test_kinds_of_columns(path, frame):
    data = read_file(path, prior=["hour:cyclic=24", "batch"], standardize=True)
    kinds = {name: column.kind for name, column in data.columns.items()}
    assert kinds == {"hour": "cyclic", "batch": "groups", "day": "dates"}
    assert data.columns["hour"].period == 24
    assert data.feature_names == ("u", "v")
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.table[:, 0], frame["u"])
    assert {name: prior.kind for name, prior in data.priors.items()} == {
        "hour": "cyclic",
        "batch": "labels",
    }


def test_the_origin_reads_the_same(path, monkeypatch):
    data = read_file(path, prior=["batch"], drop=["v"], standardize=True)
    monkeypatch.chdir(path.parent)
    names = {}
    exec(data.origin, names)
    np.testing.assert_array_equal(names["data"].X, data.X)
    assert str(path.parent) not in data.origin


def test_gaps_are_refused_or_left_out(frame, tmp_path):
    frame.loc[3, "u"] = np.nan
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    with pytest.raises(ValueError, match=r"row 3.*--drop-missing"):
        read_file(tmp_path / "gaps.csv")
    data = read_file(tmp_path / "gaps.csv", drop_missing=True)
    assert data.n_samples == N - 1
    assert {len(column.values) for column in data.columns.values()} == {N - 1}


@pytest.fixture
def adata(rng, frame):
    adata = anndata.AnnData(rng.normal(size=(N, 30)).astype(np.float32))
    adata.obs_names = [f"cell {k}" for k in range(N)]
    adata.obs["batch"] = pd.Categorical(frame["batch"].to_numpy())
    adata.obsm["X_umap"] = rng.normal(size=(N, 2))
    adata.obsm["X_pca"] = rng.normal(size=(N, 5))
    return adata


def test_anndata_on_file(adata, tmp_path):
    adata.write_h5ad(tmp_path / "cells.h5ad")
    data = read_file(tmp_path / "cells.h5ad", features=["X_pca"])
    assert data.X.shape == (N, 5)
    assert len(data.feature_names) == 30  # genes distinguish selections, whatever is drawn
    assert [*data.maps] == ["X_umap"]
    assert data.ids[0] == "cell 0"
    assert data.columns["batch"].kind == "groups"


def test_the_map_of_the_file_is_there_and_plain_t_sne_is_drawn_beside_a_prior(adata, tmp_path):
    adata.write_h5ad(tmp_path / "cells.h5ad")
    data = read_file(tmp_path / "cells.h5ad", prior=["batch"])
    session = Session(data, DrawSettings(n_iter=30), in_child=False)
    session.studio.begin(given_priors(data))
    names = [each.name for each in session.studio.tree]
    assert names == ["X_umap", "plain t-SNE", "without batch"]
    assert session.studio.tree["m3"].parent == "m2"
    assert session.studio.tree["m1"].snippet.strip().endswith("Y = data.maps['X_umap']")


def test_explore_takes_anndata(adata, tmp_path):
    target = up.explore(adata, prior="batch", html=tmp_path / "x.html", title="cells")
    assert target.exists()
    with pytest.raises(ValueError, match="no 'nothing'"):
        up.explore(adata, prior="nothing", html=tmp_path / "y.html")


def test_of_many_genes_the_components_are_drawn_and_the_genes_compared(rng):
    from scipy.sparse import csr_matrix

    adata = anndata.AnnData(csr_matrix(rng.poisson(1.0, size=(N, 80)).astype(np.float32)))
    adata.obsm["X_pca"] = rng.normal(size=(N, 4))
    read = _read(adata, prior=None, metric="euclidean", title="")
    assert read.X.shape == (N, 4)
    assert len(read.names_on_demand()) == 80
    assert read.feature("7").values.tolist() == adata.X[:, 7].toarray().ravel().tolist()
    found, _ = distinguish(read, np.arange(10))
    assert len(found) == 80


def test_explore_takes_a_file_and_a_table(path, frame, tmp_path):
    up.explore(path, prior="batch", html=tmp_path / "x.html", strengths=True)
    up.explore(frame[["u", "v"]], columns={"batch": frame["batch"]}, html=tmp_path / "y.html")
    assert "<title>40 samples</title>" in (tmp_path / "y.html").read_text()


def test_explore_serves(rng):
    X = rng.normal(size=(N, 3))
    server = up.explore(X, open_browser=False, wait=False)
    assert server.url.startswith("http://127.0.0.1:")
    server.close()
    server.close()  # calling it twice is allowed


@pytest.mark.parametrize(
    ("given", "fragment"),
    [
        ({}, "give data, or maps"),
        (
            {"X": np.zeros((3, 2)), "columns": {"a": [1, 2]}},
            "'a' takes one value per sample; got 2 for 3",
        ),
        ({"X": np.zeros((3, 2)), "ids": ["a"]}, "'ids' takes one value per sample; got 1 for 3"),
        ({"maps": {"m": np.zeros(3)}}, "shape"),
        ({"maps": {"m": np.full((3, 2), np.nan)}}, "takes finite numbers"),
        ({"X": np.zeros((3, 2)), "columns": {"a": np.zeros((3, 2))}}, "one value per sample"),
    ],
)
def test_what_does_not_fit(given, fragment):
    with pytest.raises(ValueError, match=fragment):
        from_arrays(**given)


def test_page_of_given_maps(rng):
    data = from_arrays(maps={"a": rng.normal(size=(5, 3)), "b": rng.normal(size=(5, 2))})
    head, _ = unpack(Session(data, DrawSettings()).page())
    assert [each["name"] for each in head["maps"]] == ["a", "b"]
    assert (head["left"], head["right"]) == ("m1", "m2")
