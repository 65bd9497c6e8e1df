"""Loaders of real data that ship with other packages: measurements with several labels."""

from __future__ import annotations

import csv
import importlib.util
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats

MEASUREMENTS = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")
PENGUIN_LABELS = ("species", "sex", "island", "year")
PBMC_LABELS = ("bulk_labels", "louvain", "phase")


@dataclass(frozen=True, eq=False, repr=False)
class LabelledData:
    """Measured samples with several labels each.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The measurements, in their own units; no value is missing.
    feature_names : tuple of str
        Names of the columns of ``X``, with units.
    labels : dict of str to ndarray of str, shape (n_samples,)
        Labels of each sample, by name.
    """

    X: Floats
    feature_names: tuple[str, ...]
    labels: Mapping[str, NDArray[Any]]

    def __repr__(self) -> str:
        return (
            f"<labelled data: {self.X.shape[0]} samples, {self.X.shape[1]} features, labels "
            f"{', '.join(self.labels)}>"
        )


def load_penguins() -> LabelledData:
    """Load the Palmer penguins: four body measurements of three species, and each bird's sex.

    Only birds with all measurements and labels are kept, 333 of 344. Needs the package
    palmerpenguins, which contains the table (``pip install "unprior[demo]"``); nothing is
    downloaded.

    Returns
    -------
    data : LabelledData
        ``X`` holds bill length, bill depth and flipper length in mm and body mass in g; ``labels``
        holds "species", "sex", "island" and "year".

    Notes
    -----
    Measured by K. Gorman at Palmer Station; published by A. Horst, A. Hill and K. Gorman under CC0.

    Examples
    --------
    >>> from unprior.datasets import load_penguins
    >>> penguins = load_penguins()
    >>> penguins
    <labelled data: 333 samples, 4 features, labels species, sex, island, year>
    >>> sorted(set(penguins.labels["species"].tolist()))
    ['Adelie', 'Chinstrap', 'Gentoo']
    """
    with _penguins_table().open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if "NA" not in row.values()]
    return LabelledData(
        X=np.array([[float(row[name]) for name in MEASUREMENTS] for row in rows]),
        feature_names=MEASUREMENTS,
        labels={name: np.array([row[name] for row in rows]) for name in PENGUIN_LABELS},
    )


def _penguins_table() -> Path:
    """Find the table without importing its package, which would import pandas."""
    package = importlib.util.find_spec("palmerpenguins")
    if package is None or package.origin is None:
        message = (
            "load_penguins needs the package palmerpenguins, which is not installed; "
            'pip install "unprior[demo]".'
        )
        raise ImportError(message)
    return Path(package.origin).parent / "data" / "penguins.csv"


def load_pbmc68k() -> LabelledData:
    """Load 700 peripheral blood cells, a reduced version of 10x Genomics' 68 000.

    Needs the packages anndata and scanpy; the file comes with scanpy
    (``pip install "unprior[anndata]"``), and nothing is downloaded.

    Returns
    -------
    data : LabelledData
        ``X`` holds the expression of 765 variable genes, in logarithms, each gene centred and
        divided by its spread; ``feature_names`` the genes; ``labels`` the cell type
        ("bulk_labels"), a clustering ("louvain") and the phase of the cell cycle ("phase").

    References
    ----------
    Zheng et al., "Massively parallel digital transcriptional profiling of single cells", Nature
    Communications 2017.

    Examples
    --------
    >>> from unprior.datasets import load_pbmc68k
    >>> load_pbmc68k()
    <labelled data: 700 samples, 765 features, labels bulk_labels, louvain, phase>
    """
    path = _pbmc_file()
    import anndata

    with warnings.catch_warnings():
        # anndata warns about the old format of the file.
        warnings.filterwarnings("ignore", category=anndata.OldFormatWarning)
        warnings.filterwarnings("ignore", "(?s).*adjacency matrices", FutureWarning)
        cells = anndata.read_h5ad(path)
    return LabelledData(
        X=np.asarray(cells.X, dtype=np.float64),
        feature_names=tuple(map(str, cells.var_names)),
        labels={name: cells.obs[name].to_numpy(dtype=str) for name in PBMC_LABELS},
    )


def _pbmc_file() -> Path:
    """Find the file without importing scanpy, which takes ten seconds."""
    package = importlib.util.find_spec("scanpy")
    if package is None or package.origin is None or importlib.util.find_spec("anndata") is None:
        message = (
            "load_pbmc68k needs the packages anndata and scanpy, which are not both installed; "
            'pip install "unprior[anndata]".'
        )
        raise ImportError(message)
    return Path(package.origin).parent / "datasets" / "10x_pbmc68k_reduced.h5ad"
