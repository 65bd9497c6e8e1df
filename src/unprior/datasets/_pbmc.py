"""The file that scanpy ships → expression of 765 genes in 700 blood cells, with labels."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import numpy as np

from unprior.datasets._records import LabelledData

LABELS = ("bulk_labels", "louvain", "phase")


def load_pbmc68k() -> LabelledData:
    """Load 700 peripheral blood cells, a reduced version of 10x Genomics' 68 000.

    Needs the packages anndata and scanpy, the latter of which brings the file with it
    (``pip install "unprior[anndata]"``); nothing is downloaded.

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
    path = _file()
    import anndata

    with warnings.catch_warnings():
        # The file is older than today's format, which anndata reads but remarks on.
        warnings.filterwarnings("ignore", category=anndata.OldFormatWarning)
        warnings.filterwarnings("ignore", "(?s).*adjacency matrices", FutureWarning)
        cells = anndata.read_h5ad(path)
    return LabelledData(
        X=np.asarray(cells.X, dtype=np.float64),
        feature_names=tuple(map(str, cells.var_names)),
        labels={name: cells.obs[name].to_numpy(dtype=str) for name in LABELS},
    )


def _file() -> Path:
    """Find the file without importing scanpy, which takes ten seconds."""
    package = importlib.util.find_spec("scanpy")
    if package is None or package.origin is None or importlib.util.find_spec("anndata") is None:
        message = (
            "load_pbmc68k needs the packages anndata and scanpy, which are not both installed; "
            'pip install "unprior[anndata]".'
        )
        raise ImportError(message)
    return Path(package.origin).parent / "datasets" / "10x_pbmc68k_reduced.h5ad"
