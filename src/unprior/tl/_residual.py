"""AnnData and the names of priors → data without what they explain, in ``obsm``."""

from __future__ import annotations

from typing import Any, Unpack

from unprior.estimators import Residual
from unprior.tl._log import told
from unprior.tl._options import ResidualOptions, describe, refuse_options
from unprior.tl._representation import annotated
from unprior.tl._settings import fit
from unprior.tl._slots import store


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
    """Take out of the data what prior knowledge explains, for any other tool to follow.

    Parameters
    ----------
    {parameters}
    **options
        Options of `unprior.Residual`; ``kind`` is "auto" unless said otherwise.

    Returns
    -------
    adata : AnnData or None
        The copy, if one was asked for. Written are ``obsm["X_residual"]``, data of the same shape
        as those it was made of, and ``uns["residual"]["params"]``, the settings behind it.

    See Also
    --------
    embed : Draws a map, and takes a residual first where that helps.

    Notes
    -----
    ``sc.pp.neighbors(adata, use_rep="X_residual")`` goes on from here to ``sc.tl.umap`` and
    ``sc.tl.leiden``. ``tl.score(adata, "residual")`` tells how much of the prior is left in it.

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
    adata, estimator = annotated(who, adata), Residual(**options)
    with told(who, "taking out what the prior explains") as added:
        left, params = fit(who, estimator, adata, prior, use_rep, keep, layer=layer, n_pcs=n_pcs)
        added.append(f"'X_{key}' to adata.obsm and {key!r} to adata.uns")
    return store(adata, key, left, {"params": params}, copy=copy, is_map=False)
