import numpy as np
import pytest

import unprior as up


def test_it_gives_the_graph_of_confetti_neighbors_a_row_at_a_time(adata):
    transformer = up.tl.transformer(adata, "batch", n_neighbors=9, operator="linear", strength=2.0)
    graph = transformer.fit_transform(adata.X)
    whole = up.ConfettiNeighbors(9, operator="linear", strength=2.0).fit_transform(
        adata.X, prior=adata.obs["batch"]
    )
    assert (np.diff(graph.indptr) == 10).all()
    np.testing.assert_array_equal(graph.indices[::10], np.arange(90))
    either = graph.maximum(graph.T)
    np.testing.assert_allclose(either.toarray(), whole.toarray())


def test_neighbours_are_counted_as_scanpy_does(adata):
    params = up.tl.transformer(
        adata, "batch", n_neighbors=9, operator="linear", strength=2.0
    ).get_params()
    assert (params["n_neighbors"], params["strength"]) == (10, 2.0)


def test_bad_input_is_named(adata):
    with pytest.raises(ValueError, match=r"tl\.transformer: 'prior' names 'donor'"):
        up.tl.transformer(adata, "donor")
    with pytest.raises(ValueError, match=r"tl\.transformer: 'adata' takes an AnnData"):
        up.tl.transformer("cells.h5ad", "donor")
