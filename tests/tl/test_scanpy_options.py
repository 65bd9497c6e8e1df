"""Options of scanpy mean the same here, or are refused with advice."""

import logging
from io import StringIO
from types import SimpleNamespace

import anndata
import numpy as np
import pandas as pd
import pytest
import scanpy as sc
from scipy.sparse import csr_matrix

import unprior as up
from unprior import priors
from unprior.tl import _log
from unprior.tl._names import find_priors
from unprior.tl._representation import representation


@pytest.fixture
def wide(adata, rng):
    """More variables than are mapped directly, a layer, raw counts and components."""
    obs = adata.obs
    var = pd.DataFrame(index=[f"g{k}" for k in range(60)])
    cells = anndata.AnnData(rng.normal(size=(90, 60)), obs, var)
    cells.layers["counts"] = rng.integers(0, 9, (90, 60))
    cells.raw = anndata.AnnData(rng.normal(size=(90, 70)), obs,
                                pd.DataFrame(index=[f"g{k}" for k in range(70)]))  # fmt: skip
    cells.obsm["X_pca"] = rng.normal(size=(90, 20))
    return cells


@pytest.mark.parametrize(
    ("options", "name", "pick"),
    [
        ({}, "X_pca", lambda a: a.obsm["X_pca"]),
        ({"n_pcs": 7}, "X_pca", lambda a: a.obsm["X_pca"][:, :7]),
        ({"n_pcs": 0}, "X", lambda a: a.X),
        ({"use_rep": "X_pca", "n_pcs": 3}, "X_pca", lambda a: a.obsm["X_pca"][:, :3]),
        ({"layer": "counts"}, "X", lambda a: a.layers["counts"]),
        ({"use_rep": "raw"}, "raw", lambda a: a.raw.X),
        ({"use_rep": "X"}, "X", lambda a: a.X),
    ],
)
def test_data_by_scanpy_s_words(wide, options, name, pick):
    found, X = representation("tl", wide, **{"use_rep": None, **options})
    assert found == name
    np.testing.assert_array_equal(X, pick(wide))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"n_pcs": 21}, r"'n_pcs' takes a whole number in \[1, 20\]; got 21"),
        (
            {"n_pcs": 5, "use_rep": "X"},
            "'n_pcs' is a number of principal components, but the data are X",
        ),
        ({"layer": "count"}, r"'layer' takes one of \['counts'\]; got 'count'"),
        ({"layer": "counts", "use_rep": "X_pca"}, "'layer' replaces X; got use_rep='X_pca'"),
    ],
)
def test_words_that_do_not_go_together(wide, options, reason):
    with pytest.raises(ValueError, match=reason):
        representation("tl", wide, **{"use_rep": None, **options})


@pytest.mark.parametrize("tool", ["embed", "jedi", "confetti", "residual"])
def test_words_that_are_not_taken(wide, tool):
    for word, advice in (("neighbors_key", "use_rep"), ("use_raw", "use_rep='raw'")):
        with pytest.raises(TypeError, match=rf"^tl.{tool}: '{word}' is not an option .*{advice}"):
            getattr(up.tl, tool)(wide, "batch", **{word: "x"})
    assert "unprior" not in wide.uns


@pytest.mark.filterwarnings("ignore::unprior.OverRemovalWarning")
def test_what_was_named_is_scored(wide):
    up.tl.residual(wide, "batch", n_pcs=5)
    assert wide.obsm["X_residual"].shape == (90, 5)
    up.tl.jedi(wide, "batch", layer="counts", n_iter=5)
    assert wide.uns["jedi"]["params"]["layer"] == "counts"
    Y, counts = wide.obsm["X_jedi"], wide.layers["counts"]
    want = up.scores.report(Y, X=counts, prior={"batch": wide.obs["batch"]}).to_dict()
    assert up.tl.score(wide).to_dict() == want


@pytest.mark.filterwarnings("ignore::unprior.OverRemovalWarning")
def test_genes_of_raw_and_several_genes_as_one_prior(wide):
    found = find_priors("tl", "prior", wide, "g65")
    np.testing.assert_array_equal(found["g65"], wide.raw.X[:, 65])
    np.testing.assert_array_equal(find_priors("tl", "prior", wide, "g5")["g5"], wide.X[:, 5])
    cycle = find_priors("tl", "prior", wide, {"cycle": ["g1", "g4"]})["cycle"]
    np.testing.assert_array_equal(cycle.values, wide.X[:, [1, 4]])
    up.tl.jedi(wide, {"cycle": ["g1", "g4"]}, n_iter=5)
    assert wide.uns["jedi"]["params"]["prior"] == ["g1,g4"]
    assert [*up.tl.score(wide).to_dict()["prior"]] == ["g1,g4"]


def test_kinds_are_spelled_as_in_the_shell(adata):
    adata.obs["hour"] = np.linspace(0, 24, 90)
    (found,) = find_priors("tl", "prior", adata, "hour:cyclic=24").values()
    assert found.kind == "cyclic"
    (found,) = find_priors("tl", "prior", adata, "plate:labels").values()
    assert priors.as_prior(found).kind == "labels"
    with pytest.raises(ValueError, match=r"'plates'.*Did you mean 'plate'"):
        find_priors("tl", "prior", adata, "plates:labels")


