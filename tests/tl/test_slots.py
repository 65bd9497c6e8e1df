import anndata
import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_matrix

from unprior.priors import labels
from unprior.tl._names import column, find_priors
from unprior.tl._representation import representation
from unprior.tl._slots import copy_of, map_of


def with_x(adata, X):
    return anndata.AnnData(X, adata.obs, adata.var, obsm=dict(adata.obsm))


@pytest.fixture(params=["dense", "csr", "csc", "backed dense", "backed csr"])
def stored(request, adata, tmp_path):
    """The same data, stored in another way."""
    kinds = {"csr": csr_matrix, "csc": csc_matrix, "dense": np.asarray}
    other = with_x(adata, kinds[request.param.split()[-1]](adata.X))
    if not request.param.startswith("backed"):
        return other
    other.write_h5ad(tmp_path / "cells.h5ad")
    return anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")


def test_data_and_genes_are_read_however_they_are_kept(stored, adata):
    name, X = representation("tl", stored, None)
    assert name == "X"
    np.testing.assert_array_equal(X, adata.X)
    gene = column("tl", "prior", stored, "gene 3")
    np.testing.assert_array_equal(gene, adata.X[:, 3])
    assert gene.dtype == np.float64
    stored.file.close()


def test_a_copy_is_in_memory_and_on_its_own(stored, adata):
    copy = copy_of(stored)
    assert not copy.isbacked
    copy.obsm["X_side"][0] = 7
    assert stored.obsm["X_side"][0, 0] != 7
    stored.file.close()


def test_many_variables_ask_for_their_principal_components(adata, rng):
    wide = anndata.AnnData(rng.normal(size=(90, 51)))
    with pytest.raises(ValueError, match=r"tl: 'adata' has 51 variables .*sc\.pp\.pca\(adata\)"):
        representation("tl", wide, None)
    wide.obsm["X_pca"] = adata.obsm["X_side"]
    name, X = representation("tl", wide, None)
    assert name == "X_pca"
    np.testing.assert_array_equal(X, adata.obsm["X_side"])
    assert representation("tl", wide, "X")[1].shape == (90, 51)


def test_an_unknown_representation_is_named(adata):
    with pytest.raises(ValueError, match=r"'use_rep' takes 'X' or one of \['X_side'\]; got 'X_s'"):
        representation("tl", adata, "X_s")
    with pytest.raises(ValueError, match="'adata' takes an AnnData; got 3"):
        representation("tl", 3, None)


def test_a_map_goes_by_its_short_and_its_full_name(adata):
    for basis in ("side", "X_side"):
        np.testing.assert_array_equal(map_of("tl", adata, basis), adata.obsm["X_side"])
    with pytest.raises(ValueError, match=r"no map obsm\['X_umap'\]; it has \['X_side'\]"):
        map_of("tl", adata, "umap")


def test_names_stand_for_columns_genes_and_entries_of_obsm(adata):
    found = find_priors("tl", "prior", adata, ["batch", "gene 1", "X_side"])
    assert [*found] == ["batch", "gene 1", "X_side"]
    assert found["batch"] is not None
    assert found["batch"].tolist() == adata.obs["batch"].tolist()
    assert found["X_side"].shape == (90, 3)
    assert [*find_priors("tl", "prior", adata, "age")] == ["age"]


def test_values_pass_as_they_are_alone_and_in_a_dict(adata):
    prior = labels(adata.obs["plate"])
    array = np.arange(90.0)
    assert find_priors("tl", "prior", adata, prior) is prior
    assert find_priors("tl", "prior", adata, array) is array
    assert find_priors("tl", "prior", adata, None) is None
    several = find_priors("tl", "prior", adata, {"plate": prior, "years": "age"})
    assert several["plate"] is prior
    assert several["years"].tolist() == adata.obs["age"].tolist()


def test_an_unknown_or_ambiguous_name_is_named(adata):
    with pytest.raises(ValueError, match=r"'prior' names 'bach', .* Did you mean 'batch'\?"):
        find_priors("tl", "prior", adata, "bach")
    adata.obs["gene 1"] = 1.0
    with pytest.raises(ValueError, match="names 'gene 1', which is in obs and in var_names"):
        find_priors("tl", "prior", adata, "gene 1")
