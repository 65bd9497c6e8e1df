"""Look up the priors and kept labels that a page refers to, and check them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior.explorer._data import ExplorerData
from unprior.explorer._maps import Factored, Kept, Tree
from unprior.priors import Prior, embedding, labels, read_keep
from unprior.scores._confounding import confounding_of


def find_priors(factored: Sequence[Factored], data: ExplorerData, tree: Tree) -> dict[str, Prior]:
    """Return the priors by name; refuse what cannot be factored out."""
    return {part.name: _prior(part, data, tree) for part in factored}


def find_keep(keep: Sequence[Kept], data: ExplorerData) -> dict[str, NDArray[Any]]:
    """Return the labels to keep by name, None where one is missing; refuse constant ones."""
    found = {part.name: _labels(part, data) for part in keep}
    for name, values in found.items():
        if len({*values.tolist()} - {None}) < 2:
            message = f"{name!r} cannot be kept: it has only one class."
            raise ValueError(message)
    return found


def check_both(factored: Sequence[Factored], keep: Sequence[Kept]) -> None:
    """Refuse anything that is both factored out and kept."""
    kept = {(part.source, part.what) for part in keep}
    for part in factored:
        if (part.source, part.what) in kept or part.name in [each.name for each in keep]:
            message = f"{part.name!r} is both factored out and kept; remove it from one of the two."
            raise ValueError(message)


def describe_confounding(
    factored: Sequence[Factored], keep: Sequence[Kept], data: ExplorerData, tree: Tree
) -> list[dict[str, Any]]:
    """Describe how strongly each prior is associated with the kept labels."""
    kept = read_keep("explore", find_keep(keep, data) or None)
    if kept is None:
        return []
    found = [
        confounding_of((name, prior), (kept.name, kept))
        for name, prior in find_priors(factored, data, tree).items()
    ]
    return [{"text": each.sentence(), "strong": each.is_strong} for each in found]


def name_kept(keep: Sequence[Kept]) -> str:
    """Return one name for all kept labels."""
    return " and ".join(part.name for part in keep)


def name_map(factored: Sequence[Factored], keep: Sequence[Kept]) -> str:
    """Return the name of a map, by what was factored out and what was kept."""
    parts = [
        part.name if part.strength == 1 else f"{part.strength:g} of {part.name}"
        for part in factored
    ]
    kept = f" ({name_kept(keep)} kept)" if keep else ""
    return "without " + ", ".join(parts) + kept


def _prior(part: Factored, data: ExplorerData, tree: Tree) -> Prior:
    if part.source == "known":
        return data.priors[part.what]
    if part.source == "column":
        prior = data.column(part.what).to_prior()
        if prior.is_constant():
            message = f"{part.name!r} cannot be factored out: {prior.describe_constant()}."
            raise ValueError(message)
        return prior
    if part.source == "map":
        return embedding(tree[part.what].Y)
    return labels(_selection("factor out", part.what, data.n_samples))


def _labels(part: Kept, data: ExplorerData) -> NDArray[Any]:
    if part.source == "column":
        return data.column(part.what).to_labels()
    return _selection("keep", part.what, data.n_samples)


def _selection(what_for: str, rows: Sequence[int], n_samples: int) -> NDArray[Any]:
    if not 0 < len(rows) < n_samples:
        message = f"A selection to {what_for} takes some samples, but not all."
        raise ValueError(message)
    chosen = np.full(n_samples, "others", dtype="U8")
    chosen[list(rows)] = "selected"
    return chosen
