"""``tl.score``: score a map in an AnnData; the scores are returned and stored in ``uns``."""

from __future__ import annotations

import warnings
from typing import Any

from unprior._typing import Metric
from unprior._warnings import PriorMissingWarning, caller_level
from unprior.scores import Report, report
from unprior.tl._log import logged
from unprior.tl._names import find_kept_labels, find_priors
from unprior.tl._representation import as_anndata, representation
from unprior.tl._slots import choose_map, map_of, name_of_map


def score(
    adata: Any,
    basis: str | None = None,
    *,
    prior: Any = None,
    hidden: Any = None,
    keep: Any = None,
    use_rep: str | None = None,
    layer: str | None = None,
    n_pcs: int | None = None,
    metric: Metric | None = None,
    k: int = 15,
    n_rows: int | str | None = "auto",
    key_added: str | None = None,
    random_state: Any = 0,
) -> Report:
    """Score a map: how much of the prior is left, and of the data and hidden structure is kept.

    Parameters
    ----------
    adata : AnnData
        Annotated data.
    basis : str, optional
        The map, ``obsm["X_<basis>"]``; the full name, "X_<basis>", works too. By default the
        latest map drawn by this module.
    prior, hidden : str, list of str, dict, Prior or array-like, optional
        What was factored out and what the map should show, as in `embed`. By default the prior
        that the map was drawn with, if it was given by name.
    keep : str, list of str, dict or array-like, optional
        Labels within whose classes the prior is scored as well, as in `embed`. By default those
        that the map was drawn with, if they were given by name.
    use_rep, layer, n_pcs : optional
        The data, as in `embed`. By default those the map was drawn from, if recorded.
    metric : str or callable, optional
        Distance between rows of the data. By default the one the map was drawn with, if it was
        given by name, else Euclidean.
    k : int, default=15
        Number of neighbours.
    n_rows : int, None or "auto", default="auto"
        Number of samples to score; see `unprior.scores.report`.
    key_added : str, optional
        Key of ``uns`` for the scores; by default "<basis>_score".
    random_state : int or RandomState, default=0
        Seed of the random choice of samples.

    Returns
    -------
    report : Report
        Prints as a table; ``uns["<basis>_score"]`` holds its ``to_dict()``.

    Examples
    --------
    >>> import anndata
    >>> import unprior as up
    >>> data = up.datasets.make_tuning(100, random_state=0)
    >>> adata = anndata.AnnData(data.X)
    >>> adata.obs["known"], adata.obs["hidden"] = data.known, data.hidden
    >>> up.tl.embed(adata, "known")
    >>> sorted(up.tl.score(adata, hidden="hidden").to_dict())
    ['confounding', 'data', 'hidden', 'map', 'prior', 'prior within', 'rest', 'within']
    """
    who = "tl.score"
    adata = as_anndata(who, adata)
    basis = choose_map(who, adata, basis)
    Y = map_of(who, adata, basis)
    name = name_of_map(adata, basis)
    drawn = adata.uns.get(name, {}).get("params", {})
    if prior is None and "prior" in drawn:
        prior = [str(part) for part in drawn["prior"]]  # an array after reading a file
    elif prior is None and drawn:
        message = (
            f"tl.score: the prior of {basis!r} was not given by name, so it is not stored in "
            "adata; pass it again as 'prior' to see how much of it is left."
        )
        warnings.warn(message, PriorMissingWarning, stacklevel=caller_level())
    if keep is None and "keep" in drawn:
        keep = [str(part) for part in drawn["keep"]]
    if not (use_rep or layer or n_pcs):
        use_rep, layer, n_pcs = (drawn.get(each) for each in ("use_rep", "layer", "n_pcs"))
    _, X = representation(who, adata, use_rep, layer=layer, n_pcs=n_pcs)
    with logged(who, f"scoring {basis!r}") as added:
        scores = report(
            Y,
            X=X,
            prior=find_priors(who, "prior", adata, prior),
            hidden=find_priors(who, "hidden", adata, hidden),
            keep=find_kept_labels(who, adata, keep),
            k=k,
            metric=metric or drawn.get("metric", "euclidean"),
            n_rows=n_rows,
            random_state=random_state,
        )
        key = key_added or f"{name}_score"
        adata.uns[key] = scores.to_dict()
        added.append(f"{key!r} to adata.uns")
    return scores
