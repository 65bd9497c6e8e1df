"""``tl.transformer``: a `ConfettiNeighbors` with its prior, for scanpy's ``transformer=``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

from scipy.sparse import csr_matrix

from unprior.estimators import ConfettiNeighbors
from unprior.tl._graphs import distances_with_self, nearest
from unprior.tl._names import find_kept_labels, find_priors
from unprior.tl._options import NeighborsOptions
from unprior.tl._representation import as_anndata


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
