"""`tl.jedi`, `tl.confetti` and `tl.residual` write what the estimators return."""

import anndata
import numpy as np
import pytest
from scipy.sparse import csr_matrix

import unprior as up
from unprior import priors
from unprior.tl._names import find_priors

TSNE = {"embedder": "tsne", "embedder_params": {"n_iter": 20}, "n_neighbors": 12}


def test_jedi_writes_the_map_and_its_settings(adata):
    assert up.tl.jedi(adata, "batch", n_iter=20, strength=0.5) is None
    expected = up.JEDI(n_iter=20, strength=0.5, random_state=0)
    expected.fit_transform(adata.X, prior=adata.obs["batch"])
    assert adata.obsm["X_jedi"].dtype == np.float32
    np.testing.assert_array_equal(adata.obsm["X_jedi"], expected.embedding_.astype(np.float32))
    params = adata.uns["jedi"]["params"]
    assert params["prior"] == ["batch"]
    assert params["use_rep"] == "X"
    assert params["perplexity"] == expected.perplexity_
    assert params["solver"] == "exact"
    assert params["random_state"] == 0
    assert "callbacks" not in params


def test_confetti_writes_the_map_and_the_graph(adata):
    assert up.tl.confetti(adata, "batch", **TSNE) is None
    expected = up.Confetti(random_state=0, **TSNE).fit(adata.X, prior=adata.obs["batch"])
    np.testing.assert_array_equal(adata.obsm["X_confetti"], expected.embedding_.astype(np.float32))
    slots = adata.uns["confetti"]
    lengths = adata.obsp[slots["distances_key"]]
    assert (np.diff(lengths.indptr) == 12).all()
    whole = expected.graph_.toarray()
    rows = np.repeat(np.arange(90), 12)
    np.testing.assert_array_equal(lengths.data, whole[rows, lengths.indices])
    weights = adata.obsp[slots["connectivities_key"]]
    assert (weights != weights.T).nnz == 0
    assert 0 < weights.data.min() <= weights.data.max() <= 1
    assert slots["params"]["method"] == "umap"
    assert slots["params"]["n_neighbors"] == 12
    assert slots["params"]["embedder"] == "tsne"
    assert slots["neighbor_recall"] == expected.neighbor_recall_


@pytest.mark.parametrize("tool", [up.tl.jedi, up.tl.confetti])
def test_a_copy_leaves_the_original_alone(adata, tool):
    options = {"n_iter": 5} if tool is up.tl.jedi else TSNE
    copy = tool(adata, "batch", key_added="mine", copy=True, **options)
    assert "X_mine" in copy.obsm
    assert "mine" in copy.uns
    assert [*adata.obsm] == ["X_side"]
    assert not adata.uns
    assert not adata.obsp


def test_sparse_and_backed_data_give_the_same_map(adata, tmp_path):
    sparse = anndata.AnnData(csr_matrix(adata.X), adata.obs, adata.var)
    sparse.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    for each in (adata, sparse, backed):
        up.tl.jedi(each, ["batch", "gene 1"], n_iter=10)
    assert backed.isbacked
    np.testing.assert_array_equal(sparse.obsm["X_jedi"], adata.obsm["X_jedi"])
    np.testing.assert_array_equal(backed.obsm["X_jedi"], adata.obsm["X_jedi"])
    backed.file.close()


def test_several_priors_have_strengths_by_name(adata):
    up.tl.confetti(adata, ["batch", "age"], strength={"batch": 1.0, "age": 0.5}, **TSNE)
    params = adata.uns["confetti"]["params"]
    assert params["prior"] == ["batch", "age"]
    assert params["strength"] == {"batch": 1.0, "age": 0.5}
    up.tl.jedi(adata, ["batch", "age"], strength=(1.0, 0.5), n_iter=5)
    assert adata.uns["jedi"]["params"]["strength"] == [1.0, 0.5]


def test_what_is_no_plain_value_is_not_recorded(adata):
    prior = up.priors.labels(adata.obs["plate"])
    up.tl.jedi(adata, prior, n_iter=5, init=adata.X[:, :2], callbacks=[lambda *_: False])
    params = adata.uns["jedi"]["params"]
    assert not {"init", "callbacks", "prior"} & {*params}
    up.tl.jedi(adata, {"plate": prior, "years": "age"}, n_iter=5)
    assert "prior" not in adata.uns["jedi"]["params"], "it would be a part of the prior only"
    up.tl.jedi(adata, {"group": "batch", "years": "age"}, n_iter=5)
    assert adata.uns["jedi"]["params"]["prior"] == ["batch", "age"]


