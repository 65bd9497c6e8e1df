"""The list of all kinds of priors, used by `as_prior`, the shell and its help, `tl` and files."""

from __future__ import annotations

from typing import Any

from unprior.priors._base import Kind, Prior
from unprior.priors._cyclic import CYCLIC
from unprior.priors._distances import DISTANCES
from unprior.priors._features import FEATURES
from unprior.priors._geo import GEO
from unprior.priors._graph import GRAPH
from unprior.priors._kernel import KERNEL
from unprior.priors._labels import LABELS
from unprior.priors._tree import TREE

#: Kinds by name, in the order of the help.
KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (LABELS, FEATURES, GEO, CYCLIC, TREE, DISTANCES, KERNEL, GRAPH)
}


def recognize(value: Any) -> Prior | None:
    """Return the prior of an object that can only mean one kind; None for any other object."""
    for kind in KINDS.values():
        if kind.recognizes is not None and kind.read is not None and kind.recognizes(value):
            return kind.read(value)
    return None


def square_calls() -> str:
    """Return the calls that say what a square array is: "priors.distances(D), ... or ..."."""
    *calls, last = [kind.square_call for kind in KINDS.values() if kind.square_call]
    return f"{', '.join(calls)} or {last}"


def examples(*, between_samples: bool = True) -> list[str]:
    """Return an example of each kind as written in the shell, optionally only those of columns."""
    kinds = KINDS.values()
    return [kind.example for kind in kinds if between_samples or not kind.between_samples]
