"""`tl.residual`: what it writes is what the estimator returns."""

import anndata
import numpy as np
import pytest

import unprior as up


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
    assert back.uns["rest"]["params"]["kind"] == "aligned"


def test_a_copy_leaves_the_original_alone(adata):
    copy = up.tl.residual(adata, "batch", copy=True)
    assert "X_residual" in copy.obsm
    assert [*adata.obsm] == ["X_side"]
    assert not adata.uns


def test_bad_input_is_named_and_writes_nothing(adata):
    with pytest.raises(ValueError, match=r"tl\.residual: 'prior' names 'donor'"):
        up.tl.residual(adata, "donor")
    with pytest.raises(ValueError, match=r"tl\.residual: 'use_rep' takes 'X' or one of"):
        up.tl.residual(adata, "batch", use_rep="X_s")
    with pytest.raises(ValueError, match=r"Residual: 'strength' takes a number in \[0, 1\]"):
        up.tl.residual(adata, "batch", strength=2)
    assert not adata.uns
