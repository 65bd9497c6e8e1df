"""``tl.jedi``, ``tl.confetti`` and ``tl.residual``: estimators whose results go into AnnData."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from unprior.estimators import JEDI, Confetti, ConfettiNeighbors, Residual
from unprior.estimators._base import PriorEstimator, keep_for
from unprior.tl._graphs import scanpy_graphs
from unprior.tl._log import logged
from unprior.tl._names import find_kept_labels, find_priors
from unprior.tl._options import (
    ConfettiOptions,
    JEDIOptions,
    NeighborsOptions,
    ResidualOptions,
    describe,
    refuse_options,
)
from unprior.tl._representation import as_anndata, representation
from unprior.tl._slots import is_plain, settings, store


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
        The copy if ``copy=True``, else None. Writes the map to ``obsm["X_jedi"]`` and its settings
        to ``uns["jedi"]["params"]``.

    See Also
    --------
    embed : Takes ``keep``, which JEDI does not.

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
    adata, estimator = as_anndata(who, adata), JEDI(random_state=random_state, **options)
    with logged(who, "drawing a map") as added:
        Y, params = _fit(who, estimator, adata, prior, use_rep, keep, layer=layer, n_pcs=n_pcs)
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
    draw: bool = True,
    **options: Unpack[ConfettiOptions],
) -> Any:
    """Factor prior knowledge out of distances by CONFETTI: a graph of neighbours, and its map.

    Parameters
    ----------
    {parameters}
    random_state : int or RandomState, default=0
        Seed: the same seed gives the same map.
    draw : bool, default=True
        Whether to draw a map. The graph alone is enough for clustering and for scanpy's own maps.
    **options
        Further options of `unprior.Confetti`; without a map those of `unprior.ConfettiNeighbors`.

    Returns
    -------
    adata : AnnData or None
        The copy if ``copy=True``, else None. Writes the map, if drawn, to ``obsm["X_confetti"]``
        and the neighbours to ``obsp["confetti_distances"]`` and
        ``obsp["confetti_connectivities"]``,
        in scanpy's format. ``uns["confetti"]`` holds the names of both, the settings (``"params"``)
        and the fraction of true neighbours that were found (``"neighbor_recall"``).

    See Also
    --------
    embed : Draws a map, and tests whether groups differ in composition.
    residual : Corrected data, for scanpy's own graph; tests it, too.

    Notes
    -----
    The composition of batches is not tested. If some lack cell types, do not use the default
    ``operator="balanced"`` without ``keep``: it gives every cell neighbours from every batch, and
    so mixes types. On cells of 24 batches its graph keeps .66 of the types, uncorrected data and
    ``operator="quantile"`` keep .995; the latter often leaves more of a prior. If labels are the
    prior, do not use ``operator="linear"``: a few cells become neighbours of very many, and most of
    none. For amounts that do not go together with the types, "balanced" leaves least.

    ``sc.tl.leiden(adata, neighbors_key="confetti")`` clusters by the graph. ``sc.tl.umap`` takes
    it too; pass ``init_pos="X_confetti"``, since its own initialisation may use the data, in which
    the prior is still present.

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
    estimator = _confetti(who, options, random_state, draw=draw)
    adata = as_anndata(who, adata)
    with logged(who, "drawing a map and its graph" if draw else "finding neighbours") as added:
        Y, params = _fit(who, estimator, adata, prior, use_rep, keep, layer=layer, n_pcs=n_pcs)
        drawn = f"'X_{key}' to adata.obsm, " if draw else ""
        added.append(f"{drawn}{key!r} to adata.uns and two graphs to adata.obsp")
    graphs = scanpy_graphs(estimator.graph_, estimator.n_neighbors_, n_jobs=estimator.n_jobs)
    entry = {
        "distances_key": f"{key}_distances",
        "connectivities_key": f"{key}_connectivities",
        # scanpy reads here how the connectivities were computed.
        "params": {**params, "method": "umap"},
        "neighbor_recall": float(estimator.neighbor_recall_),
    }
    named = {f"{key}_{name}": graph for name, graph in graphs.items()}
    return store(adata, key, Y.astype(np.float32) if draw else None, entry, named, copy=copy)


