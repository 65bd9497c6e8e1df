"""Look up names in an AnnData: columns of obs, genes, entries of obsm."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from unprior._frames import align
from unprior._params import suggest
from unprior.priors._spelled import joined, read_spelled
from unprior.tl._representation import WITHIN, dense, find_modality, modalities


def find_priors(who: str, argument: str, adata: Any, value: Any) -> Any:
    """Return priors given by name, as on the command line, or as values matched by index."""
    names = Names(adata)

    def find(name: str) -> Any:
        return _by_type(column(who, argument, adata, name))

    def read(text: str) -> Any:
        return read_spelled(who, text, names, find)

    return _read_all(who, argument, adata, value, read)


def find_kept_labels(who: str, adata: Any, value: Any) -> Any:
    """Return kept labels given by the names of their columns, or as values matched by index."""
    return _read_all(who, "keep", adata, value, lambda name: column(who, "keep", adata, name))


def _read_all(who: str, argument: str, adata: Any, value: Any, read: Callable[[str], Any]) -> Any:
    parts = names_of(value)
    if parts is None:
        return align(who, argument, value, adata.obs_names, "adata")
    return {
        name: read(part)
        if isinstance(part, str)
        else align(who, name, part, adata.obs_names, "adata")
        for name, part in parts.items()
    }


def names_of(value: Any) -> dict[str, Any] | None:
    """Return a name, a list of names or a dict as a dict by name; None for anything else.

    A list of names as a value of a dict is one prior, such as the genes of the cell cycle.
    """
    if isinstance(value, str):
        return {value: value}
    if isinstance(value, Mapping):
        return {str(name): joined(part) for name, part in value.items()}
    if isinstance(value, list | tuple) and value and all(isinstance(name, str) for name in value):
        return {name: name for name in value}
    return None


class Names:
    """All names in an AnnData, looked up on demand because there may be very many genes."""

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
    """Return the slots in which names are looked up, and the names in each."""
    homes = {"obs": adata.obs.columns, "var_names": adata.var_names, "obsm": adata.obsm}
    raw = getattr(adata, "raw", None)
    return homes if raw is None else {**homes, "raw": raw.var_names}


def _in_modality(adata: Any, name: str) -> bool:
    first, _, rest = name.partition(WITHIN)
    modality = modalities(adata).get(first)
    return modality is not None and rest in Names(modality)


def column(who: str, argument: str, adata: Any, name: str) -> Any:
    """Return the values of a column of ``obs``, a gene, or an entry of ``obsm``."""
    homes = _homes(adata)
    found = [home for home, names in homes.items() if name in names]
    if "raw" in found and len(found) > 1:
        found.remove("raw")  # raw holds the genes before filtering
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
        message = (
            f"{who}: {argument!r} names {name!r}, which is not a column of obs, a gene or an entry "
            f"of obsm.{suggest(name, Names(adata))}"
        )
        raise ValueError(message)
    if found == ["obs"]:
        return adata.obs[name]
    if found == ["obsm"]:
        return dense(adata.obsm[name])
    # Gene expression is an amount, even if it is stored as whole numbers.
    source = adata.raw if found == ["raw"] else adata
    return dense(source[:, [name]].X).ravel().astype(np.float64)


def _by_type(values: Any) -> Any:
    """Return whole numbers as floats, so that they are read as amounts, not labels."""
    kind = getattr(values.dtype, "kind", "O")
    return values.astype(np.float64) if kind in "iu" else values
