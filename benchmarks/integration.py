"""Batch integration by several methods: a table of batch removal and biology, side by side.

    python benchmarks/integration.py --data DIR

Needs scib-metrics, harmonypy, bbknn, scanorama and scanpy (benchmarks/requirements.txt); methods
whose package is missing are left out. Every method returns corrected coordinates or a graph, from
which the 90 nearest neighbours of each cell are taken. No map is drawn.

*Batch* is the mean of scib-metrics' iLISI, kBET per label and graph connectivity; *biology* that of
cLISI and of NMI and ARI of Leiden clusters. All six need neighbours only, so that coordinates and
graphs can be compared. *Total* is .4 batch + .6 biology. *All metrics* is the same total with all
default metrics of scib-metrics, which need coordinates. The library's own scores are of the 15
nearest neighbours: *kept*, the rescaled purity of cell types, and *left within*, how much more
alike in batch they are than random cells of the neighbour's type.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from quality.case import Samples, read_arrays, some_rows
from quality.cases import load_case
from quality.rivals import combat, harmony_corrected
from quality.scores import NEIGHBORS, nearest, purity, purity_within

import unprior as up
from unprior.priors import Labels, labels

ROOT = Path(__file__).resolve().parent.parent
HEADER = (
    "data",
    "method",
    "batch",
    "biology",
    "total",
    "all metrics",
    "kept",
    "left within",
)

#: Marks in the page, between which the table is written.
BEGIN, END = "<!-- table of benchmarks/integration.py -->", "<!-- end of the table -->"

#: Neighbours that scib-metrics asks for, the cell itself among them.
MOST_NEIGHBORS = 90


@dataclass(frozen=True)
class Integrated:
    """The 90 nearest neighbours of every cell, nearest first, and coordinates if there are any."""

    indices: np.ndarray
    distances: np.ndarray
    coordinates: np.ndarray | None = None


# ---------------------------------------------------------------------------------- data


def kang(folder: Path) -> Samples:
    """Blood cells with and without interferon: the same types in both."""
    file = read_arrays(folder, "sc_kang_pbmc.npz")
    return Samples(file["pca50"].astype(float), labels(file["stim"]), file["cell_type_derived"])


def synovium(folder: Path) -> Samples:
    """Cells of 24 batches, some of which lack types."""
    file = read_arrays(folder, "sc_ra_synovium.npz")
    rows = some_rows(len(file["pcs"]), 2000)
    X, types = file["pcs"][rows].astype(float), file["meta_celltype"][rows]
    return Samples(X, labels(file["meta_batch"][rows]), types)


def shallow_and_deep(folder: Path) -> Samples:
    """Blood cells that come with scanpy; the batch is the depth, below or above the median."""
    import scanpy as sc

    cells = sc.datasets.pbmc68k_reduced()
    depth = cells.obs["n_counts"].to_numpy()
    types = cells.obs["bulk_labels"].to_numpy().astype(str)
    X = cells.obsm["X_pca"].astype(float)
    return Samples(X, labels((depth > np.median(depth)).astype(int)), types)


def generated(folder: Path, name: str) -> Samples:
    """An open case of the quality benchmark."""
    return load_case(name)


DATA: dict[str, Callable[[Path], Samples]] = {
    "Kang: two conditions, the same types": kang,
    "synovium: 24 batches, some lack types": synovium,
    "PBMC: shallow and deep cells": shallow_and_deep,
    "generated: four batches, two of six types missing": partial(generated, name="shares-missing"),
    "generated: large shift, the same types": partial(generated, name="shift-80"),
}


# ------------------------------------------------------------------------------- methods


def coordinates(Z: np.ndarray) -> Integrated:
    """Find the neighbours of corrected cells."""
    distances, indices = nearest(Z, MOST_NEIGHBORS - 1)
    return Integrated(*_with_self(indices, distances), Z)


def residual(X: np.ndarray, batch: Labels, kind: str) -> Integrated:
    """Correct by a residual of this library."""
    return coordinates(up.Residual(kind).fit_transform(X, prior=batch))


def confetti(X: np.ndarray, batch: Labels, operator: str) -> Integrated:
    """Take the graph of this library."""
    finder = up.ConfettiNeighbors(MOST_NEIGHBORS - 1, operator=operator, n_jobs=1)
    return _from_graph(finder.fit_transform(X, prior=batch))


def bbknn(X: np.ndarray, batch: Labels) -> Integrated:
    """Take BBKNN's graph, with as many neighbours in each batch as make 90 in all."""
    import bbknn.matrix

    each = -(-MOST_NEIGHBORS // len(batch.classes))
    each = min(each, int(batch.counts.min()))
    distances, _, _ = bbknn.matrix.bbknn(
        X.astype(np.float32),
        batch.codes.astype(str),
        neighbors_within_batch=each,
        trim=0,
        approx=False,
        use_faiss=False,
    )
    return _from_graph(distances, batch.codes)


def scanorama(X: np.ndarray, batch: Labels) -> Integrated:
    """Correct by scanorama, as scanpy calls it."""
    from scanorama import assemble

    rows = [np.flatnonzero(batch.codes == code) for code in range(len(batch.classes))]
    np.random.seed(0)  # noqa: NPY002, TID251 (scanorama uses the global generator)
    found = assemble([X[own].copy() for own in rows], knn=20, approx=False)
    Z = np.empty_like(X)
    Z[np.concatenate(rows)] = np.concatenate(found)
    return coordinates(Z)


def _from_graph(graph, batches: np.ndarray | None = None) -> Integrated:
    """Return the nearest in each row of a sparse graph of distances; all rows the same number.

    With ``batches``, the nearest of every batch come first, then the second nearest, and so on: so
    the first few neighbours are balanced as BBKNN means them to be.
    """
    rows = []
    for i, row in enumerate(graph.tocsr()):
        others = row.indices != i
        found, lengths = row.indices[others], row.data[others]
        order = np.argsort(lengths, kind="stable")
        if batches is not None:
            own = batches[found[order]]
            rank = [np.count_nonzero(own[:place] == each) for place, each in enumerate(own)]
            order = order[np.argsort(rank, kind="stable")]
        rows.append((found[order], lengths[order]))
    k = min(MOST_NEIGHBORS - 1, *(len(found) for found, _ in rows))
    indices = np.array([found[:k] for found, _ in rows])
    distances = np.array([lengths[:k] for _, lengths in rows])
    return Integrated(*_with_self(indices, distances))


def _with_self(indices: np.ndarray, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    own = np.arange(len(indices))[:, None]
    return np.hstack([own, indices]), np.hstack([np.zeros_like(own, dtype=float), distances])


METHODS: dict[str, Callable[[np.ndarray, Labels], Integrated]] = {
    "no correction (PCA)": lambda X, batch: coordinates(X),
    "Harmony": lambda X, batch: coordinates(harmony_corrected(X, batch, 0)),
    "ComBat": lambda X, batch: coordinates(combat(X, batch)),
    "scanorama": scanorama,
    "BBKNN, graph": bbknn,
    '`Residual("auto")`, as `tl.residual`': partial(residual, kind="auto"),
    '`Residual("clustered")`': partial(residual, kind="clustered"),
    '`Residual("aligned")`': partial(residual, kind="aligned"),
    "`ConfettiNeighbors`, auto": partial(confetti, operator="auto"),
    "`ConfettiNeighbors`, balanced": partial(confetti, operator="balanced"),
    "`ConfettiNeighbors`, quantile": partial(confetti, operator="quantile"),
}


# -------------------------------------------------------------------------------- scores


def scib_scores(found: Integrated, samples: Samples) -> tuple[float, float, float]:
    """Return batch and biology by neighbours, and the total of all metrics (NaN for a graph)."""
    import scib_metrics as scib
    from scib_metrics.nearest_neighbors import NeighborsResults

    near = NeighborsResults(found.indices, found.distances.astype(np.float32))
    few, some = near.subset_neighbors(n=15), near.subset_neighbors(n=min(50, near.n_neighbors))
    codes = samples.prior.codes
    types = np.unique(samples.hidden, return_inverse=True)[1]
    clusters = scib.nmi_ari_cluster_labels_leiden(few, types)
    mixing = [
        scib.ilisi_knn(near, codes),
        scib.kbet_per_label(some, codes, types),
        scib.graph_connectivity(few, types),
    ]
    separation = scib.clisi_knn(near, types)
    batch, biology = np.mean(mixing), np.mean([separation, *clusters.values()])
    if found.coordinates is None:
        return float(batch), float(biology), float("nan")
    Z = found.coordinates.astype(np.float32)
    kmeans = scib.nmi_ari_cluster_labels_kmeans(Z, types)
    all_batch = [
        *mixing,
        scib.bras(Z, types, codes),
        scib.pcr_comparison(samples.X.astype(np.float32), Z, codes, categorical=True),
    ]
    all_biology = [
        separation,
        *kmeans.values(),
        scib.silhouette_label(Z, types),
        scib.isolated_labels(Z, types, codes),
    ]
    return float(batch), float(biology), float(total(np.mean(all_batch), np.mean(all_biology)))


def total(batch: float, biology: float) -> float:
    """Weigh batch and biology as scib-metrics does."""
    return 0.4 * batch + 0.6 * biology


def score(found: Integrated, samples: Samples) -> list[float]:
    """Return the scores of a row of the table."""
    near = found.indices[:, 1 : NEIGHBORS + 1]
    kept = purity(samples.hidden, near)
    left = purity_within(samples.prior.codes, samples.hidden, near)
    batch, biology, everything = scib_scores(found, samples)
    return [batch, biology, total(batch, biology), everything, kept, left]


def lines(folder: Path) -> list[tuple[str, ...]]:
    """Run every method on every data set."""
    found = []
    for title, load in DATA.items():
        samples = load(folder)
        for name, method in METHODS.items():
            try:
                integrated = method(samples.X, samples.prior)
            except ImportError as error:
                print(f"left out: {name} ({error})")
                continue
            values = score(integrated, samples)
            shown = ["–" if np.isnan(value) else f"{value:.3f}" for value in values]
            found.append((title, name, *shown))
            print(*found[-1], sep="  ", flush=True)
    return found


def write_between(page: Path, table: str) -> None:
    """Replace what is between the two marks of the page."""
    before, rest = page.read_text("utf-8").split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{rest.split(END)[1]}", "utf-8")


def main() -> None:
    """Write the table into the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--page", type=Path, default=ROOT / "docs/integration.md")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # noqa: TID251 (of rivals)
        rows = [HEADER, (":--",) * len(HEADER), *lines(options.data)]
    write_between(options.page, "\n".join(f"| {' | '.join(row)} |" for row in rows))


if __name__ == "__main__":
    main()
