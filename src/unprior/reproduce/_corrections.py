"""Data and a prior → data, distances or a map without it, by the methods of others."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import cdist

from unprior._typing import Floats
from unprior.geometry import principal_coordinates
from unprior.priors import Features, Labels, Prior

#: Principal coordinates that stand for a prior of distances, where a method takes columns only.
COORDINATES = 10


def partial_distances(X: Any, metric: str, columns: Floats) -> Floats:
    """Partial columns out of squared distances; return the distances that remain.

    PARE (Chen, PLoS Comput Biol 2024, doi 10.1371/journal.pcbi.1012241): with G the doubly centred
    Gram matrix of the distances and H the hat matrix of the columns, (I − H) G (I − H). Holds n × n
    arrays.
    """
    D = np.asarray(X, dtype=np.float64) if metric == "precomputed" else cdist(X, X, metric)
    squares = D**2
    means = squares.mean(axis=0)
    gram = -0.5 * (squares - means - means[:, None] + means.mean())
    design = np.column_stack([np.ones(len(D)), columns])
    # Leading left singular vectors: one-hot columns beside a constant are dependent.
    axes, sizes, _ = np.linalg.svd(design, full_matrices=False)
    axes = axes[:, sizes > 1e-10 * sizes[0]]
    half = gram - axes @ (axes.T @ gram)
    rest = half - (half @ axes) @ axes.T
    own = np.diag(rest)
    left = np.sqrt(np.maximum(own[:, None] + own - (rest + rest.T), 0))
    np.fill_diagonal(left, 0)
    return left


def erase_linear(X: Floats, columns: Floats) -> Floats:
    """Return the data nearest to X that no linear function can predict the columns from.

    LEACE (Belrose et al., NeurIPS 2023): with W the whitening of X and P the projection onto the
    span of W cov(X, Z), x − W⁺ P W (x − mean).
    """
    centered = X - X.mean(axis=0)
    values, axes = eigh(centered.T @ centered / len(X))
    used = values > 1e-10 * values[-1]
    values, axes = values[used], axes[:, used]
    whiten, unwhiten = axes / np.sqrt(values), axes * np.sqrt(values)
    known = columns - columns.mean(axis=0)
    left, sizes, _ = np.linalg.svd(whiten.T @ (centered.T @ known) / len(X), full_matrices=False)
    left = left[:, sizes > 1e-10 * max(sizes[0], np.finfo(float).tiny)]
    return np.asarray(X - (centered @ whiten @ left) @ left.T @ unwhiten.T)


def harmony_corrected(X: Floats, prior: Labels, seed: int) -> Floats:
    """Return the data as Harmony corrects them for the labels."""
    import pandas as pd

    meta = pd.DataFrame({"batch": prior.codes.astype(str)})
    found = import_module("harmonypy").run_harmony(
        X, meta, "batch", random_state=seed, verbose=False, ncores=1
    )
    corrected = np.asarray(found.Z_corr, dtype=np.float64)
    return corrected if corrected.shape == X.shape else corrected.T


def bbknn_map(X: Floats, prior: Labels, seed: int) -> Floats:
    """Join each sample to its nearest of every class, and let UMAP lay that graph out."""
    from umap.umap_ import find_ab_params, simplicial_set_embedding

    codes = prior.codes.astype(str)
    _, graph, _ = import_module("bbknn.matrix").bbknn(
        X.astype(np.float32), codes, approx=False, use_faiss=False
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


def prior_columns(prior: Prior) -> Floats:
    """Return a prior as columns: one-hot classes, its features, or its main coordinates."""
    if isinstance(prior, Labels):
        return np.eye(len(prior.classes))[prior.codes]
    if isinstance(prior, Features):
        return np.asarray(prior.values, dtype=np.float64).reshape(prior.n_samples, -1)
    return principal_coordinates(prior, most=COORDINATES)
