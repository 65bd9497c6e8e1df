"""Several maps of an AnnData → panels side by side, one row for each colouring."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior import plot
from unprior._params import Kind, check_value
from unprior.pl._colors import palette_of, scores_of, values_of
from unprior.tl._representation import annotated
from unprior.tl._slots import map_of

NAMES = Kind(
    "a list of names",
    lambda v: isinstance(v, list | tuple) and len(v) > 0 and all(isinstance(n, str) for n in v),
)


def compare(
    adata: Any,
    bases: list[str],
    *,
    color: str | list[str] | None = None,
    cmap: Any = None,
    size: float | None = None,
    legend: bool = True,
    align: bool = True,
    ax: Any = None,
) -> NDArray[np.object_]:
    """Draw several maps side by side, such as the plain one and one without the prior.

    Parameters
    ----------
    adata : AnnData
        Annotated data.
    bases : list of str
        The maps, ``obsm["X_<basis>"]``, one column each.
    color : str or list of str, optional
        Names of columns of ``obs`` or of genes, one row of panels each.
    cmap, size, legend : optional
        As in `unprior.plot.compare`.
    align : bool, default=True
        Turn and flip the maps towards the first, so that the eye can follow the cells.
    ax : array-like of matplotlib Axes, shape (n_rows, n_maps), optional
        Where to draw; by default in a new figure.

    Returns
    -------
    axes : ndarray of matplotlib Axes, shape (n_rows, n_maps)
        Below the maps stands what `unprior.tl.score` has kept about them.

    Examples
    --------
    >>> import anndata
    >>> import unprior as up
    >>> data = up.datasets.make_tuning(100, random_state=0)
    >>> maps = {"X_known": data.known_features, "X_hidden": data.hidden_features}
    >>> adata = anndata.AnnData(data.X, obsm=maps)
    >>> adata.obs["group"] = data.hidden
    >>> up.pl.compare(adata, ["known", "hidden"], color="group").shape
    (1, 2)
    """
    who = "pl.compare"
    check_value(who, "bases", bases, NAMES)
    adata = annotated(who, adata)
    maps = {basis: map_of(who, adata, basis) for basis in bases}
    colors = [color] if isinstance(color, str) else color
    if colors is not None:
        check_value(who, "color", colors, NAMES)
    return plot.compare(
        maps,
        color=None if colors is None else {n: values_of(who, adata, n) for n in colors},
        palette=None if colors is None else {n: palette_of(adata, n) for n in colors},
        scores=scores_of(adata, list(bases)),
        cmap=cmap,
        size=size,
        legend=legend,
        align=align,
        ax=ax,
    )
