"""scanpy reads what `unprior.tl` writes, and vice versa."""

from importlib.metadata import version

import anndata
import numpy as np
import pandas as pd
import pytest
import scanpy as sc
from packaging.version import Version
from sklearn.metrics import adjusted_rand_score

import unprior as up


def make_cells(n):
    """Cells of three batches, which dominate, and of two types within each."""
    rng = np.random.default_rng(0)
    batch, kind = rng.integers(0, 3, n), rng.integers(0, 2, n)
    X = rng.normal(size=(n, 10)).astype(np.float32)
    X[:, :3] += 12 * np.eye(3)[batch]
    X[:, 3:5] += 9 * np.eye(2)[kind]
    # Words as categories and as plain strings, which pandas keeps in different ways.
    obs = pd.DataFrame(
        {"batch": pd.Categorical(batch.astype(str)), "type": np.array(["T", "B"])[kind]},
        index=[f"cell {i}" for i in range(n)],
    )
    return anndata.AnnData(X, obs)


def cluster(adata, **options):
    sc.tl.leiden(
        adata, 0.01, flavor="igraph", n_iterations=2, directed=False, random_state=0, **options
    )
    return adata.obs["leiden"]


def agreement(adata, clusters):
    return {name: adjusted_rand_score(adata.obs[name], clusters) for name in ("batch", "type")}


def test_5000_cells_go_through_confetti_and_leiden_to_disk_and_back(tmp_path):
    make_cells(5000).write_h5ad(tmp_path / "in.h5ad")
    adata = anndata.read_h5ad(tmp_path / "in.h5ad")
    up.tl.confetti(
        adata, "batch", operator="linear", strength=2.0, embedder_params={"n_epochs": 20}
    )
    cluster(adata, neighbors_key="confetti")
    report = up.tl.score(adata, "confetti", hidden="type", n_rows=500)
    adata.write_h5ad(tmp_path / "out.h5ad")

    back = anndata.read_h5ad(tmp_path / "out.h5ad")
    assert agreement(back, back.obs["leiden"])["type"] > 0.95
    assert abs(agreement(back, back.obs["leiden"])["batch"]) < 0.05
    np.testing.assert_array_equal(back.obsm["X_confetti"], adata.obsm["X_confetti"])
    for key in ("confetti_distances", "confetti_connectivities"):
        assert (back.obsp[key] != adata.obsp[key]).nnz == 0
    params = back.uns["confetti"]["params"]
    assert (params["strength"], params["use_rep"], params["n_neighbors"]) == (2.0, "X", 14)
    assert back.uns["confetti_score"]["hidden"]["type"] == report.to_dict()["hidden"]["type"]
    assert up.tl.score(back, "confetti", n_rows=500).to_dict()["prior"] == report.to_dict()["prior"]
    assert up.pl.compare(back, ["confetti"], color=["batch", "type"])[0, 0].get_xlabel()


def batch_after_umap_and_leiden(adata):
    """What is left of the batch on scanpy's map, once its clusters and its map show the types."""
    sc.tl.umap(adata, maxiter=20, init_pos="random")
    found = agreement(adata, cluster(adata))
    assert found["type"] > 0.95
    assert abs(found["batch"]) < 0.05
    purity = {
        name: up.scores.neighbor_purity(adata.obsm["X_umap"], adata.obs[name]) for name in found
    }
    assert purity["type"] > 0.9
    return purity["batch"]


