"""AnnData and the names of priors → a map in ``obsm``, and CONFETTI's graph in ``obsp``."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from unprior.estimators import JEDI, Confetti
from unprior.tl._graphs import connectivities, distances, nearest
from unprior.tl._params import settings
from unprior.tl._slots import copy_of, knowledge, representation

Tool = TypeVar("Tool", bound=Callable[..., Any])

#: What both functions take.
PARAMETERS = """\
adata : AnnData
    Annotated data.
prior : str, list of str, dict, Prior or array-like
    What is known: the name of a column of ``obs``, of a gene or of an entry of ``obsm``; a list
    of names; a dict of names or values; or anything `unprior.priors.as_prior` takes.
use_rep : str, optional
    The data: "X" or an entry of ``obsm``. By default ``X`` if it has at most 50 variables, and
    ``obsm["X_pca"]`` otherwise.
key_added : str, optional
    Name of the result; by default that of the method.
random_state : int or RandomState, default=0
    Seed: the same seed gives the same map.
copy : bool, default=False
    Write to a copy and return that."""


def _describe(tool: Tool) -> Tool:
    """Write what both functions take into the docstring at ``{parameters}``."""
    if tool.__doc__:
        text = textwrap.indent(PARAMETERS, " " * 4).lstrip()
        tool.__doc__ = tool.__doc__.replace("{parameters}", text)
    return tool


@_describe
def jedi(
    adata: Any,
    prior: Any = None,
    *,
    use_rep: str | None = None,
    key_added: str | None = None,
    random_state: Any = 0,
    copy: bool = False,
    **options: Any,
) -> Any:
    """Draw a map with prior knowledge factored out by JEDI.

    Parameters
    ----------
    {parameters}
    **options
        Further options of `unprior.JEDI`.

    Returns
    -------
    adata : AnnData or None
        The copy, if one was asked for. Written are ``obsm["X_jedi"]``, the map, and
        ``uns["jedi"]["params"]``, the settings behind it.

    Examples
    --------
    >>> import anndata
    >>> import unprior as up
    >>> data = up.datasets.make_tuning(100, random_state=0)
    >>> adata = anndata.AnnData(data.X)
    >>> adata.obs["known"] = data.known
    >>> up.tl.jedi(adata, "known", n_iter=100)
    >>> adata.obsm["X_jedi"].shape
    (100, 2)
    """
    estimator, key = JEDI(random_state=random_state, **options), key_added or "jedi"
    params = _fit("tl.jedi", estimator, adata, prior, use_rep)
    target = copy_of(adata) if copy else adata
    target.obsm[f"X_{key}"] = estimator.embedding_.astype(np.float32)
    target.uns[key] = {"params": params}
    return target if copy else None


@_describe
def confetti(
    adata: Any,
    prior: Any = None,
    *,
    use_rep: str | None = None,
    key_added: str | None = None,
    random_state: Any = 0,
    copy: bool = False,
    **options: Any,
) -> Any:
    """Factor prior knowledge out of distances by CONFETTI: a map, and the graph behind it.

    Parameters
    ----------
    {parameters}
    **options
        Further options of `unprior.Confetti`.

    Returns
    -------
    adata : AnnData or None
        The copy, if one was asked for. Written are ``obsm["X_confetti"]``, the map;
        ``obsp["confetti_distances"]`` and ``obsp["confetti_connectivities"]``, the neighbours as
        scanpy takes them; and ``uns["confetti"]`` with the names of both, the settings in
        ``"params"`` and the share of true neighbours that were found in ``"neighbor_recall"``.

    Notes
    -----
    ``sc.tl.leiden(adata, neighbors_key="confetti")`` clusters by the graph. ``sc.tl.umap`` takes
    it, too; tell it to start from the map, ``init_pos="X_confetti"``, since a start of its own may
    look at the data, with the prior still in.

    Examples
    --------
    >>> import anndata
    >>> import unprior as up
    >>> data = up.datasets.make_tuning(100, random_state=0)
    >>> adata = anndata.AnnData(data.X)
    >>> adata.obs["known"] = data.known
    >>> up.tl.confetti(adata, "known", embedder="tsne", embedder_params={"n_iter": 50})
    >>> adata.obsp["confetti_connectivities"].shape
    (100, 100)
    """
    estimator, key = Confetti(random_state=random_state, **options), key_added or "confetti"
    params = _fit("tl.confetti", estimator, adata, prior, use_rep)
    neighbors = nearest(estimator.graph_, estimator.n_neighbors_)
    target = copy_of(adata) if copy else adata
    target.obsm[f"X_{key}"] = estimator.embedding_.astype(np.float32)
    target.obsp[f"{key}_distances"] = distances(neighbors)
    target.obsp[f"{key}_connectivities"] = connectivities(neighbors, estimator.n_jobs)
    target.uns[key] = {
        "distances_key": f"{key}_distances",
        "connectivities_key": f"{key}_connectivities",
        # scanpy asks how connectivities were made of distances.
        "params": {**params, "method": "umap"},
        "neighbor_recall": float(estimator.neighbor_recall_),
    }
    return target if copy else None


def _fit(
    who: str, estimator: JEDI | Confetti, adata: Any, prior: Any, use_rep: str | None
) -> dict[str, Any]:
    """Fit to the data and priors that go by these names; return the settings behind the map."""
    rep, X = representation(who, adata, use_rep)
    estimator.fit(X, prior=knowledge(who, "prior", adata, prior))
    return settings(estimator, use_rep=rep, prior=prior)