def _confetti(
    who: str, options: Mapping[str, Any], random_state: Any, *, draw: bool
) -> Confetti | ConfettiNeighbors:
    """Return the estimator of a map with its graph, or of the graph alone."""
    if draw:
        return Confetti(random_state=random_state, **options)
    only_maps = [name for name in options if name not in NeighborsOptions.__annotations__]
    if only_maps:
        message = f"{who}: {only_maps[0]!r} is an option of maps; leave it out, or take draw=True."
        raise TypeError(message)
    return ConfettiNeighbors(**options)


@describe
def residual(
    adata: Any,
    prior: Any = None,
    *,
    keep: Any = None,
    use_rep: str | None = None,
    layer: str | None = None,
    n_pcs: int | None = None,
    key_added: str | None = None,
    copy: bool = False,
    **options: Unpack[ResidualOptions],
) -> Any:
    """Remove from the data what the prior predicts, as input for any other tool.

    Parameters
    ----------
    {parameters}
    **options
        Options of `unprior.Residual`; ``kind`` is "auto" by default.

    Returns
    -------
    adata : AnnData or None
        The copy if ``copy=True``, else None. Writes the residual, of the same shape as the data,
        to ``obsm["X_residual"]`` and its settings to ``uns["residual"]["params"]``.

    See Also
    --------
    embed : Draws a map, using a residual where that helps.

    Notes
    -----
    ``sc.pp.neighbors(adata, use_rep="X_residual")`` continues from here to ``sc.tl.umap`` and
    ``sc.tl.leiden``. ``tl.score(adata, "residual")`` scores how much of the prior is left in it.

    Examples
    --------
    >>> import anndata
    >>> import unprior as up
    >>> data = up.datasets.make_tuning(100, random_state=0)
    >>> adata = anndata.AnnData(data.X)
    >>> adata.obs["known"] = data.known
    >>> up.tl.residual(adata, "known")
    >>> adata.obsm["X_residual"].shape == adata.X.shape
    True
    """
    who, key = "tl.residual", key_added or "residual"
    refuse_options(who, options)
    options.setdefault("kind", "auto")
    adata, estimator = as_anndata(who, adata), Residual(**options)
    with logged(who, "removing what the prior predicts") as added:
        X, params = _fit(who, estimator, adata, prior, use_rep, keep, layer=layer, n_pcs=n_pcs)
        added.append(f"'X_{key}' to adata.obsm and {key!r} to adata.uns")
    return store(adata, key, X, {"params": params}, copy=copy, is_map=False)


def _fit(
    who: str,
    estimator: PriorEstimator,
    adata: Any,
    prior: Any,
    use_rep: str | None,
    keep: Any,
    *,
    layer: str | None,
    n_pcs: int | None,
) -> tuple[NDArray[Any], dict[str, Any]]:
    """Fit an estimator to named data and priors; return the result and its settings."""
    rep, X = representation(who, adata, use_rep, layer=layer, n_pcs=n_pcs)
    priors = find_priors(who, "prior", adata, prior)
    labels = keep_for(estimator, find_kept_labels(who, adata, keep), who)
    # An array, even if scikit-learn is configured to return DataFrames.
    result = np.asarray(estimator.fit_transform(X, prior=priors, **labels))
    params = settings(
        _resolved(estimator), use_rep=rep, prior=prior, keep=keep, layer=layer, n_pcs=n_pcs
    )
    return result, params


def _resolved(estimator: Any) -> dict[str, Any]:
    """Return the options of a fitted estimator, with each "auto" resolved."""
    options = {}
    for name, value in estimator.get_params(deep=False).items():
        # n_iter_ is the number of steps taken, which is not the option n_iter.
        fitted = value if name == "n_iter" else getattr(estimator, f"{name}_", value)
        options[name] = fitted if is_plain(fitted) else value
    return options
