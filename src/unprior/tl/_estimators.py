"""``tl.embed``, ``tl.jedi``, ``tl.confetti`` and ``tl.residual``: fits of AnnData."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from unprior import _embed
from unprior.estimators import JEDI, Confetti, ConfettiNeighbors, Residual
from unprior.estimators._base import PriorEstimator, keep_for
from unprior.tl._graphs import scanpy_graphs
from unprior.tl._log import logged
from unprior.tl._names import find_kept_labels, find_priors
from unprior.tl._options import (
    ConfettiOptions,
    EmbedOptions,
    JEDIOptions,
    NeighborsOptions,
    ResidualOptions,
    describe,
    refuse_options,
)
from unprior.tl._representation import as_anndata, representation
from unprior.tl._slots import is_plain, model_in_uns, settings, storable, store

#: Arguments of `unprior.embed` that are not stored as settings; kept labels are stored by name.
NOT_STORED = ("return_report", "keep")


@describe
def embed(
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
    keep_model: bool = False,
    **options: Unpack[EmbedOptions],
) -> Any:
    """Draw a map whose neighbours are no more alike in the prior than random samples.

    Parameters
    ----------
    {parameters}
    random_state : int or RandomState, default=0
        Seed: the same seed gives the same map.
    keep_model : bool, default=False
        Whether to store the fitted model in ``uns``, which `transform` needs to place new samples.
        It contains the data in single precision.
    **options
        Further options of `unprior.embed`.

    Returns
    -------
    adata : AnnData or None
        The copy if ``copy=True``, else None. Writes the map to ``obsm["X_embed"]``. In
        ``uns["embed"]``, ``"params"`` are the given settings and ``"report"`` is
        `unprior.EmbedReport` as a dict: how much of each prior is ``"left"`` on the map, how much
        neighbours in the data shared ``"before"`` (both also within kept labels), what is
        ``"kept"``, the ``"reason"`` in a sentence, and all ``"settings"`` in use. Entries that are
        None are left out, because H5AD files cannot store them.

    See Also
    --------
    transform : Places new samples on the map.
    score : More scores of the map.
    jedi, confetti : Other methods.

    Examples
    --------
    >>> import anndata
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(150, random_state=0)
    >>> adata = anndata.AnnData(data.X)
    >>> adata.obs["known"] = data.known
    >>> up.tl.embed(adata, "known")
    >>> adata.obsm["X_embed"].shape
    (150, 2)
    >>> abs(adata.uns["embed"]["report"]["left"]["known"]) < 0.05
    True
    """
    who, key = "tl.embed", key_added or "embed"
    refuse_options(who, options)
    adata = as_anndata(who, adata)
    source: dict[str, Any] = {"layer": layer, "n_pcs": n_pcs}
    rep, X = representation(who, adata, use_rep, **source)
    priors, labels = find_priors(who, "prior", adata, prior), find_kept_labels(who, adata, keep)
    arguments = {**options, "random_state": random_state}
    with logged(who, f"drawing a map of {layer or rep}") as added:
        Y, report = _embed.embed(X, prior=priors, keep=labels, return_report=True, **arguments)
        added.append(f"'X_{key}' to adata.obsm and {key!r} to adata.uns")
    params = settings({**_defaults(), **arguments}, use_rep=rep, prior=prior, keep=keep, **source)
    entry = {"params": params, "report": storable(report.to_dict())}
    if keep_model:
        entry["model"] = model_in_uns(who, report.fitted)
    return store(adata, key, Y.astype(np.float32), entry, copy=copy)


def _defaults() -> dict[str, Any]:
    """Return the default options of `unprior.embed`."""
    parameters = inspect.signature(_embed.embed).parameters.values()
    options = {each.name: each.default for each in parameters if each.default is not each.empty}
    return {name: value for name, value in options.items() if name not in NOT_STORED}


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
    embed : Draws a map; also tests the composition of batches.
    residual : Corrects the data, for scanpy's own graph; also tests the composition.

    Notes
    -----
    By default the composition of batches is tested. If some lack cell types, neighbours are
    balanced within clusters that the batches share, with a warning. Do not use
    ``operator="balanced"`` then without ``keep``: it gives every cell neighbours from every batch,
    and so mixes types. On cells of 24 batches its graph keeps .66 of the types, uncorrected data
    and ``operator="quantile"`` keep .995; the latter often leaves more of a prior. If labels are
    the prior, do not use ``operator="linear"``: a few cells become neighbours of very many, and
    most of none.

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
    graphs, keys = scanpy_graphs(estimator, key, n_jobs=estimator.n_jobs)
    entry = {
        **keys,
        # scanpy reads here how the connectivities were computed.
        "params": {**params, "method": "umap"},
        "neighbor_recall": float(estimator.neighbor_recall_),
    }
    return store(adata, key, Y.astype(np.float32) if draw else None, entry, graphs, copy=copy)


def _confetti(
    who: str, options: Mapping[str, Any], random_state: Any, *, draw: bool
) -> Confetti | ConfettiNeighbors:
    """Return the estimator of a map with its graph, or of the graph alone."""
    if draw:
        return Confetti(random_state=random_state, **options)
    only_maps = [name for name in options if name not in NeighborsOptions.__annotations__]
    if only_maps:
        message = f"{who}: {only_maps[0]!r} is an option for maps; leave it out, or use draw=True."
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
