"""Slots of an AnnData ↔ arrays: read by name, or one sentence on what is not there; and written."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from unprior._params import Kind, check_value

#: Up to this many variables they are the data themselves; of more, their principal components are.
FEW_VARIABLES = 50

ANNDATA = Kind(
    "an AnnData", lambda value: all(hasattr(value, slot) for slot in ("obs", "obsm", "obsp", "uns"))
)


def copy_of(adata: Any) -> Any:
    """Return a copy in memory, which shares nothing with the original."""
    return adata.to_memory().copy() if adata.isbacked else adata.copy()


def keep(
    adata: Any,
    key: str,
    values: NDArray[Any],
    told: Mapping[str, Any],
    graphs: Mapping[str, Any] | None = None,
    *,
    copy: bool,
) -> Any:
    """Write a result to ``obsm["X_<key>"]`` and what is told of it to ``uns``; return the copy."""
    target = copy_of(adata) if copy else adata
    target.obsm[f"X_{key}"] = values
    target.obsp.update(graphs or {})
    target.uns[key] = told
    return target if copy else None


def representation(who: str, adata: Any, use_rep: str | None) -> tuple[str, NDArray[Any]]:
    """Return the name of the data and the data: "X", or an entry of ``obsm``."""
    check_value(who, "adata", adata, ANNDATA)
    if use_rep is None:
        use_rep = "X" if adata.n_vars <= FEW_VARIABLES else "X_pca"
        if use_rep not in {"X", *adata.obsm}:
            message = (
                f"{who}: 'adata' has {adata.n_vars} variables and no obsm['X_pca']; run "
                "sc.pp.pca(adata) first, or name the data with use_rep."
            )
            raise ValueError(message)
    if use_rep == "X":
        return use_rep, _dense(adata.X)
    if use_rep not in adata.obsm:
        message = f"{who}: 'use_rep' takes 'X' or one of {[*adata.obsm]}; got {use_rep!r}."
        raise ValueError(message)
    return use_rep, _dense(adata.obsm[use_rep])


def choose_map(who: str, adata: Any, basis: str | None) -> str:
    """Return the map's name: the one given, else "embed", else that of the only map of `tl`."""
    check_value(who, "adata", adata, ANNDATA)
    if basis is not None:
        return basis
    made = [key for key in ("embed", "jedi", "confetti") if f"X_{key}" in adata.obsm]
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
            return _dense(adata.obsm[key])
    message = (
        f"{who}: 'adata' has no map obsm['X_{basis}']; it has {[*adata.obsm]}. Draw it first, for "
        f"example with tl.embed(adata, key_added={basis!r}, prior=...)."
    )
    raise ValueError(message)


def name_of_map(adata: Any, basis: str) -> str:
    """Return the name that a map's settings and scores go by, which has no "X_" in front."""
    return basis if f"X_{basis}" in adata.obsm else basis.removeprefix("X_")


def knowledge(who: str, argument: str, adata: Any, value: Any) -> Any:
    """Return priors by the names given for them; what is no name passes as it is."""
    parts = names_of(value)
    if parts is None:
        return value
    return {
        name: column(who, argument, adata, part) if isinstance(part, str) else part
        for name, part in parts.items()
    }


def names_of(value: Any) -> dict[str, Any] | None:
    """Return what a name, a list of names or a dict stands for, by name; None for anything else."""
    if isinstance(value, str):
        return {value: value}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple) and value and all(isinstance(name, str) for name in value):
        return {name: name for name in value}
    return None


def column(who: str, argument: str, adata: Any, name: str) -> Any:
    """Return what a name stands for: a column of ``obs``, a gene, or an entry of ``obsm``."""
    homes = {"obs": adata.obs.columns, "var_names": adata.var_names, "obsm": adata.obsm}
    found = [home for home, names in homes.items() if name in names]
    if len(found) > 1:
        message = (
            f"{who}: {argument!r} names {name!r}, which is in {' and in '.join(found)}; pass the "
            "values themselves, or rename one."
        )
        raise ValueError(message)
    if not found:
        known = [str(known) for names in homes.values() for known in names]
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        message = (
            f"{who}: {argument!r} names {name!r}, which is no column of obs, no gene and no entry "
            f"of obsm.{hint}"
        )
        raise ValueError(message)
    if found == ["obs"]:
        return adata.obs[name]
    if found == ["obsm"]:
        return adata.obsm[name]
    # Expression of a gene is an amount, even where it is counted in whole numbers.
    return _dense(adata[:, [name]].X).ravel().astype(np.float64)


def _dense(values: Any) -> NDArray[Any]:
    """Read an array that may be sparse, on disk, or both."""
    if hasattr(values, "to_memory"):
        values = values.to_memory()
    return values.toarray() if issparse(values) else np.asarray(values)
