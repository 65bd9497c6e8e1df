import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_matrix, csr_matrix

from unprior.files import choose_data, find_prior, make_prior, read_samples, write_map

anndata = pytest.importorskip("anndata")

X = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.fixture(params=[np.asarray, csr_matrix, csc_matrix])
def path(request, tmp_path):
    """A file with genes, a batch and principal components."""
    adata = anndata.AnnData(
        request.param(X),
        obs=pd.DataFrame(
            {"batch": pd.Categorical(list("uvuv")), "leiden": pd.Categorical([0, 1, 1, 0])},
            index=list("abcd"),
        ),
        var=pd.DataFrame(index=["g1", "g2", "g3"]),
        obsm={"X_pca": X[:, :2] + 1},
    )
    adata.write_h5ad(tmp_path / "a.h5ad")
    return tmp_path / "a.h5ad"


def test_genes_annotations_and_embeddings(path):
    samples = read_samples(path)
    assert samples.ids.tolist() == ["a", "b", "c", "d"]
    assert samples["batch"].tolist() == ["u", "v", "u", "v"]
    assert samples["g2"].tolist() == X[:, 1].tolist()
    assert samples["X_pca"].shape == (4, 2)


def test_a_prior_may_be_an_annotation_a_gene_or_an_embedding(path):
    samples = read_samples(path)
    assert find_prior("--prior", "batch", samples).columns["batch"].tolist() == list("uvuv")
    assert find_prior("--prior", "g2", samples).taken == ("g2",)
    assert find_prior("--prior", "X_pca", samples).matrix.shape == (4, 2)


def test_categories_of_whole_numbers_are_labels(path):
    prior = make_prior(find_prior("--prior", "leiden", read_samples(path)))
    assert (prior.kind, prior.counts.tolist()) == ("labels", [2, 2])


def test_the_prior_s_gene_leaves_the_data(path):
    samples = read_samples(path)
    chosen = choose_data(samples, roles={"g2": "the prior", "batch": "the prior"})
    assert chosen.names == ("g1", "g3")
    values = chosen.X if isinstance(chosen.X, np.ndarray) else chosen.X.toarray()
    assert values.tolist() == X[:, [0, 2]].tolist()
    chosen = choose_data(samples, features=["X_pca"])
    assert chosen.X.tolist() == (X[:, :2] + 1).tolist()


def test_a_map_comes_back(tmp_path):
    Y = np.arange(6.0).reshape(3, 2)
    write_map(tmp_path / "map.h5ad", Y, np.array(["a", "b", "c"]), method="jedi")
    assert anndata.read_h5ad(tmp_path / "map.h5ad").obsm["X_jedi"].tolist() == Y.tolist()
    samples = read_samples(tmp_path / "map.h5ad")
    assert samples.data.tolist() == Y.tolist()
    assert samples.ids.tolist() == ["a", "b", "c"]


def test_what_is_no_h5ad_is_refused(path):
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(ValueError, match=r"^a.h5ad is not valid H5AD, or it is damaged"):
        read_samples(path)
