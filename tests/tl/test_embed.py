"""`tl.embed`: the map is that of `unprior.embed`, and why it was drawn so is kept with it."""

import anndata
import numpy as np
import pandas as pd
import pytest

import unprior as up

SCORES = ("left", "rest_kept", "data_kept")


@pytest.fixture
def drawn(adata):
    """The same data with a map of them, and what `unprior.embed` returns for their arrays."""
    expected = up.embed(adata.X, prior=adata.obs["batch"], random_state=0, return_report=True)
    up.tl.embed(adata, "batch")
    return adata, *expected


def test_the_map_and_the_choice_are_those_of_embed(drawn):
    adata, Y, choice = drawn
    assert adata.obsm["X_embed"].dtype == np.float32
    np.testing.assert_array_equal(adata.obsm["X_embed"], Y.astype(np.float32))
    told = adata.uns["embed"]["choice"]
    assert (told["chosen"], told["reason"]) == (str(choice.chosen), choice.reason)
    assert told["n_samples"] == 90
    assert told["trials"]["method"] == [str(trial.composition) for trial in choice.trials]
    for name in SCORES:
        wanted = [getattr(trial, name) for trial in choice.trials]
        np.testing.assert_array_equal(told["trials"][name], wanted)


def test_settings_are_kept_and_serve_the_scores(drawn):
    adata, _, _ = drawn
    params = adata.uns["embed"]["params"]
    assert (params["prior"], params["use_rep"], params["random_state"]) == (["batch"], "X", 0)
    assert (params["method"], params["metric"], params["n_components"]) == ("auto", "euclidean", 2)
    assert "return_report" not in params
    assert [*up.tl.score(adata, "embed", hidden="type").to_dict()["prior"]] == ["batch"]


def test_a_file_holds_all_of_it(drawn, tmp_path):
    adata, _, _ = drawn
    adata.write_h5ad(tmp_path / "cells.h5ad")
    back = anndata.read_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(back.obsm["X_embed"], adata.obsm["X_embed"])
    told, kept = adata.uns["embed"]["choice"], back.uns["embed"]["choice"]
    assert (kept["chosen"], kept["reason"]) == (told["chosen"], told["reason"])
    table = pd.DataFrame(kept["trials"])
    assert table["method"].tolist() == told["trials"]["method"]
    for name in SCORES:
        np.testing.assert_array_equal(table[name], told["trials"][name])
    params = back.uns["embed"]["params"]
    assert ([*params["prior"]], params["method"]) == (["batch"], "auto")


def test_a_method_that_is_asked_for_has_no_trials_and_goes_to_a_file_too(adata, tmp_path):
    options = {"method": "residual", "n_components": 1, "random_state": 3}
    up.tl.embed(adata, "batch", use_rep="X_side", key_added="mine", **options)
    expected = up.embed(adata.obsm["X_side"], prior=adata.obs["batch"], **options)
    np.testing.assert_array_equal(adata.obsm["X_mine"], expected.astype(np.float32))
    adata.write_h5ad(tmp_path / "cells.h5ad")
    back = anndata.read_h5ad(tmp_path / "cells.h5ad").uns["mine"]
    assert back["choice"]["chosen"] == "Residual (aligned), then JEDI (strength 1)"
    assert pd.DataFrame(back["choice"]["trials"]).empty
    params = back["params"]
    assert (params["method"], params["n_components"], params["random_state"]) == ("residual", 1, 3)
    assert params["use_rep"] == "X_side"


def test_the_same_seed_gives_the_same_map_and_another_another(adata):
    for key, seed in (("a", 1), ("b", 1), ("c", 2)):
        up.tl.embed(adata, ["batch", "age"], method="jedi", key_added=key, random_state=seed)
    np.testing.assert_array_equal(adata.obsm["X_a"], adata.obsm["X_b"])
    assert not np.array_equal(adata.obsm["X_a"], adata.obsm["X_c"])
    assert adata.uns["c"]["params"]["prior"] == ["batch", "age"]


def test_a_copy_leaves_the_original_alone(adata):
    copy = up.tl.embed(adata, "batch", method="jedi", copy=True)
    assert "X_embed" in copy.obsm
    assert [*adata.obsm] == ["X_side"]
    assert not adata.uns


def test_bad_input_is_named_and_writes_nothing(adata):
    with pytest.raises(ValueError, match=r"tl\.embed: 'prior' names 'bach'.* mean 'batch'\?"):
        up.tl.embed(adata, "bach")
    with pytest.raises(ValueError, match=r"tl\.embed: 'use_rep' takes 'X' or one of \['X_side'\]"):
        up.tl.embed(adata, "batch", use_rep="X_pca")
    with pytest.raises(ValueError, match=r"tl\.embed: 'adata' takes an AnnData"):
        up.tl.embed("cells.h5ad", "batch")
    with pytest.raises(TypeError, match=r"^tl\.embed: 'return_report'.*adata.uns\['me'\]\['choice"):
        up.tl.embed(adata, "batch", key_added="me", return_report=True)
    with pytest.raises(ValueError, match="embed: 'method' takes"):
        up.tl.embed(adata, "batch", method="magic")
    assert not adata.uns


def test_without_a_prior_it_is_t_sne_and_warns(adata):
    with pytest.warns(up.PriorMissingWarning):
        up.tl.embed(adata)
    assert adata.uns["embed"]["choice"]["chosen"] == "t-SNE"
