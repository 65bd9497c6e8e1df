"""``tl.transform``: place new cells on the map of a reference AnnData."""

from __future__ import annotations

from typing import Any

import numpy as np

from unprior.tl._log import logged
from unprior.tl._names import find_priors
from unprior.tl._representation import as_anndata, representation
from unprior.tl._slots import choose_map, model_from_uns, store


def transform(
    adata: Any,
    adata_ref: Any,
    prior: Any = None,
    *,
    basis: str | None = None,
    unseen: str = "error",
    without_prior: bool = False,
    key_added: str | None = None,
    copy: bool = False,
) -> Any:
    """Place new cells on the map of a reference, which does not change.

    Like `scanpy.tl.ingest`, which does this for plain maps. The data of the new cells must have the
    same name as in the reference, so project them onto its principal components first.

    Parameters
    ----------
    adata : AnnData
        The new cells.
    adata_ref : AnnData
        Cells with a map, drawn by ``tl.embed(adata_ref, ..., keep_model=True)``.
    prior : str, list of str, dict, Prior or array-like, optional
        The prior of the new cells; by default it is looked up under the names that the reference's
        map was drawn with.
    basis : str, optional
        The map, if there are several.
    unseen : {"error", "mean", "fit"}, default="error"
        What to do with classes that the reference lacks: raise an error; treat them as average; or
        learn their mean and spread from the new cells.
    without_prior : bool, default=False
        Whether to place cells by their data alone, without a prior.
    key_added : str, optional
        Name of the result; by default the name of the reference's map.
    copy : bool, default=False
        Write to a copy and return it.

    Returns
    -------
    adata : AnnData or None
        The copy if ``copy=True``, else None. Writes coordinates to ``obsm["X_embed"]``, and to
        ``uns["embed"]`` the ``"params"`` of the reference and ``"far"``: which cells are far from
        all cells of the reference.

    Examples
    --------
    >>> import anndata
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(150, random_state=0)
    >>> adata = anndata.AnnData(data.X)
    >>> adata.obs["known"] = data.known
    >>> ref, new = adata[:120].copy(), adata[120:].copy()
    >>> up.tl.embed(ref, "known", keep_model=True)
    >>> up.tl.transform(new, ref)
    >>> new.obsm["X_embed"].shape
    (30, 2)
    """
    who = "tl.transform"
    adata, adata_ref = as_anndata(who, adata), as_anndata(who, adata_ref)
    name = choose_map(who, adata_ref, basis)
    about = adata_ref.uns.get(name, {})
    if "model" not in about:
        message = (
            f"{who}: the map {name!r} of 'adata_ref' has no stored model; draw it again with "
            "tl.embed(adata_ref, ..., keep_model=True)."
        )
        raise ValueError(message)
    estimator, params = model_from_uns(who, about["model"]), about["params"]
    layer, n_pcs = params.get("layer"), params.get("n_pcs")
    use_rep = None if layer else str(params["use_rep"])
    _, X = representation(who, adata, use_rep, layer=layer, n_pcs=n_pcs)
    if prior is None and "prior" in params and not without_prior:
        prior = [str(one) for one in params["prior"]]
    priors = None if prior is None else find_priors(who, "prior", adata, prior)
    key = key_added or name
    with logged(who, f"placing cells on the map {name!r}") as added:
        Y, far = estimator.transform(
            X, prior=priors, unseen=unseen, without_prior=without_prior, return_far=True
        )
        added.append(f"'X_{key}' to adata.obsm and {key!r} to adata.uns")
    about = {"params": dict(params), "far": far}
    return store(adata, key, np.asarray(Y, dtype=np.float32), about, copy=copy)
