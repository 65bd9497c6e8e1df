"""ConfettiNeighbors and its prior → one object that scanpy's ``transformer=`` takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

from scipy.sparse import csr_matrix

from unprior.estimators import ConfettiNeighbors
from unprior.tl._graphs import distances_with_self, nearest
from unprior.tl._names import kept_labels, knowledge
from unprior.tl._options import NeighborsOptions
from unprior.tl._representation import annotated


@dataclass(frozen=True, eq=False)
class Transformer:
    """A `ConfettiNeighbors` that has its prior at hand, since scanpy passes on the data alone.

    Attributes
    ----------
    estimator : ConfettiNeighbors
        What finds the neighbours; fitted once scanpy has called.
    prior : anything `unprior.priors.as_prior` takes
        What is known.
    keep : labels, optional
        What is to be protected.
    """

    estimator: ConfettiNeighbors
    prior: Any
    keep: Any = None

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Return the options; neighbours are counted as scanpy does, the cell itself among them."""
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
    """Make what ``sc.pp.neighbors(adata, transformer=...)`` takes, with a prior factored out.

    Parameters
    ----------
    adata : AnnData
        Annotated data, in which the names of priors are looked up.
    prior : str, list of str, dict, Prior or array-like
        What is known, as in `jedi`.
    keep : str, list of str, dict or array-like, optional
        Labels to protect, as in `confetti`.
    **options
        Options of `unprior.ConfettiNeighbors`.

    Returns
    -------
    transformer : Transformer
        Good for all cells of ``adata``, in their order.

    See Also
    --------
    confetti : Writes the same graph, and a map.

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
    adata = annotated(who, adata)
    return Transformer(
        ConfettiNeighbors(**options),
        knowledge(who, "prior", adata, prior),
        kept_labels(who, adata, keep),
    )
