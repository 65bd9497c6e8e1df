"""``tl.embed``: the map of `unprior.embed` in ``obsm``, its report in ``uns``."""

from __future__ import annotations

import inspect
from typing import Any, Unpack

import numpy as np

from unprior import _embed
from unprior.tl._log import logged
from unprior.tl._names import find_kept_labels, find_priors
from unprior.tl._options import EmbedOptions, describe, refuse_options
from unprior.tl._representation import as_anndata, representation
from unprior.tl._slots import model_in_uns, settings, storable, store

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