def test_values_with_an_index_are_put_in_the_order_of_the_cells(adata):
    shuffled = adata.obs["batch"].sample(frac=1, random_state=0)
    up.tl.jedi(adata, {"batch": shuffled}, n_iter=10, key_added="one")
    up.tl.jedi(adata, shuffled, n_iter=10, key_added="two")
    up.tl.jedi(adata, "batch", n_iter=10, key_added="three")
    np.testing.assert_array_equal(adata.obsm["X_one"], adata.obsm["X_three"])
    np.testing.assert_array_equal(adata.obsm["X_two"], adata.obsm["X_three"])
    with pytest.raises(ValueError, match="the index of 'prior' does not match that of 'adata'"):
        up.tl.jedi(adata, shuffled.reset_index(drop=True))


@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
def test_data_in_chunks(adata, make):
    dask = pytest.importorskip("dask.array")
    rows = [dask.from_array(make(adata.X[k : k + 30]), asarray=False, chunks=(30, 6))
            for k in (0, 30, 60)]  # fmt: skip
    chunked = anndata.AnnData(dask.concatenate(rows), adata.obs, adata.var)
    np.testing.assert_array_equal(representation("tl", chunked, None)[1], adata.X)
    up.tl.jedi(chunked, ["batch", "gene 1"], n_iter=5)
    up.tl.jedi(adata, ["batch", "gene 1"], n_iter=5)
    np.testing.assert_array_equal(chunked.obsm["X_jedi"], adata.obsm["X_jedi"])


def test_many_sparse_genes_are_reduced_and_it_is_said(wide):
    wide = anndata.AnnData(csr_matrix(np.hstack([wide.X] * 4)), wide.obs)
    with pytest.warns(up.DataWarning, match="240 columns; its 50 leading components"):
        up.tl.jedi(wide, "batch", use_rep="X", n_iter=5)


class Modalities(SimpleNamespace):
    """A stand-in for MuData: samples shared by several AnnData."""


def test_names_in_modalities(adata, rng):
    rna = anndata.AnnData(adata.X, adata.obs, adata.var, obsm={"X_pca": adata.X[:, :3]})
    protein = anndata.AnnData(rng.normal(size=(90, 2)), adata.obs[[]],
                              pd.DataFrame(index=["CD3", "CD4"]))  # fmt: skip
    mdata = Modalities(
        mod={"rna": rna, "protein": protein}, obs=adata.obs[["batch"]], obsm={}, obsp={}, uns={},
        obs_names=adata.obs_names, var_names=pd.Index([]), n_vars=8,
    )  # fmt: skip
    assert representation("tl", mdata, "rna:X_pca")[1].shape == (90, 3)
    assert representation("tl", mdata, "protein:X")[1].shape == (90, 2)
    found = find_priors("tl", "prior", mdata, ["protein:CD4", "rna:type", "batch"])
    np.testing.assert_array_equal(found["protein:CD4"], protein.X[:, 1])
    assert found["rna:type"].tolist() == adata.obs["type"].tolist()
    with pytest.raises(ValueError, match=r"several modalities, .*use_rep, for example 'rna:X_pca'"):
        up.tl.jedi(mdata, "batch")
    mdata.mod["rna"] = rna[:50]
    with pytest.raises(ValueError, match="'rna', which lacks some samples"):
        representation("tl", mdata, "rna:X_pca")


@pytest.mark.filterwarnings("ignore:From 0.4 .update:FutureWarning")
def test_mudata(adata):
    mudata = pytest.importorskip("mudata")
    rna = anndata.AnnData(adata.X, adata.obs, adata.var)
    mdata = mudata.MuData({"rna": rna})
    up.tl.jedi(mdata, "rna:batch", use_rep="rna:X", n_iter=5)
    assert mdata.obsm["X_jedi"].shape == (90, 2)


def test_the_table_of_spatial_data(adata):
    sdata = SimpleNamespace(tables={"table": adata})
    up.tl.jedi(sdata, "batch", n_iter=5)
    assert adata.obsm["X_jedi"].shape == (90, 2)
    sdata.tables["other"] = adata
    with pytest.raises(ValueError, match=r"SpatialData with one table; got 2 \(table, other\)"):
        up.tl.jedi(sdata, "batch")


@pytest.mark.parametrize(("verbosity", "told"), [(0, False), (1, False), (2, True), (3, True)])
def test_the_logger_is_as_talkative_as_scanpy(adata, monkeypatch, verbosity, told):
    log = StringIO()
    monkeypatch.setattr(sc, "settings", SimpleNamespace(verbosity=verbosity, logfile=log))
    before = _log.LOGGER.level
    try:
        up.tl.jedi(adata, "batch", n_iter=5)
    finally:
        _log.LOGGER.setLevel(before)
    lines = log.getvalue().splitlines()
    assert bool(lines) == told
    if told:
        assert lines[0] == "tl.jedi: drawing a map"
        assert "added 'X_jedi' to adata.obsm" in lines[1]


def test_the_logger_is_python_s_own(adata, caplog):
    with caplog.at_level(logging.INFO, "unprior"):
        with_level = _log.LOGGER.level
        _log.LOGGER.info("heard")
    assert with_level == logging.INFO
    assert "heard" in caplog.text
