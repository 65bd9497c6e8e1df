"""Neighbour graphs in scanpy's format, and ``tl.transformer``, which computes them for scanpy."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from scipy.sparse import csr_matrix

from unprior._threads import compiled_threads
from unprior.estimators import ConfettiNeighbors
from unprior.neighbors import KNNGraph
from unprior.tl._names import find_kept_labels, find_priors
from unprior.tl._options import NeighborsOptions
from unprior.tl._representation import as_anndata


def scanpy_graphs(
    estimator: Any, key: str, *, n_jobs: int | None
) -> tuple[dict[str, csr_matrix], dict[str, str]]:
    """Return the graphs behind a map by their keys in ``obsp``, and the entries that name them."""
    neighbors = nearest(estimator.graph_, int(estimator.n_neighbors_))
    graphs = {
        "distances": distances(neighbors),
        "connectivities": connectivities(neighbors, n_jobs),
    }
    named = {f"{key}_{name}": graph for name, graph in graphs.items()}
    return named, {f"{name}_key": f"{key}_{name}" for name in graphs}


def nearest(graph: csr_matrix, k: int) -> KNNGraph:
    """Return the k nearest neighbours of each sample in a graph, excluding the sample itself."""
    n = graph.shape[0]
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    others = graph.indices != rows
    rows, columns, lengths = rows[others], graph.indices[others], graph.data[others]
    starts = np.r_[0, np.cumsum(np.bincount(rows, minlength=n))]
    order = np.lexsort((lengths, rows))
    chosen = order[np.arange(len(rows)) - starts[rows] < k]
    return KNNGraph(columns[chosen].reshape(n, k), lengths[chosen].reshape(n, k))


def distances(neighbors: KNNGraph) -> csr_matrix:
    """Return the distances to the neighbours, without self-loops."""
    return _as_matrix(neighbors.indices, neighbors.distances)


def distances_with_self(neighbors: KNNGraph) -> csr_matrix:
    """Return the distances with the sample itself first in its row, at distance zero."""
    return _as_matrix(*neighbors.with_self())


def connectivities(neighbors: KNNGraph, n_jobs: int | None) -> csr_matrix:
    """Return UMAP's edge weights, symmetric and in (0, 1]."""
    with warnings.catch_warnings(), compiled_threads(n_jobs):
        warnings.filterwarnings("ignore", "Tensorflow not installed", ImportWarning)
        from umap.umap_ import fuzzy_simplicial_set

        indices, lengths = neighbors.with_self()
        weights, _, _ = fuzzy_simplicial_set(
            np.zeros((neighbors.n_samples, 1)),
            neighbors.k + 1,  # umap-learn counts the sample itself
            None,
            "precomputed",
            knn_indices=indices,
            knn_dists=lengths.astype(np.float32),
        )
    return csr_matrix(weights)


def _as_matrix(indices: np.ndarray, lengths: np.ndarray) -> csr_matrix:
    n, k = indices.shape
    starts = np.arange(0, n * k + 1, k)
    return csr_matrix((lengths.ravel(), indices.ravel(), starts), shape=(n, n))


@dataclass(frozen=True, eq=False)
class Transformer:
    """A `ConfettiNeighbors` that holds its prior, since scanpy passes on the data alone.

    Attributes
    ----------
    estimator : ConfettiNeighbors
        Finds the neighbours; fitted when scanpy calls `fit`.
    prior : anything `unprior.priors.as_prior` takes
        What to factor out.
    keep : labels, optional
        Labels to protect.
    """

    estimator: ConfettiNeighbors
    prior: Any
    keep: Any = None

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Return the options; ``n_neighbors`` includes the cell itself, as in scanpy."""
        params = self.estimator.get_params(deep)
        return {**params, "n_neighbors": params["n_neighbors"] + 1}

    def fit(self, X: Any, y: None = None) -> Transformer:
        """Find the neighbours."""
        self.estimator.fit(X, prior=self.prior, keep=self.keep)
        return self

    def transform(self, X: Any) -> csr_matrix:
        """Return the distances to the neighbours, and to the sample itself."""
        graph = self.estimator.transform(X)
        return distances_with_self(nearest(graph, self.estimator.n_neighbors_))

    def fit_transform(self, X: Any, y: None = None) -> csr_matrix:
        """Find the neighbours and return the distances to them."""
        return self.fit(X).transform(X)


def transformer(
    adata: Any, prior: Any, *, keep: Any = None, **options: Unpack[NeighborsOptions]
) -> Transformer:
    """Return a transformer for ``sc.pp.neighbors`` that factors out a prior.

    Parameters
    ----------
    adata : AnnData
        Annotated data, in which the names of priors are looked up.
    prior : str, list of str, dict, Prior or array-like
        What to factor out, as in `jedi`.
    keep : str, list of str, dict or array-like, optional
        Labels to protect, as in `confetti`.
    **options
        Options of `unprior.ConfettiNeighbors`.

    Returns
    -------
    transformer : Transformer
        For all cells of ``adata``, in their order.

    See Also
    --------
    confetti : Writes the same graph, and a map. Its notes say when not to use which operator.

    Examples
    --------
    >>> import anndata, scanpy as sc
    >>> import unprior as up
    >>> data = up.datasets.make_tuning(100, random_state=0)
    >>> adata = anndata.AnnData(data.X)
    >>> adata.obs["known"] = data.known
    >>> transformer = up.tl.transformer(adata, "known", n_neighbors=10, strength=0.5)
    >>> sc.pp.neighbors(adata, use_rep="X", transformer=transformer)
    >>> adata.uns["neighbors"]["params"]["n_neighbors"]  # scanpy counts the cell itself
    11
    """
    who = "tl.transformer"
    adata = as_anndata(who, adata)
    return Transformer(
        ConfettiNeighbors(**options),
        find_priors(who, "prior", adata, prior),
        find_kept_labels(who, adata, keep),
    )
