"""AnnData and the names of priors → a map in ``obsm``, and CONFETTI's graph in ``obsp``."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from unprior.estimators import JEDI, Confetti
from unprior.tl._graphs import connectivities, distances, nearest
from unprior.tl._log import told
from unprior.tl._options import ConfettiOptions, JEDIOptions, describe, refuse_options
from unprior.tl._representation import annotated
from unprior.tl._settings import fit
from unprior.tl._slots import store


@describe
def jedi(
    adata: Any,
    prior: Any = None,
    *,
    keep: Any = None,
    use_rep: str | None = None,
    layer: str | None = None,
    n_pcs: int | None = None,
    key_added: str | None = None,
    copy: bool = False,
    random_state: Any = 0,
    **options: Unpack[JEDIOptions],
) -> Any:
    """Draw a map with prior knowledge factored out by JEDI.

    Parameters
    ----------
    {parameters}
    random_state : int or RandomState, default=0
        Seed: the same seed gives the same map.
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
    who, key = "tl.jedi", key_added or "jedi"
    refuse_options(who, options)
    adata, estimator = annotated(who, adata), JEDI(random_state=random_state, **options)
    with told(who, "drawing a map") as added:
        Y, params = fit(who, estimator, adata, prior, use_rep, keep, layer=layer, n_pcs=n_pcs)
        added.append(f"'X_{key}' to adata.obsm and {key!r} to adata.uns")
    return store(adata, key, Y.astype(np.float32), {"params": params}, copy=copy)


@describe
def confetti(
    adata: Any,
    prior: Any = None,
    *,
    keep: Any = None,
    use_rep: str | None = None,
    layer: str | None = None,
    n_pcs: int | None = None,
    key_added: str | None = None,
    copy: bool = False,
    random_state: Any = 0,
    **options: Unpack[ConfettiOptions],
) -> Any:
    """Factor prior knowledge out of distances by CONFETTI: a map, and the graph behind it.

    Parameters
    ----------
    {parameters}
    random_state : int or RandomState, default=0
        Seed: the same seed gives the same map.
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
    who, key = "tl.confetti", key_added or "confetti"
    refuse_options(who, options)
    adata, estimator = annotated(who, adata), Confetti(random_state=random_state, **options)
    with told(who, "drawing a map and its graph") as added:
        Y, params = fit(who, estimator, adata, prior, use_rep, keep, layer=layer, n_pcs=n_pcs)
        added.append(f"'X_{key}' to adata.obsm, {key!r} to adata.uns and two graphs to adata.obsp")
    neighbors = nearest(estimator.graph_, estimator.n_neighbors_)
    graphs = {
        f"{key}_distances": distances(neighbors),
        f"{key}_connectivities": connectivities(neighbors, estimator.n_jobs),
    }
    kept = {
        "distances_key": f"{key}_distances",
        "connectivities_key": f"{key}_connectivities",
        # scanpy asks how connectivities were made of distances.
        "params": {**params, "method": "umap"},
        "neighbor_recall": float(estimator.neighbor_recall_),
    }
    return store(adata, key, Y.astype(np.float32), kept, graphs, copy=copy)
