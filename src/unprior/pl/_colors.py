"""Names in an AnnData → values to colour by, the groups' colours and scores beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from unprior._frames import align
from unprior.priors._spelled import read_spelled
from unprior.tl._names import Names, column


def values_of(who: str, adata: Any, color: Any) -> Any:
    """Return one value for each cell: of a column of ``obs``, a gene, or a single-column ``obsm``.

    A name may say what the values are, as in the shell: "hour:cyclic=24". Values themselves are
    put in the order of the cells, if they have an index.
    """
    if not isinstance(color, str):
        return align(who, "color", color, adata.obs_names, "adata")
    names = Names(adata)
    if color not in names:
        return read_spelled(who, color, names, lambda name: column(who, "color", adata, name))
    values = column(who, "color", adata, color)
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
