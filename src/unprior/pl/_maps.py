"""``pl.embedding`` and ``pl.compare``: draw maps in an AnnData, coloured by columns or genes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unprior import plot
from unprior._frames import align as align_to
from unprior._params import Kind, check_value
from unprior.plot._texts import score_lines
from unprior.priors._spelled import read_spelled
from unprior.tl._names import Names, column
from unprior.tl._representation import as_anndata
from unprior.tl._slots import choose_map, map_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: A list of fewer words than this holds names, not labels.
FEW_NAMES = 10

COLOR = Kind(
    "one name or values (pl.compare takes a list of names)",
    lambda v: not (_are_names(v) and len(v) < FEW_NAMES),
)

NAMES = Kind("a list of names", lambda v: _are_names(v))


def _are_names(values: Any) -> bool:
    is_list = isinstance(values, list | tuple) and len(values) > 0
    return is_list and all(isinstance(name, str) for name in values)


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
        The map, ``obsm["X_<basis>"]``; by default the latest drawn by `unprior.tl`.
    color : str, array-like or Prior, optional
        Name of a column of ``obs`` or of a gene, or values; values with an index are matched with
        ``obs_names``.
    cmap, size, legend : optional
        As in `unprior.plot.embedding`.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    title : str, optional
        Title; by default the name in ``color``.

    Returns
    -------
    ax : matplotlib Axes
        Scores stored by `unprior.tl.score` are printed below the map.

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
    adata = as_anndata(who, adata)
    basis = choose_map(who, adata, basis)
    Y = map_of(who, adata, basis)
    (lines,) = score_lines(who, _scores_of(adata, [basis]), [basis], [None])[basis]
    return plot.embedding(
        Y,
        color=_values_of(who, adata, color),
        palette=_palette_of(adata, color) if isinstance(color, str) else None,
        cmap=cmap,
        size=size,
        legend=legend,
        ax=ax,
        title=color if title is None and isinstance(color, str) else title,
        note="\n".join(lines),
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
        Rotate and mirror the maps to match the first, so that cells are easy to follow.
    ax : array-like of matplotlib Axes, shape (n_rows, n_maps), optional
        Where to draw; by default a new figure.

    Returns
    -------
    axes : ndarray of matplotlib Axes, shape (n_rows, n_maps)
        Scores stored by `unprior.tl.score` are printed below the maps.

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
    adata = as_anndata(who, adata)
    maps = {basis: map_of(who, adata, basis) for basis in bases}
    colors = [color] if isinstance(color, str) else color
    if colors is not None:
        check_value(who, "color", colors, NAMES)
    return plot.compare(
        maps,
        color=None if colors is None else {n: _values_of(who, adata, n) for n in colors},
        palette=None if colors is None else {n: _palette_of(adata, n) for n in colors},
        scores=_scores_of(adata, list(bases)),
        cmap=cmap,
        size=size,
        legend=legend,
        align=align,
        ax=ax,
    )


def _values_of(who: str, adata: Any, color: Any) -> Any:
    """Return one value per cell: of a column of ``obs``, a gene, or a single-column ``obsm``.

    A name can include the kind, as on the command line: "hour:cyclic=24". Values with an index are
    matched with the cells.
    """
    if not isinstance(color, str):
        return align_to(who, "color", color, adata.obs_names, "adata")
    names = Names(adata)
    if color not in names:
        return read_spelled(who, color, names, lambda name: column(who, "color", adata, name))
    values = column(who, "color", adata, color)
    return np.asarray(values).ravel() if np.ndim(values) == 2 else values


def _palette_of(adata: Any, name: str) -> dict[str, Any]:
    """Return the colours that scanpy assigned to the groups of a column, if any."""
    colors = adata.uns.get(f"{name}_colors")
    if colors is None or name not in adata.obs or not hasattr(adata.obs[name], "cat"):
        return {}
    return dict(zip(adata.obs[name].cat.categories.astype(str), colors, strict=False))


def _scores_of(adata: Any, bases: list[str]) -> dict[str, Any]:
    """Return the scores of these maps that `unprior.tl.score` has stored."""
    kept = {basis: adata.uns.get(f"{basis}_score") for basis in bases}
    return {basis: scores for basis, scores in kept.items() if scores is not None}
