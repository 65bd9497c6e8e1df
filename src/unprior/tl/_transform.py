"""AnnData of new cells, and one with a map -> the new cells on that map, in ``obsm``."""

from __future__ import annotations

from typing import Any

import numpy as np

from unprior.tl._log import told
from unprior.tl._model import model_from_uns
from unprior.tl._names import knowledge
from unprior.tl._representation import annotated, representation
from unprior.tl._slots import choose_map, store


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
    """Place new cells on the map of others, which stays as it is.

    As `scanpy.tl.ingest` does for plain maps: the data go by the name that they have in the
    reference, so project new cells onto its principal components first.

    Parameters
    ----------
    adata : AnnData
        The new cells.
    adata_ref : AnnData
        Cells with a map, drawn by ``tl.embed(adata_ref, ..., keep_model=True)``.
    prior : str, list of str, dict, Prior or array-like, optional
        What is known of the new cells; by default what goes by the names that the reference's map
        was drawn with.
    basis : str, optional
        The map, if there are several.
    unseen : {"error", "mean", "fit"}, default="error"
        What to do with classes that the reference has not: refuse them; take them for nothing in
        particular; or learn their mean and spread from the new cells.
    without_prior : bool, default=False
        Whether cells may come without the prior; they are then placed by their data alone.
    key_added : str, optional
        Name of the result; by default that of the reference's map.
    copy : bool, default=False
        Write to a copy and return that.

    Returns
    -------
    adata : AnnData or None
        The copy, if one was asked for. Written are ``obsm["X_embed"]``, the places, and in
        ``uns["embed"]`` the ``"params"`` of the reference and ``"far"``, which cells are far from
        all of the reference.

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
    adata, adata_ref = annotated(who, adata), annotated(who, adata_ref)
    name = choose_map(who, adata_ref, basis)
    about = adata_ref.uns.get(name, {})
    if "model" not in about:
        message = (
            f"{who}: the map {name!r} of 'adata_ref' was drawn without its model; draw it again "
            "with tl.embed(adata_ref, ..., keep_model=True)."
        )
        raise ValueError(message)
    estimator, params = model_from_uns(who, about["model"]), about["params"]
    which: dict[str, Any] = {key: params.get(key) for key in ("layer", "n_pcs")}
    use_rep = None if which["layer"] else str(params["use_rep"])
    _, X = representation(who, adata, use_rep, **which)
    if prior is None and "prior" in params and not without_prior:
        prior = [str(one) for one in params["prior"]]
    known = None if prior is None else knowledge(who, "prior", adata, prior)
    key = key_added or name
    options: dict[str, Any] = {"unseen": unseen, "without_prior": without_prior}
    with told(who, f"placing cells on the map {name!r}") as added:
        Y, far = estimator.transform(X, prior=known, return_far=True, **options)
        added.append(f"'X_{key}' to adata.obsm and {key!r} to adata.uns")
    about = {"params": dict(params), "far": far}
    return store(adata, key, np.asarray(Y, dtype=np.float32), about, copy=copy)
