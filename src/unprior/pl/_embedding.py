"""One map of an AnnData → a scatter plot, its scores below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unprior import plot
from unprior._params import Kind, check_value
from unprior.pl._colors import palette_of, scores_of, values_of
from unprior.plot._score_lines import score_lines
from unprior.tl._representation import annotated
from unprior.tl._slots import choose_map, map_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOR = Kind(
    "one name or values (pl.compare takes a list of names)",
    lambda value: not isinstance(value, list | tuple) or not _are_names(value),
)


def _are_names(values: Any) -> bool:
    return 0 < len(values) < FEW_NAMES and all(isinstance(name, str) for name in values)


#: A list of fewer words is one of names, not of labels.
FEW_NAMES = 10


def embedding(
    adata: Any,
    basis: str | None = None,
    *,
    color: Any = None,
    cmap: Any = None,
    size: float | None = None,
    legend: bool = True,
    ax: Any = None,
    title: str | None = None,
) -> Axes:
    """Draw a map, coloured by a column of ``obs`` or by a gene.

    Parameters
    ----------
    adata : AnnData
        Annotated data.
    basis : str, optional
        The map, ``obsm["X_<basis>"]``. By default the latest that a tool of `unprior.tl` has drawn.
    color : str, array-like or Prior, optional
        Name of a column of ``obs`` or of a gene, or the values themselves, which are matched with
        ``obs_names`` if they have an index.
    cmap, size, legend : optional
        As in `unprior.plot.embedding`.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    title : str, optional
        A line above the map; by default what it is coloured by.

    Returns
    -------
    ax : matplotlib Axes
        Below it stands what `unprior.tl.score` has kept about the map.

    Examples
    --------
    >>> import anndata
    >>> import unprior as up
    >>> data = up.datasets.make_tuning(100, random_state=0)
    >>> adata = anndata.AnnData(data.X, obsm={"X_hidden": data.hidden_features})
    >>> adata.obs["group"] = data.hidden
    >>> ax = up.pl.embedding(adata, "hidden", color="group")
    """
    who = "pl.embedding"
    check_value(who, "color", color, COLOR)
    adata = annotated(who, adata)
    basis = choose_map(who, adata, basis)
    Y = map_of(who, adata, basis)
    (told,) = score_lines(who, scores_of(adata, [basis]), [basis], [None])[basis]
    return plot.embedding(
        Y,
        color=values_of(who, adata, color),
        palette=palette_of(adata, color) if isinstance(color, str) else None,
        cmap=cmap,
        size=size,
        legend=legend,
        ax=ax,
        title=color if title is None and isinstance(color, str) else title,
        note="\n".join(told),
    )
