"""Cells in two conditions → maps without their marker genes, and maps without the condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.metrics import adjusted_rand_score

from unprior import priors, scores
from unprior._typing import Floats
from unprior.reproduce import _methods as methods
from unprior.reproduce._cells import NEIGHBORS, purity_table
from unprior.reproduce._clusters import Clusters, complete_clusters, save_dendrogram
from unprior.reproduce._figures import save_compared
from unprior.reproduce._methods import Map, Task, draw_all
from unprior.reproduce._results import Section, area, figure, quotable, save_maps
from unprior.reproduce._rivals import rivals
from unprior.reproduce._setting import Setting

FILE = "sc_kang_pbmc.npz"
TITLE = "Cells: marker genes"
#: The paper's cut of its dendrogram.
PAPER_CUT = 1.8
#: The paper's methods, except sLLE⁻¹, which would have to solve as many equations as there are
#: genes: they also get the expression of all genes as data.
WITH_ALL_GENES = ("UMAP", "CONFETTI, λ = 2", "CONFETTI, default", "JEDI", "ct-SNE")
COUNTS = ("counts_data", "counts_indices", "counts_indptr")
CONDITIONS = np.array(["control", "stimulated"])


@dataclass(frozen=True, eq=False)
class MarkedCells:
    """Cells with their type and condition.

    Attributes
    ----------
    X, expression, markers : ndarray of shape (n_cells, n_columns)
        Principal components of gene expression, the expression of all genes, and of marker genes.
    types, conditions : ndarray of shape (n_cells,)
    """

    X: Floats
    expression: Floats
    markers: Floats
    types: NDArray[np.str_]
    conditions: NDArray[np.str_]


def run_markers(setting: Setting) -> Section:
    """Repeat the paper's experiment on cells, marker genes as prior, with other cells."""
    try:
        cells = _load(setting)
    except FileNotFoundError as error:
        return Section(TITLE, [f"**Skipped**: {error}"])
    clusters = complete_clusters(cells.markers, len(np.unique(cells.types)))
    save_dendrogram(clusters, setting.out / "markers_dendrogram.png")
    tasks = _tasks_without_markers(setting, cells, clusters)
    without_markers = draw_all(setting, "markers", tasks, cells.X)
    few = {name: tasks[name] for name in WITH_ALL_GENES}
    of_genes = draw_all(setting, "genes", few, cells.expression)
    without_condition = draw_all(
        setting, "condition", _tasks_without_condition(setting, cells), cells.X
    )
    return Section(
        TITLE,
        [
            *_show_markers(setting, cells, clusters, without_markers),
            "The same with all genes as data, log-normalised, in place of principal components:",
            quotable("genes", _markers_table(cells, of_genes)),
            *_show_condition(setting, cells, without_condition),
        ],
    )


def _load(setting: Setting) -> MarkedCells:
    names = ("pca50", "marker_expr", "cell_type_derived", "stim")
    X, markers, types, stimulated = setting.read(FILE, names)
    *counts, shape = setting.read(FILE, (*COUNTS, "shape"))
    rows = setting.subset(len(X))
    return MarkedCells(
        X[rows].astype(np.float64),
        log_normalized(csr_matrix(tuple(counts), shape=tuple(shape))[rows]),
        markers[rows].astype(np.float64),
        types[rows],
        CONDITIONS[stimulated[rows].astype(int)],
    )


def log_normalized(counts: csr_matrix) -> Floats:
    """Return log(1 + counts per 10 000 of the cell's), the usual scale of gene expression."""
    totals = np.asarray(counts.sum(axis=1), dtype=np.float64)
    return np.log1p(counts.toarray() * (1e4 / np.maximum(totals, 1)))


def _tasks_without_markers(
    setting: Setting, cells: MarkedCells, clusters: Clusters
) -> dict[str, Task]:
    """Give methods the distances of marker genes, or their clusters if they take labels only."""
    markers, labels = priors.features(cells.markers), priors.labels(clusters.labels)
    return {
        "UMAP": Task(methods.umap(setting, 0), markers),
        "CONFETTI, λ = 2": Task(methods.confetti_umap(setting, 0, strength=2.0), markers),
        "CONFETTI, default": Task(methods.confetti_umap(setting, 0, operator="auto"), markers),
        "JEDI": Task(methods.jedi(setting, 0), markers),
        "ct-SNE": Task(methods.conditional_tsne(setting, 0), labels),
        "sLLE⁻¹": Task(methods.inverse_slle(setting, 0), labels),
        "IndependentTSNE": Task(methods.independent_tsne(setting, 0), markers),
        **rivals(setting, 0, cells.X, numbers=markers, labels=labels),
    }


