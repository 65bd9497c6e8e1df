"""Maps of cells with two labels each → a table of how pure map neighbours are in either."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior import scores
from unprior._typing import Floats
from unprior.reproduce._methods import Map
from unprior.reproduce._results import table

NEIGHBORS = 15


def purity_table(
    found: Mapping[str, Map],
    types: NDArray[Any],
    others: NDArray[Any],
    name: str,
    more: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Put the purity of cell types and of another label side by side, one row for each map.

    Parameters
    ----------
    found : dict of str to Map
        The maps by name.
    types, others : ndarray of shape (n_cells,)
        The type of every cell, and its other label.
    name : str
        What the other label is, for the header.
    more : dict of str to dict of str to str, optional
        Further columns by their title: cells of the table by the map's name.
    """
    more = more or {}
    header = ["", "type purity", f"{name} purity", f"{name} purity within types"]
    rows = [
        [
            method,
            f"{scores.neighbor_purity(m.embedding, types, NEIGHBORS):.3f}",
            f"{scores.neighbor_purity(m.embedding, others, NEIGHBORS):.3f}",
            f"{purity_within(m.embedding, types, others):.3f}",
            *(column[method] for column in more.values()),
            f"{m.seconds:.1f}",
        ]
        for method, m in found.items()
    ]
    return table([*header, *more, "seconds"], rows)


def purity_within(Y: Floats, types: NDArray[Any], others: NDArray[Any]) -> float:
    """Return the purity of a label among cells of one type, on average over cells."""
    total, n_cells = 0.0, 0
    for name in np.unique(types):
        rows = types == name
        if rows.sum() > NEIGHBORS and len(np.unique(others[rows])) > 1:
            total += rows.sum() * scores.neighbor_purity(Y[rows], others[rows], NEIGHBORS)
            n_cells += rows.sum()
    return total / n_cells