def test_confetti_neighbors_is_a_transformer_that_umap_and_leiden_follow():
    adata = make_cells(600)
    transformer = up.tl.transformer(adata, "batch", n_neighbors=14, operator="linear", strength=2.0)
    sc.pp.neighbors(adata, use_rep="X", transformer=transformer)
    weights = adata.obsp["connectivities"].toarray()  # umap zeroes weak edges in place
    assert batch_after_umap_and_leiden(adata) < 0.7

    # The same graph as tl.confetti writes, and without a prior the batches come first.
    up.tl.confetti(adata, "batch", operator="linear", strength=2.0, embedder_params={"n_epochs": 1})
    written = adata.obsp["confetti_connectivities"].toarray()
    np.testing.assert_allclose(weights, written, atol=1e-5)
    sc.pp.neighbors(adata, use_rep="X", n_neighbors=15)
    sc.tl.umap(adata, maxiter=20, init_pos="random")
    assert agreement(adata, cluster(adata))["batch"] > 0.3
    assert up.scores.neighbor_purity(adata.obsm["X_umap"], adata.obs["batch"]) > 0.9


def test_scanpy_s_neighbours_umap_and_leiden_follow_a_residual():
    adata = make_cells(600)
    up.tl.residual(adata, prior="batch")
    sc.pp.neighbors(adata, use_rep="X_residual")
    assert abs(batch_after_umap_and_leiden(adata)) < 0.2


def test_umap_and_leiden_follow_the_default_operator():
    adata = make_cells(600)
    transformer = up.tl.transformer(adata, "batch", n_neighbors=14)
    sc.pp.neighbors(adata, use_rep="X", transformer=transformer)
    weights = adata.obsp["connectivities"].toarray()  # umap zeroes weak edges in place
    assert batch_after_umap_and_leiden(adata) < 0.2

    up.tl.confetti(adata, "batch", embedder_params={"n_epochs": 1})
    written = adata.obsp["confetti_connectivities"].toarray()
    np.testing.assert_allclose(weights, written, atol=1e-5)


@pytest.mark.filterwarnings("ignore:Sparse matrix has no constant number:RuntimeWarning")
def test_without_a_prior_the_estimator_itself_is_a_transformer():
    adata = make_cells(100)
    with pytest.warns(up.PriorMissingWarning):
        sc.pp.neighbors(adata, use_rep="X", transformer=up.ConfettiNeighbors(n_neighbors=5))
    assert adata.obsp["connectivities"].nnz > 0


def test_scanpy_draws_a_map_from_the_graph_of_confetti():
    adata = make_cells(200)
    up.tl.confetti(adata, "batch", embedder_params={"n_epochs": 5})
    sc.tl.umap(adata, maxiter=5, init_pos="X_confetti", neighbors_key="confetti")
    assert np.isfinite(adata.obsm["X_umap"]).all()
    assert up.pl.compare(adata, ["confetti", "umap"], color="batch").shape == (1, 2)


def test_words_of_pandas_are_written_and_read_again(tmp_path):
    # anndata below 0.12.7 fails here when pandas 3 is installed on Python 3.11.
    adata = make_cells(50)
    adata.obs["word"] = pd.Series(["a", None] * 25, index=adata.obs_names, dtype="string")
    up.tl.jedi(adata, ["batch", "type"], n_iter=5, key_added="mine")
    adata.write_h5ad(tmp_path / "words.h5ad")
    back = anndata.read_h5ad(tmp_path / "words.h5ad")
    assert back.obs["word"].isna().sum() == 25
    assert back.obs["type"].tolist() == adata.obs["type"].tolist()
    assert [*back.uns["mine"]["params"]["prior"]] == ["batch", "type"]


OLD_ENOUGH = Version(version("pynndescent")) < Version("0.6")


@pytest.mark.slow  # pynndescent compiles for half a minute; test_packaging looks at the pin
@pytest.mark.skipif(not OLD_ENOUGH, reason="the extra 'anndata' asks for pynndescent below 0.6")
def test_scanpy_finds_neighbours_of_more_cells_than_it_searches_exactly():
    adata = make_cells(8500)
    up.tl.residual(adata, "batch")
    sc.pp.neighbors(adata, use_rep="X_residual")
    assert adata.obsp["connectivities"].shape == (8500, 8500)
    assert np.diff(adata.obsp["distances"].indptr).min() > 0
