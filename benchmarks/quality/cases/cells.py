"""Measured cells and genomes: type, batch, patient, depth or place is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quality.case import (
    SIZE,
    Recipe,
    Samples,
    package_folder,
    read_arrays,
    some_rows,
    standardize,
)
from unprior import priors


def synovium_type(folder: Path | None) -> Samples:
    """Cells of the synovium: the type is known, the batch is to be seen."""
    X, types, batches = _synovium(folder)
    return Samples(X, priors.labels(types), batches)


def synovium_batch(folder: Path | None) -> Samples:
    """Cells of the synovium: the batch is known, types are to be seen."""
    X, types, batches = _synovium(folder)
    return Samples(X, priors.labels(batches), types)


def cytof_lineage(folder: Path | None) -> Samples:
    """Blood cells: lineage markers are known, stimulation is to be seen in the others."""
    file, rows = _cytof(folder)
    lineage = standardize(file["lineage"][rows])
    X = np.hstack([lineage, standardize(file["signalling"][rows])])
    return Samples(X, priors.features(lineage), file["stim"][rows])


def cytof_patient(folder: Path | None) -> Samples:
    """Blood cells of eight patients: the patient is known, populations are to be seen."""
    file, rows = _cytof(folder)
    X = np.hstack([standardize(file[key][rows]) for key in ("lineage", "signalling")])
    return Samples(X, priors.labels(file["patient"][rows]), file["population_derived"][rows])


def hgdp_place(folder: Path | None) -> Samples:
    """Human genomes and their homes: populations are nested in place, and no map can win."""
    file = read_arrays(folder, "hgdp_microsat.npz")
    place = priors.geo(file["lat"].astype(float), file["lon"].astype(float))
    return Samples(file["pca50"].astype(float), place, file["pop"])


def pbmc_depth(folder: Path | None) -> Samples:
    """Blood cells: how deeply each was sequenced is known, types are to be seen."""
    X, table = _pbmc()
    depth = np.log(table[["n_counts", "n_genes"]].to_numpy(dtype=float))
    return Samples(X, priors.features(standardize(depth)), np.asarray(table["bulk_labels"]))


def _synovium(folder: Path | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    file = read_arrays(folder, "sc_ra_synovium.npz")
    rows = some_rows(len(file["pcs"]))
    return tuple(file[key][rows] for key in ("pcs", "meta_celltype", "meta_batch"))


def _cytof(folder: Path | None):
    file = read_arrays(folder, "cytof_bcrxl.npz")
    return file, some_rows(len(file["stim"]), SIZE)


def _pbmc():
    """Read the cells that ship with scanpy: components and what is known of each cell."""
    path = package_folder("scanpy") / "datasets" / "10x_pbmc68k_reduced.h5ad"
    import anndata

    cells = anndata.read_h5ad(path)
    return np.asarray(cells.obsm["X_pca"], dtype=float), cells.obs


RECIPES = (
    Recipe("synovium-type", "open", "cell type known → batch", synovium_type),
    Recipe("synovium-batch", "open", "batch known → cell type", synovium_batch),
    Recipe("cytof-lineage", "open", "lineage markers known → stimulation", cytof_lineage),
    Recipe("cytof-patient", "open", "patient known → population", cytof_patient),
    Recipe("hgdp-place", "closed", "home known → population, nested in it", hgdp_place),
    Recipe("pbmc-depth", "closed", "sequencing depth known → cell type", pbmc_depth),
)
