"""Cells of several types and batches → maps without the types, and maps without the batches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unprior import plot, priors
from unprior._typing import Floats
from unprior.reproduce import _methods as methods
from unprior.reproduce._cell_scores import NEIGHBORS, purity_table
from unprior.reproduce._figures import save
from unprior.reproduce._files import read_arrays
from unprior.reproduce._methods import Map, Task, draw_all
from unprior.reproduce._results import Section, figure, save_maps
from unprior.reproduce._rivals import rivals
from unprior.reproduce._setting import Setting

FILE = "sc_ra_synovium.npz"
TITLE = "Cells: types and batches"


@dataclass(frozen=True, eq=False)
class Cells:
    """Principal components of gene expression, and the type and batch of every cell."""

    X: Floats
    types: NDArray[np.str_]
    batches: NDArray[np.str_]


def run_cells(setting: Setting) -> Section:
    """Redo the experiment on single cells, with data of the same kind, if they are there."""
    try:
        cells = _load(setting)
    except FileNotFoundError as error:
        return Section(TITLE, [f"**Skipped**: {error}"])
    return Section(TITLE, _show(setting, cells, _draw_maps(setting, cells)))


def _load(setting: Setting) -> Cells:
    names = ("pcs", "meta_celltype", "meta_batch")
    X, types, batches = read_arrays(setting.data, FILE, names).values()
    rng = np.random.RandomState(0)
    rows = np.sort(rng.choice(len(X), setting.samples(len(X)), replace=False))
    return Cells(X[rows].astype(np.float64), types[rows], batches[rows])


def _draw_maps(setting: Setting, cells: Cells) -> dict[str, Map]:
    known = {"type": priors.labels(cells.types), "batch": priors.labels(cells.batches)}
    tasks = {"UMAP": Task(methods.umap(setting, 0), known["type"])}
    for name, prior in known.items():
        tasks[f"JEDI without {name}"] = Task(methods.jedi(setting, 0), prior)
        tasks[f"CONFETTI without {name}"] = Task(
            methods.confetti_umap(setting, 0, strength=1.0), prior
        )
        tasks[f"CONFETTI, quantile, without {name}"] = Task(
            methods.confetti_umap(setting, 0, operator="quantile"), prior
        )
        tasks[f"IndependentTSNE without {name}"] = Task(methods.independent_tsne(setting, 0), prior)
        others = rivals(setting, 0, cells.X, numbers=prior, labels=prior)
        tasks.update({f"{rival} without {name}": task for rival, task in others.items()})
    return draw_all(setting, "cells", tasks, cells.X)


def _show(setting: Setting, cells: Cells, found: dict[str, Map]) -> list[str]:
    """Draw the maps, and return the section."""
    maps = {name: m.embedding for name, m in found.items()}
    for known in ("type", "batch"):
        shown = {
            name.removesuffix(f" without {known}").rstrip(","): Y
            for name, Y in maps.items()
            if name == "UMAP" or name.endswith(known)
        }
        axes = plot.compare(shown, color={"cell type": cells.types, "batch": cells.batches})
        save(axes[0, 0].figure, setting.out / f"cells_without_{known}.png")
    save_maps(setting.out, "cells", maps)
    return [
        f"{len(cells.X)} cells of {len(np.unique(cells.types))} types and "
        f"{len(np.unique(cells.batches))} batches: other data than the paper's, with labels as "
        f"priors. Purity among {NEIGHBORS} neighbours, 0 by chance; within types, neighbours are "
        "sought among cells of the same type only.",
        purity_table(found, cells.types, cells.batches, "batch"),
        figure("cells_without_type.png", "The cell type factored out: are batches to be seen?"),
        figure("cells_without_batch.png", "The batch factored out: do cell types stay apart?"),
    ]
