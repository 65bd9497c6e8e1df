"""Names in an AnnData → what they stand for: columns of obs, genes, entries of obsm."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from unprior._frames import align
from unprior.priors._spelled import joined, read_spelled
from unprior.tl._representation import WITHIN, dense, find_modality, modalities


def knowledge(who: str, argument: str, adata: Any, value: Any) -> Any:
    """Return priors by the names given for them, as in the shell; values in the samples' order."""
    names = Names(adata)
    parts = names_of(value)
    if parts is None:
        return align(who, argument, value, adata.obs_names, "adata")

    def find(name: str) -> Any:
        return _by_type(column(who, argument, adata, name))

    return {
        name: read_spelled(who, part, names, find)
        if isinstance(part, str)
        else align(who, name, part, adata.obs_names, "adata")
        for name, part in parts.items()
    }


def kept_labels(who: str, adata: Any, value: Any) -> Any:
    """Return kept labels by the names of their columns; values in the samples' order."""
    parts = names_of(value)
    if parts is None:
        return align(who, "keep", value, adata.obs_names, "adata")
    return {
        name: column(who, "keep", adata, part)
        if isinstance(part, str)
        else align(who, name, part, adata.obs_names, "adata")
        for name, part in parts.items()
    }


def names_of(value: Any) -> dict[str, Any] | None:
    """Return what a name, a list of names or a dict stands for, by name; None for anything else.

    Several names in a dict are one prior: of genes, say, that tell the phase of the cell cycle.
    """
    if isinstance(value, str):
        return {value: value}
    if isinstance(value, Mapping):
        return {str(name): joined(part) for name, part in value.items()}
    if isinstance(value, list | tuple) and value and all(isinstance(name, str) for name in value):
        return {name: name for name in value}
    return None


class Names:
    """The names in an AnnData, to be asked for one at a time: there may be very many."""

    def __init__(self, adata: Any) -> None:
        self.adata = adata

    def __contains__(self, name: object) -> bool:
        homes = _homes(self.adata).values()
        return any(name in names for names in homes) or (
            isinstance(name, str) and _in_modality(self.adata, name)
        )

    def __iter__(self) -> Iterator[str]:
        return (str(name) for names in _homes(self.adata).values() for name in names)

    def __len__(self) -> int:
        return sum(len(names) for names in _homes(self.adata).values())


def _homes(adata: Any) -> dict[str, Any]:
    """Return where a name may be, and the names there."""
    homes = {"obs": adata.obs.columns, "var_names": adata.var_names, "obsm": adata.obsm}
    raw = getattr(adata, "raw", None)
    return homes if raw is None else {**homes, "raw": raw.var_names}


def _in_modality(adata: Any, name: str) -> bool:
    first, _, rest = name.partition(WITHIN)
    modality = modalities(adata).get(first)
    return modality is not None and rest in Names(modality)


def column(who: str, argument: str, adata: Any, name: str) -> Any:
    """Return what a name stands for: a column of ``obs``, a gene, or an entry of ``obsm``."""
    homes = _homes(adata)
    found = [home for home, names in homes.items() if name in names]
    if "raw" in found and len(found) > 1:
        found.remove("raw")  # which holds the genes before some were left out
    if len(found) > 1:
        message = (
            f"{who}: {argument!r} names {name!r}, which is in {' and in '.join(found)}; pass the "
            "values themselves, or rename one."
        )
        raise ValueError(message)
    if not found:
        within = find_modality(who, adata, name)
        if within is not None:
            return column(who, argument, *within)
        close = difflib.get_close_matches(name, [*Names(adata)], n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        message = (
            f"{who}: {argument!r} names {name!r}, which is no column of obs, no gene and no entry "
            f"of obsm.{hint}"
        )
        raise ValueError(message)
    if found == ["obs"]:
        return adata.obs[name]
    if found == ["obsm"]:
        return dense(adata.obsm[name])
    # Expression of a gene is an amount, even where it is counted in whole numbers.
    held = adata.raw if found == ["raw"] else adata
    return dense(held[:, [name]].X).ravel().astype(np.float64)


def _by_type(values: Any) -> Any:
    """Return values by their type: categories and words are labels, numbers are amounts."""
    kind = getattr(values.dtype, "kind", "O")
    return values.astype(np.float64) if kind in "iu" else values
