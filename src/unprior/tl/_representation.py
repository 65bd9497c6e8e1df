"""Read the data of an AnnData, MuData or SpatialData by name (``use_rep``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from unprior._params import Kind, Whole, check_value

ANNDATA = Kind(
    "an AnnData", lambda value: all(hasattr(value, slot) for slot in ("obs", "obsm", "obsp", "uns"))
)

#: Separator between a modality of MuData and a name in it.
WITHIN = ":"


def as_anndata(who: str, adata: Any) -> Any:
    """Return an AnnData or MuData unchanged, and the only table of a SpatialData."""
    tables = getattr(adata, "tables", None)
    if tables is None or hasattr(adata, "obs"):
        check_value(who, "adata", adata, ANNDATA)
        return adata
    if len(tables) != 1:
        message = (
            f"{who}: 'adata' takes an AnnData, or SpatialData with one table; got {len(tables)} "
            f"({', '.join(map(str, tables))}). Give one, for example sdata.tables[...]."
        )
        raise ValueError(message)
    return next(iter(tables.values()))


def modalities(adata: Any) -> dict[str, Any]:
    """Return the modalities of MuData by name; an empty dict for AnnData."""
    return dict(getattr(adata, "mod", None) or {})


def find_modality(who: str, adata: Any, name: str) -> tuple[Any, str] | None:
    """Return the modality in a name such as "rna:X_pca", and the name within it, if any.

    The modality must have all samples in the same order.
    """
    first, mark, rest = name.partition(WITHIN)
    modality = modalities(adata).get(first) if mark else None
    if modality is None:
        return None
    if not modality.obs_names.equals(adata.obs_names):
        message = (
            f"{who}: {name!r} is in the modality {first!r}, which lacks some samples or has them "
            "in another order; run mu.pp.intersect_obs(mdata) first."
        )
        raise ValueError(message)
    return modality, rest


#: X is the data by default if it has at most this many variables; above, its components are.
FEW_VARIABLES = 50


def representation(
    who: str,
    adata: Any,
    use_rep: str | None,
    *,
    layer: str | None = None,
    n_pcs: int | None = None,
) -> tuple[str, Any]:
    """Return the data, and their name: "X" (also for layers), "raw", or an entry of ``obsm``."""
    check_value(who, "adata", adata, ANNDATA)
    if layer is not None:
        return _layer(who, adata, use_rep, layer, n_pcs)
    if use_rep is None:
        use_rep = _default(who, adata, n_pcs)
    if use_rep == "X" and getattr(adata, "X", None) is not None:
        _refuse_count(who, n_pcs, "X")
        return use_rep, readable(adata.X)
    if use_rep == "raw" and getattr(adata, "raw", None) is not None:
        _refuse_count(who, n_pcs, "raw")
        return use_rep, readable(adata.raw.X)
    found = None if use_rep in adata.obsm else find_modality(who, adata, use_rep)
    if found is not None:
        return use_rep, representation(who, found[0], found[1] or None, n_pcs=n_pcs)[1]
    if use_rep not in adata.obsm:
        within = [f"{name}:..." for name in modalities(adata)]
        message = f"{who}: 'use_rep' takes 'X' or one of {[*adata.obsm, *within]}; got {use_rep!r}."
        raise ValueError(message)
    values = readable(adata.obsm[use_rep])
    if n_pcs is None:
        return use_rep, values
    check_value(who, "n_pcs", n_pcs, Whole(1, values.shape[1]))
    return use_rep, values[:, :n_pcs]


def _default(who: str, adata: Any, n_pcs: int | None) -> str:
    """Return the default data: "X" if it has few variables, else "X_pca"."""
    if modalities(adata):
        some = next(iter(modalities(adata)))
        message = (
            f"{who}: 'adata' has several modalities, {[*modalities(adata)]}; name the data with "
            f"use_rep, for example '{some}:X_pca' or one of {[*adata.obsm]}."
        )
        raise ValueError(message)
    if n_pcs == 0 or (n_pcs is None and adata.n_vars <= FEW_VARIABLES):
        return "X"  # scanpy's meaning of 0
    if "X_pca" in adata.obsm:
        return "X_pca"
    message = (
        f"{who}: 'adata' has {adata.n_vars} variables and no obsm['X_pca']; run "
        "sc.pp.pca(adata) first, or name the data with use_rep."
    )
    raise ValueError(message)


def _layer(
    who: str, adata: Any, use_rep: str | None, layer: str, n_pcs: int | None
) -> tuple[str, Any]:
    if use_rep not in (None, "X"):
        message = f"{who}: 'layer' replaces X; got use_rep={use_rep!r} as well. Give one of them."
        raise ValueError(message)
    _refuse_count(who, n_pcs, "a layer")
    if layer not in adata.layers:
        message = f"{who}: 'layer' takes one of {[*adata.layers]}; got {layer!r}."
        raise ValueError(message)
    return "X", readable(adata.layers[layer])


def _refuse_count(who: str, n_pcs: int | None, what: str) -> None:
    if n_pcs:
        message = (
            f"{who}: 'n_pcs' is a number of principal components, but the data are {what}; run "
            "sc.pp.pca(adata) and leave use_rep out, or leave n_pcs out."
        )
        raise ValueError(message)


def readable(values: Any) -> Any:
    """Read data that may be sparse, backed or chunked; only wide sparse data stay sparse."""
    values = _in_memory(values)
    if issparse(values):
        return values.toarray() if values.shape[1] <= FEW_VARIABLES else values
    return np.asarray(values)


def dense(values: Any) -> NDArray[Any]:
    """Read an array that may be sparse, backed, or both, as a dense one."""
    values = _in_memory(values)
    return values.toarray() if issparse(values) else np.asarray(values)


def _in_memory(values: Any) -> Any:
    if hasattr(values, "to_memory"):
        values = values.to_memory()
    return values.compute() if hasattr(values, "compute") else values
