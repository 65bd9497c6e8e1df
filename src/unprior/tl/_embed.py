"""AnnData and the names of priors → the map of `unprior.embed` in ``obsm``, a report in ``uns``."""

from __future__ import annotations

import inspect
from typing import Any, Unpack

import numpy as np

from unprior import _embed
from unprior.tl._log import told
from unprior.tl._model import model_in_uns
from unprior.tl._names import kept_labels, knowledge
from unprior.tl._options import EmbedOptions, describe, refuse_options
from unprior.tl._representation import annotated, representation
from unprior.tl._settings import held_by_files, settings
from unprior.tl._slots import store

#: What `unprior.embed` takes that is no setting: kept labels go by their names.
NOT_OPTIONS = ("return_report", "keep")


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
    """Draw a map with prior knowledge factored out: neighbours no more alike in it than by chance.

    Parameters
    ----------
    {parameters}
    random_state : int or RandomState, default=0
        Seed: the same seed gives the same map.
    keep_model : bool, default=False
        Whether to keep in ``uns`` what `transform` needs to place new samples: the data in single
        precision, and what was learnt of them.
    **options
        Further options of `unprior.embed`.

    Returns
    -------
    adata : AnnData or None
        The copy, if one was asked for. Written are ``obsm["X_embed"]``, the map, and in
        ``uns["embed"]`` the settings that were asked for in ``"params"``, and in ``"report"`` what
        `unprior.EmbedReport` tells: what is ``"left"`` of each prior, what neighbours in the data
        showed of it ``"before"``, both also within kept labels, what is ``"kept"``, the
        ``"reason"`` in a sentence, and all ``"settings"`` that were used. What is None is left out,
        as files do not hold it.

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
    adata = annotated(who, adata)
    which: dict[str, Any] = {"layer": layer, "n_pcs": n_pcs}
    rep, X = representation(who, adata, use_rep, **which)
    known = knowledge(who, "prior", adata, prior)
    asked = {**options, "random_state": random_state}
    kept_apart = kept_labels(who, adata, keep)
    with told(who, f"drawing a map of {layer or rep}") as added:
        Y, report = _embed.embed(X, prior=known, keep=kept_apart, return_report=True, **asked)
        added.append(f"'X_{key}' to adata.obsm and {key!r} to adata.uns")
    params = settings({**_defaults(), **asked}, use_rep=rep, prior=prior, keep=keep, **which)
    kept = {"params": params, "report": held_by_files(report.to_dict())}
    if keep_model:
        kept["model"] = model_in_uns(who, report.fitted)
    return store(adata, key, Y.astype(np.float32), kept, copy=copy)


def _defaults() -> dict[str, Any]:
    """Return what `unprior.embed` does unless it is told otherwise."""
    taken = inspect.signature(_embed.embed).parameters.values()
    options = {each.name: each.default for each in taken if each.default is not each.empty}
    return {name: value for name, value in options.items() if name not in NOT_OPTIONS}
