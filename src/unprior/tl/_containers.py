"""What scverse keeps data in → the AnnData among it, and what its names stand for."""

from __future__ import annotations

from typing import Any

from unprior._params import Kind, check_value

ANNDATA = Kind(
    "an AnnData", lambda value: all(hasattr(value, slot) for slot in ("obs", "obsm", "obsp", "uns"))
)

#: What stands between a modality of MuData and a name in it.
WITHIN = ":"


def annotated(who: str, adata: Any) -> Any:
    """Return an AnnData or MuData as it is, and of SpatialData the only table."""
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
    """Return the modalities of MuData by name; none of an AnnData."""
    return dict(getattr(adata, "mod", None) or {})


def find_modality(who: str, adata: Any, name: str) -> tuple[Any, str] | None:
    """Return the modality that a name such as "rna:X_pca" is in, and the name within it.

    It must have all samples, in the same order: those of other modalities are not known there.
    """
    first, mark, rest = name.partition(WITHIN)
    modality = modalities(adata).get(first) if mark else None
    if modality is None:
        return None
    if not modality.obs_names.equals(adata.obs_names):
        message = (
            f"{who}: {name!r} is in the modality {first!r}, which lacks some samples or has them "
            "in another order; take those that all have, with mu.pp.intersect_obs(mdata)."
        )
        raise ValueError(message)
    return modality, rest
