"""`tl.embed` stores the map and the report of `unprior.embed`."""

import anndata
import numpy as np
import pytest

import unprior as up

# Ninety cells with three batches and a half: some maps miss their constraint a little.
pytestmark = pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")


@pytest.fixture
def drawn(adata):
    """The same data with a map of them, and what `unprior.embed` returns for their arrays."""
    prior = {"batch": adata.obs["batch"]}
    expected = up.embed(adata.X, prior=prior, random_state=0, return_report=True)
    up.tl.embed(adata, "batch")
    return adata, *expected


def read_back(adata, folder):
    adata.write_h5ad(folder / "cells.h5ad")
    return anndata.read_h5ad(folder / "cells.h5ad")


def without_none(values):
    """Nested values as read back from a file."""
    return {
        name: without_none(value) if isinstance(value, dict) else value
        for name, value in values.items()
        if value is not None
    }


def test_the_map_and_the_report_are_those_of_embed(drawn):
    adata, Y, report = drawn
    assert adata.obsm["X_embed"].dtype == np.float32
    np.testing.assert_array_equal(adata.obsm["X_embed"], Y.astype(np.float32))
    assert adata.uns["embed"]["report"] == without_none(report.to_dict())
    assert adata.uns["embed"]["report"]["left"] == report.left


def test_settings_are_kept_and_serve_the_scores(drawn):
    adata, _, report = drawn
    params = adata.uns["embed"]["params"]
    assert (params["prior"], params["use_rep"], params["random_state"]) == (["batch"], "X", 0)
    assert (params["method"], params["metric"], params["n_components"]) == ("auto", "euclidean", 2)
    assert (params["strength"], "return_report" in params) == (1.0, False)
    told = up.tl.score(adata, hidden="type").to_dict()["prior"]
    assert [*told] == ["batch"]
    assert told["batch"]["neighbor_purity"] == pytest.approx(report.left["batch"], abs=1e-3)


def test_a_file_holds_all_of_it(drawn, tmp_path):
    adata, _, _ = drawn
    back = read_back(adata, tmp_path)
    np.testing.assert_array_equal(back.obsm["X_embed"], adata.obsm["X_embed"])
    assert back.uns["embed"]["report"] == adata.uns["embed"]["report"]
    params = back.uns["embed"]["params"]
    assert ([*params["prior"]], params["method"]) == (["batch"], "auto")
    assert up.tl.score(back).to_dict() == up.tl.score(adata).to_dict()


@pytest.mark.parametrize(
    "options",
    [
        {"strength": [1.0, 0.0]},
        {"strength": {"batch": 1.0, "age": 0.0}},
        {"metric": lambda x, y: np.abs(x - y).max()},
        {"method": "confetti"},
        {"method": "jedi"},
        {"method": "tsne"},
    ],
)
def test_a_file_holds_the_report_of_every_option(adata, tmp_path, options):
    up.tl.embed(adata, ["batch", "age"], **options)
    told = read_back(adata, tmp_path).uns["embed"]["report"]
    assert told["left"] == adata.uns["embed"]["report"]["left"]
    assert told["settings"].keys() == adata.uns["embed"]["report"]["settings"].keys()


def test_a_method_that_is_asked_for_goes_to_a_file_too(adata, tmp_path):
    options = {"method": "residual", "n_components": 1, "random_state": 3}
    up.tl.embed(adata, "batch", use_rep="X_side", key_added="mine", **options)
    expected = up.embed(adata.obsm["X_side"], prior=adata.obs["batch"], **options)
    np.testing.assert_array_equal(adata.obsm["X_mine"], expected.astype(np.float32))
    back = read_back(adata, tmp_path).uns["mine"]
    assert back["report"]["settings"]["estimator"] == "Residual, IndependentTSNE"
    assert back["report"]["reason"] == "The method was chosen by the caller."
    params = back["params"]
    assert (params["method"], params["n_components"], params["random_state"]) == ("residual", 1, 3)
    assert params["use_rep"] == "X_side"


def test_the_same_seed_gives_the_same_map_and_another_another(adata):
    for key, seed in (("a", 1), ("b", 1), ("c", 2)):
        up.tl.embed(adata, ["batch", "age"], key_added=key, random_state=seed)
    np.testing.assert_array_equal(adata.obsm["X_a"], adata.obsm["X_b"])
    assert not np.array_equal(adata.obsm["X_a"], adata.obsm["X_c"])
    assert adata.uns["c"]["params"]["prior"] == ["batch", "age"]


def test_a_copy_leaves_the_original_alone(adata):
    copy = up.tl.embed(adata, "batch", copy=True)
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
    with pytest.raises(TypeError, match=r"^tl\.embed: 'return_report' .*always in adata.uns"):
        up.tl.embed(adata, "batch", key_added="me", return_report=True)
    with pytest.raises(ValueError, match="embed: 'method' takes"):
        up.tl.embed(adata, "batch", method="magic")
    assert not adata.uns


def test_without_a_prior_it_is_tsne_and_warns(adata, tmp_path):
    with pytest.warns(up.PriorMissingWarning):
        up.tl.embed(adata)
    told = read_back(adata, tmp_path).uns["embed"]["report"]
    assert told["reason"] == "There is no prior to factor out."
    assert not {"left", "kept"} & {*told}