def _tasks_without_condition(setting: Setting, cells: MarkedCells) -> dict[str, Task]:
    condition = priors.labels(cells.conditions)
    return {
        "UMAP": Task(methods.umap(setting, 0), condition),
        "CONFETTI, λ = 1": Task(methods.confetti_umap(setting, 0, strength=1.0), condition),
        "CONFETTI, default": Task(methods.confetti_umap(setting, 0, operator="auto"), condition),
        "JEDI": Task(methods.jedi(setting, 0), condition),
        "IndependentTSNE": Task(methods.independent_tsne(setting, 0), condition),
        **rivals(setting, 0, cells.X, numbers=condition, labels=condition),
    }


def _show_markers(
    setting: Setting, cells: MarkedCells, clusters: Clusters, found: Mapping[str, Map]
) -> list[str]:
    """Draw the maps without marker genes, and return their part of the section."""
    n_paper = [*found].index("IndependentTSNE")
    _save_panels(setting, cells, found, "markers_maps", n_first=n_paper)
    n_paper_clusters = 1 + int((clusters.tree[:, 2] > PAPER_CUT).sum())
    agreement = adjusted_rand_score(cells.types, clusters.labels)
    return [
        quotable(
            "markers-about",
            f"{len(cells.X)} cells. The data are 50 principal components of gene expression, the "
            f"prior is the Euclidean distance in {cells.markers.shape[1]} marker genes. Methods "
            "that take labels only get clusters of the marker genes by complete linkage. The tree "
            f"is cut at {clusters.cut:.2f}, where there are as many clusters as cell types; their "
            f"adjusted Rand index with the types is {agreement:.2f}. The paper cuts at "
            f"{PAPER_CUT:g}, for other genes; here this would give {n_paper_clusters} clusters. "
            f"Purity is among {NEIGHBORS} map neighbours, 0 by chance; the area with the marker "
            "genes is signed.",
        ),
        quotable("markers", _markers_table(cells, found)),
        figure(
            "markers_dendrogram.png",
            "Marker genes by complete linkage; below the dashed line, a colour for each cluster.",
        ),
        figure(
            "markers_maps.png",
            "The marker genes factored out. Above, coloured by cell type, which should mix; below, "
            "by condition, which should show.",
        ),
        figure("markers_maps_others.png", "The same by methods that are not in the paper."),
    ]


def _markers_table(cells: MarkedCells, found: Mapping[str, Map]) -> str:
    """Return purities, and what is left of the marker genes."""
    markers = priors.features(cells.markers)
    left = {name: area(scores.overlap_area(m.embedding, markers)) for name, m in found.items()}
    more = {"area with the marker genes": left}
    return purity_table(found, cells.types, cells.conditions, "condition", more)


def _show_condition(setting: Setting, cells: MarkedCells, found: Mapping[str, Map]) -> list[str]:
    """Draw the maps without the condition, and return their part of the section."""
    n_ours = [*found].index("PARE")
    _save_panels(setting, cells, found, "markers_without_condition", n_first=n_ours)
    return [
        "### The condition as prior",
        "The paper's prior here is the tissue: cells of the same type from both tissues merge. "
        "These cells come from one tissue; the prior is whether they were stimulated.",
        quotable("condition", purity_table(found, cells.types, cells.conditions, "condition")),
        figure(
            "markers_without_condition.png",
            "The condition factored out: types should stay apart, above, and conditions mix, "
            "below.",
        ),
        figure("markers_without_condition_others.png", "The same by other methods."),
    ]


def _save_panels(
    setting: Setting, cells: MarkedCells, found: Mapping[str, Map], name: str, *, n_first: int
) -> None:
    maps = {method: m.embedding for method, m in found.items()}
    color = {"cell type": cells.types, "condition": cells.conditions}
    save_compared(setting.out, name, maps, color, n_first=n_first)
    save_maps(setting.out, name, maps)
