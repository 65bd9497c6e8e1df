"""Slots of an AnnData ↔ maps: written, and found again by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from unprior._methods import METHODS
from unprior._params import check_value
from unprior.tl._representation import ANNDATA, dense

#: Where in ``uns`` it is kept which map was drawn last.
HOUSE, LATEST = "unprior", "latest_map"


def copy_of(adata: Any) -> Any:
    """Return a copy in memory, which shares nothing with the original."""
    return adata.to_memory().copy() if adata.isbacked else adata.copy()


def store(
    adata: Any,
    key: str,
    values: NDArray[Any],
    told: Mapping[str, Any],
    graphs: Mapping[str, Any] | None = None,
    *,
    copy: bool,
    is_map: bool = True,
) -> Any:
    """Write a result to ``obsm["X_<key>"]`` and what is told of it to ``uns``; return the copy."""
    target = copy_of(adata) if copy else adata
    target.obsm[f"X_{key}"] = values
    target.obsp.update(graphs or {})
    target.uns[key] = told
    if is_map:
        target.uns[HOUSE] = {LATEST: key}
    return target if copy else None


def choose_map(who: str, adata: Any, basis: str | None) -> str:
    """Return the map's name: the one given, else the latest of `tl`, else the only one."""
    check_value(who, "adata", adata, ANNDATA)
    if basis is not None:
        return basis
    latest = adata.uns.get(HOUSE, {}).get(LATEST)
    if latest is not None and f"X_{latest}" in adata.obsm:
        return str(latest)
    keys = dict.fromkeys(method.key for method in METHODS.values())
    made = [key for key in keys if f"X_{key}" in adata.obsm]
    made += [key for key in adata.uns if key not in made and _is_map(adata, key)]
    if "embed" in made or len(made) == 1:
        return made[0]
    told = f"has several maps, {made}" if made else f"has no map of unprior, but {[*adata.obsm]}"
    advice = "name one" if made else "draw one with tl.embed(adata, prior=...), or name one"
    message = f"{who}: 'adata' {told}; {advice} with basis=...."
    raise ValueError(message)


def _is_map(adata: Any, key: str) -> bool:
    """Whether a tool has drawn a map of this name; a residual is data, of no fixed dimensions."""
    told = adata.uns[key]
    params = told.get("params", {}) if isinstance(told, Mapping) else {}
    return f"X_{key}" in adata.obsm and {"version", "n_components"} <= {*params}


def map_of(who: str, adata: Any, basis: str) -> NDArray[Any]:
    """Return the map called ``basis``: ``obsm["X_<basis>"]``, or ``obsm[basis]``."""
    check_value(who, "adata", adata, ANNDATA)
    for key in (f"X_{basis}", basis):
        if key in adata.obsm:
            return dense(adata.obsm[key])
    message = (
        f"{who}: 'adata' has no map obsm['X_{basis}']; it has {[*adata.obsm]}. Draw it first, for "
        f"example with tl.embed(adata, key_added={basis!r}, prior=...)."
    )
    raise ValueError(message)


def name_of_map(adata: Any, basis: str) -> str:
    """Return the name that a map's settings and scores go by, which has no "X_" in front."""
    return basis if f"X_{basis}" in adata.obsm else basis.removeprefix("X_")
