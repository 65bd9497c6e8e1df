"""Methods of others, and plain t-SNE: data, prior and seed → a map."""

from __future__ import annotations

import warnings

import numpy as np

import unprior as up
from unprior.priors import Features, Labels, Prior

#: Beyond so many samples plain t-SNE is openTSNE's; up to it, JEDI that is told nothing.
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


def harmony(X: np.ndarray, prior: Labels, seed: int) -> np.ndarray:
    """Let Harmony correct the data for the labels."""
    import harmonypy
    import pandas as pd

    meta = pd.DataFrame({"batch": prior.codes.astype(str)})
    found = harmonypy.run_harmony(X, meta, "batch", random_state=seed, verbose=False, ncores=1)
    corrected = np.asarray(found.Z_corr, dtype=np.float64)
    return corrected if corrected.shape == X.shape else corrected.T


def harmony_tsne(X: np.ndarray, metric: str, prior: Labels, seed: int) -> np.ndarray:
    """Let Harmony correct the data for the labels, and draw t-SNE of that."""
    return plain_tsne(harmony(X, prior, seed), metric, seed)


def bbknn_umap(X: np.ndarray, metric: str, prior: Labels, seed: int) -> np.ndarray:
    """Join each sample to its nearest of every batch, and let UMAP lay that graph out."""
    import bbknn.matrix
    from umap.umap_ import find_ab_params, simplicial_set_embedding

    _, graph, _ = bbknn.matrix.bbknn(
        X.astype(np.float32), prior.codes.astype(str), approx=False, use_faiss=False
    )
    a, b = find_ab_params(1.0, 0.5)  # as scanpy's
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Ss]pectral initiali[sz]ation.*")
        Y, _ = simplicial_set_embedding(
            data=X,
            graph=graph.tocoo(),
            n_components=2,
            initial_alpha=1.0,
            a=a,
            b=b,
            gamma=1.0,
            negative_sample_rate=5,
            n_epochs=500 if len(X) <= 10_000 else 200,
            init="spectral",
            random_state=np.random.RandomState(seed),
            metric="euclidean",
            metric_kwds={},
            densmap=False,
            densmap_kwds={},
            output_dens=False,
        )
    return np.asarray(Y, dtype=np.float64)


def combat(X: np.ndarray, prior: Labels) -> np.ndarray:
    """Let ComBat take batch means and variances out."""
    import anndata
    import pandas as pd
    import scanpy as sc

    batch = pd.Categorical(prior.codes.astype(str))
    index = [str(row) for row in range(len(X))]
    cells = anndata.AnnData(X.copy(), obs=pd.DataFrame({"batch": batch}, index=index))
    return np.asarray(sc.pp.combat(cells, key="batch", inplace=False))


def combat_tsne(X: np.ndarray, metric: str, prior: Labels, seed: int) -> np.ndarray:
    """Let ComBat take batch means and variances out, and draw t-SNE of that."""
    return plain_tsne(combat(X, prior), metric, seed)


def leace_tsne(X: np.ndarray, metric: str, prior: Prior, seed: int) -> np.ndarray:
    """Erase what is linear in the prior with LEACE, and draw t-SNE of that."""
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
    """Partial the prior out of squared distances, and draw t-SNE of the distances that remain.

    PARE (Chen, PLoS Comput Biol 2024, doi 10.1371/journal.pcbi.1012241): with G the doubly centred
    Gram matrix of the distances and H the hat matrix of the confounders, (I − H) G (I − H).
    """
    from scipy.spatial.distance import cdist

    D = np.asarray(X, dtype=np.float64) if metric == "precomputed" else cdist(X, X, metric)
    squares = D**2
    means = squares.mean(axis=0)
    gram = -0.5 * (squares - means - means[:, None] + means.mean())
    design = np.column_stack([np.ones(len(D)), columns("PARE", prior)])
    # Leading left singular vectors: one-hot columns beside a constant are dependent.
    axes, sizes, _ = np.linalg.svd(design, full_matrices=False)
    axes = axes[:, sizes > 1e-10 * sizes[0]]
    half = gram - axes @ (axes.T @ gram)
    rest = half - (half @ axes) @ axes.T
    own = np.diag(rest)
    left = np.sqrt(np.maximum(own[:, None] + own - 2 * (rest + rest.T) / 2, 0))
    np.fill_diagonal(left, 0)
    return plain_tsne(left, "precomputed", seed)


def columns(who: str, prior: Prior) -> np.ndarray:
    """Return a prior as columns of numbers: one-hot classes, or its features."""
    if isinstance(prior, Labels):
        return np.eye(len(prior.classes))[prior.codes]
    if isinstance(prior, Features):
        return np.asarray(prior.values, dtype=np.float64).reshape(prior.n_samples, -1)
    raise TypeError(f"{who} takes labels or features as prior; got {prior.kind}")
