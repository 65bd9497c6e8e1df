"""Names in an AnnData → values to colour by, the groups' colours and scores beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from unprior.tl._names import column


def values_of(who: str, adata: Any, name: str) -> Any:
    """Return one value for each cell: a column of ``obs``, a gene, or a single-column ``obsm``."""
    values = column(who, "color", adata, name)
    return np.asarray(values).ravel() if np.ndim(values) == 2 else values


def palette_of(adata: Any, name: str) -> dict[str, Any]:
    """Return the colours that scanpy gave to the groups of a column, if it did."""
    colors = adata.uns.get(f"{name}_colors")
    if colors is None or name not in adata.obs or not hasattr(adata.obs[name], "cat"):
        return {}
    return dict(zip(adata.obs[name].cat.categories.astype(str), colors, strict=False))


def scores_of(adata: Any, bases: list[str]) -> dict[str, Any]:
    """Return what `unprior.tl.score` has kept about these maps."""
    kept = {basis: adata.uns.get(f"{basis}_score") for basis in bases}
    return {basis: scores for basis, scores in kept.items() if scores is not None}
