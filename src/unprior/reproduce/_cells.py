"""Cells of several types and batches → maps without the type, and maps without the batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior import priors, scores
from unprior._typing import Floats
from unprior.reproduce import _methods as methods
from unprior.reproduce._figures import save_compared
from unprior.reproduce._methods import Map, Task, draw_all
from unprior.reproduce._results import Section, figure, quotable, save_maps, table
from unprior.reproduce._rivals import rivals
from unprior.reproduce._setting import Setting

FILE = "sc_ra_synovium.npz"
TITLE = "Cells: types and batches"
NEIGHBORS = 15


def run_cells(setting: Setting) -> Section:
    """Repeat the experiment on single cells, with data of the same kind and labels as priors."""
    try:
        X, types, batches = setting.read(FILE, ("pcs", "meta_celltype", "meta_batch"))
    except FileNotFoundError as error:
        return Section(TITLE, [f"**Skipped**: {error}"])
    rows = setting.subset(len(X))
    X, types, batches = X[rows].astype(np.float64), types[rows], batches[rows]
    found = draw_all(setting, "cells", _tasks(setting, X, types, batches), X)
    blocks = [
        quotable(
            "cells-about",
            f"{len(X)} cells of {len(np.unique(types))} types and {len(np.unique(batches))} "
            f"batches. Purity is among {NEIGHBORS} map neighbours, 0 by chance; within types, "
            "neighbours are found among cells of the same type only.",
        ),
        quotable("cells", purity_table(found, types, batches, "batch")),
    ]
    maps = {name: m.embedding for name, m in found.items()}
    save_maps(setting.out, "cells", maps)
    for removed, question in (
        ("type", "do batches show?"),
        ("batch", "do cell types stay apart?"),
    ):
        ending = f" without {removed}"
        shown = {
            name.removesuffix(ending).rstrip(","): Y
            for name, Y in maps.items()
            if name == "UMAP" or name.endswith(ending)
        }
        name, color = f"cells_without_{removed}", {"cell type": types, "batch": batches}
        save_compared(setting.out, name, shown, color, n_first=[*shown].index("PARE"))
        blocks += [
            figure(f"{name}.png", f"The {removed} factored out: {question}"),
            figure(f"{name}_others.png", "The same by other methods."),
        ]
    return Section(TITLE, blocks)


def _tasks(
    setting: Setting, X: Floats, types: NDArray[np.str_], batches: NDArray[np.str_]
) -> dict[str, Task]:
    known = {"type": priors.labels(types), "batch": priors.labels(batches)}
    tasks = {"UMAP": Task(methods.umap(setting, 0), known["type"])}
    for name, prior in known.items():
        ours = {
            "JEDI": methods.jedi(setting, 0),
            "CONFETTI, λ = 1,": methods.confetti_umap(setting, 0, strength=1.0),
            "CONFETTI, default,": methods.confetti_umap(setting, 0, operator="auto"),
            "IndependentTSNE": methods.independent_tsne(setting, 0),
        }
        tasks |= {f"{method} without {name}": Task(e, prior) for method, e in ours.items()}
        others = rivals(setting, 0, X, numbers=prior, labels=prior)
        tasks |= {f"{method} without {name}": task for method, task in others.items()}
    return tasks


def purity_table(
    found: Mapping[str, Map],
    types: NDArray[Any],
    others: NDArray[Any],
    name: str,
    more: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Return the purity of cell types and of another label among map neighbours, a row per map.

    Parameters
    ----------
    found : dict of str to Map
        The maps by name.
    types, others : ndarray of shape (n_cells,)
        The type of every cell, and its other label.
    name : str
        Name of the other label, for the header.
    more : dict of str to dict of str to str, optional
        Further columns by title, with one entry for each map.
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
    return table([*header, *more, "CPU seconds"], rows)


def purity_within(Y: Floats, types: NDArray[Any], others: NDArray[Any]) -> float:
    """Return the purity of a label among cells of the same type, averaged over cells."""
    total, n_cells = 0.0, 0
    for name in np.unique(types):
        rows = types == name
        if rows.sum() > NEIGHBORS and len(np.unique(others[rows])) > 1:
            total += rows.sum() * scores.neighbor_purity(Y[rows], others[rows], NEIGHBORS)
            n_cells += rows.sum()
    return total / n_cells
