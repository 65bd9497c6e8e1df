"""AnnData and the names of priors → the map of `unprior.embed` in ``obsm``, why in ``uns``."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from unprior import selection
from unprior.selection import Choice
from unprior.tl._describe import describe
from unprior.tl._params import settings
from unprior.tl._slots import keep, knowledge, representation


@describe
def embed(
    adata: Any,
    prior: Any = None,
    *,
    use_rep: str | None = None,
    key_added: str | None = None,
    copy: bool = False,
    random_state: Any = 0,
    **options: Any,
) -> Any:
    """Draw a map with prior knowledge factored out, by the method that suits the data.

    Parameters
    ----------
    {parameters}
    random_state : int or RandomState, default=0
        Seed: the same seed gives the same choice and the same map.
    **options
        Further options of `unprior.embed`.

    Returns
    -------
    adata : AnnData or None
        The copy, if one was asked for. Written are ``obsm["X_embed"]``, the map, and in
        ``uns["embed"]`` the settings behind it in ``"params"`` and why it is drawn so in
        ``"choice"``: what was ``"chosen"``, the ``"reason"`` in a sentence, and the scores of all
        ``"trials"``, the best first, on ``"n_samples"`` samples.

    See Also
    --------
    jedi, confetti : Draw by one method that you choose.

    Notes
    -----
    ``pandas.DataFrame(adata.uns["embed"]["choice"]["trials"])`` shows the trials as a table. There
    are none if a method was asked for.

    Examples
    --------
    >>> import anndata
    >>> import unprior as up
    >>> data = up.datasets.make_tuning(100, random_state=0)
    >>> adata = anndata.AnnData(data.X)
    >>> adata.obs["known"] = data.known
    >>> up.tl.embed(adata, "known", method="jedi")
    >>> adata.obsm["X_embed"].shape
    (100, 2)
    >>> adata.uns["embed"]["choice"]["chosen"]
    'JEDI (strength 1)'
    """
    who, key = "tl.embed", key_added or "embed"
    if "return_report" in options:
        message = (
            f"{who}: 'return_report' is no option here; got {options['return_report']!r}; leave it "
            f"out and read the report in adata.uns[{key!r}]['choice'], where it always is."
        )
        raise TypeError(message)
    rep, X = representation(who, adata, use_rep)
    known = knowledge(who, "prior", adata, prior)
    options = {**options, "random_state": random_state}
    Y, choice = selection.embed(X, prior=known, return_report=True, **options)
    params = settings({**_defaults(), **options}, use_rep=rep, prior=prior)
    told = {"params": params, "choice": _tell(choice)}
    return keep(adata, key, Y.astype(np.float32), told, copy=copy)


def _defaults() -> dict[str, Any]:
    """Return what `unprior.embed` does unless it is told otherwise."""
    taken = inspect.signature(selection.embed).parameters.values()
    options = {each.name: each.default for each in taken if each.default is not each.empty}
    return {name: value for name, value in options.items() if name != "return_report"}


def _tell(choice: Choice) -> dict[str, Any]:
    """Return a choice in plain types that a file can hold; trials go column by column."""
    trials = choice.trials
    return {
        "chosen": str(choice.chosen),
        "reason": choice.reason,
        "n_samples": choice.n_samples,
        "trials": {
            "method": [str(trial.composition) for trial in trials],
            **{
                name: np.array([getattr(trial, name) for trial in trials])
                for name in ("left", "rest_kept", "data_kept")
            },
        },
    }