def test_numbers_are_amounts_unless_they_are_categories(adata):
    for prior, kind in (("plate", "features"), ("plate:labels", "labels"), ("batch", "labels")):
        (found,) = find_priors("tl", "prior", adata, prior).values()
        assert priors.as_prior(found).kind == kind


def test_without_a_prior_it_warns_and_a_wrong_name_writes_nothing(adata):
    with pytest.warns(up.PriorMissingWarning):
        up.tl.jedi(adata, n_iter=5)
    del adata.obsm["X_jedi"], adata.uns["jedi"], adata.uns["unprior"]
    with pytest.raises(ValueError, match=r"tl\.confetti: 'prior' names 'donor'"):
        up.tl.confetti(adata, "donor")
    assert not adata.uns


@pytest.mark.parametrize("options", [{}, {"kind": "aligned"}, {"kind": "linear", "strength": 0.5}])
def test_the_residual_is_that_of_the_estimator(adata, options):
    assert up.tl.residual(adata, ["batch", "age"], **options) is None
    known = {"batch": adata.obs["batch"], "age": adata.obs["age"]}
    expected = up.Residual(**options).fit_transform(adata.X, prior=known)
    np.testing.assert_array_equal(adata.obsm["X_residual"], expected)
    assert adata.obsm["X_residual"].dtype == adata.X.dtype
    params = adata.uns["residual"]["params"]
    assert (params["prior"], params["use_rep"]) == (["batch", "age"], "X")
    assert params["kind"] == options.get("kind", "aligned")
    assert "random_state" not in params


def test_maps_and_scores_go_on_from_it_and_files_hold_it(adata, tmp_path):
    up.tl.residual(adata, "batch", use_rep="X_side", key_added="rest")
    assert adata.obsm["X_rest"].shape == adata.obsm["X_side"].shape
    up.tl.jedi(adata, "batch", use_rep="X_rest", n_iter=5)
    assert adata.uns["jedi"]["params"]["use_rep"] == "X_rest"
    left = up.tl.score(adata, "rest").to_dict()["prior"]["batch"]["neighbor_purity"]
    assert left < up.scores.neighbor_purity(adata.obsm["X_side"], adata.obs["batch"]) / 2
    adata.write_h5ad(tmp_path / "cells.h5ad")
    back = anndata.read_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(back.obsm["X_rest"], adata.obsm["X_rest"])
    assert back.uns["rest"]["params"]["kind"] == "aligned and clustered"


def test_a_copy_of_the_residual_leaves_the_original_alone(adata):
    copy = up.tl.residual(adata, "batch", copy=True)
    assert "X_residual" in copy.obsm
    assert [*adata.obsm] == ["X_side"]
    assert not adata.uns


def test_bad_input_to_the_residual_is_named_and_writes_nothing(adata):
    with pytest.raises(ValueError, match=r"tl\.residual: 'prior' names 'donor'"):
        up.tl.residual(adata, "donor")
    with pytest.raises(ValueError, match=r"tl\.residual: 'use_rep' takes 'X' or one of"):
        up.tl.residual(adata, "batch", use_rep="X_s")
    with pytest.raises(ValueError, match=r"Residual: 'strength' takes a number in \[0, 1\]"):
        up.tl.residual(adata, "batch", strength=2)
    assert not adata.uns


def test_confetti_without_a_map_writes_the_same_graph(adata):
    drawn = up.tl.confetti(adata, "batch", copy=True, **TSNE)
    up.tl.confetti(adata, "batch", draw=False, n_neighbors=12)
    assert "X_confetti" not in adata.obsm
    for name in ("confetti_distances", "confetti_connectivities"):
        assert (adata.obsp[name] != drawn.obsp[name]).nnz == 0
    assert adata.uns["confetti"]["params"]["prior"] == ["batch"]


def test_confetti_without_a_map_refuses_options_of_maps(adata):
    with pytest.raises(TypeError, match=r"tl\.confetti: 'embedder' is an option for maps"):
        up.tl.confetti(adata, "batch", draw=False, embedder="tsne")
