"""Methods by others, and plain t-SNE: data, prior and seed → a map."""

from __future__ import annotations

import warnings

import numpy as np

import unprior as up
from unprior.priors import Features, Labels, Prior
from unprior.reproduce._rivals import (
    bbknn_map,
    harmony_corrected,
    partial_distances,
    prior_columns,
)

#: Above this many samples plain t-SNE is openTSNE's; up to it, JEDI without a prior.
EXACT = 5000


def plain_tsne(X: np.ndarray, metric: str, seed: int) -> np.ndarray:
    """Draw t-SNE with perplexity 30."""
    if len(X) > EXACT:
        import openTSNE

        drawer = openTSNE.TSNE(perplexity=30, metric=metric, n_jobs=1, random_state=seed)
        return np.asarray(drawer.fit(X))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=up.PriorMissingWarning)
        return up.JEDI(metric=metric, perplexity=30, n_jobs=1, random_state=seed).fit_transform(X)


def harmony_tsne(X: np.ndarray, metric: str, prior: Labels, seed: int) -> np.ndarray:
    """Correct the data for the labels by Harmony, and draw t-SNE of the result."""
    return plain_tsne(harmony_corrected(X, prior, seed), metric, seed)


def bbknn_umap(X: np.ndarray, metric: str, prior: Labels, seed: int) -> np.ndarray:
    """Join each sample to its nearest of every batch, and lay out this graph by UMAP."""
    return bbknn_map(X, prior, seed)


def combat(X: np.ndarray, prior: Labels) -> np.ndarray:
    """Remove batch means and variances by ComBat."""
    import anndata
    import pandas as pd
    import scanpy as sc

    batch = pd.Categorical(prior.codes.astype(str))
    index = [str(row) for row in range(len(X))]
    cells = anndata.AnnData(X.copy(), obs=pd.DataFrame({"batch": batch}, index=index))
    return np.asarray(sc.pp.combat(cells, key="batch", inplace=False))


def combat_tsne(X: np.ndarray, metric: str, prior: Labels, seed: int) -> np.ndarray:
    """Remove batch means and variances by ComBat, and draw t-SNE of the result."""
    return plain_tsne(combat(X, prior), metric, seed)


def leace_tsne(X: np.ndarray, metric: str, prior: Prior, seed: int) -> np.ndarray:
    """Erase what is linear in the prior with LEACE, and draw t-SNE of the result."""
    import torch
    from concept_erasure import LeaceEraser

    data = torch.from_numpy(np.ascontiguousarray(X, dtype=np.float64))
    eraser = LeaceEraser.fit(data, torch.from_numpy(columns("LEACE", prior)))
    erased = eraser(data).numpy()
    # Means of more classes than features span all directions.
    if erased.std(axis=0).max() < 1e-6 * X.std(axis=0).max():
        raise ValueError("LEACE erases all directions of the data")
    return plain_tsne(erased, metric, seed)


def pare_tsne(X: np.ndarray, metric: str, prior: Prior, seed: int) -> np.ndarray:
    """Partial the prior out of squared distances, and draw t-SNE of the distances that remain."""
    left = partial_distances(X, metric, columns("PARE", prior))
    return plain_tsne(left, "precomputed", seed)


def columns(who: str, prior: Prior) -> np.ndarray:
    """Return a prior as columns of numbers: one-hot classes, or its features."""
    if isinstance(prior, Labels | Features):
        return prior_columns(prior)
    raise TypeError(f"{who} takes labels or features as prior; got {prior.kind}")
