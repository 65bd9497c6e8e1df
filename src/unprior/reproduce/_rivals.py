"""Methods of others that correct data for what is known → maps by t-SNE or UMAP, as tasks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator

from unprior._typing import Floats
from unprior._warnings import DataWarning
from unprior.estimators import Confetti
from unprior.geometry import principal_coordinates
from unprior.priors import Features, Labels, Prior
from unprior.reproduce._methods import Task, confetti
from unprior.reproduce._setting import Setting

#: Principal coordinates that stand for a prior of distances, where a method takes columns only.
COORDINATES = 10
#: Rivals that take labels only, and the package each of them is in.
PACKAGES = {"Harmony": "harmonypy", "BBKNN": "bbknn"}


class Corrected(BaseEstimator):
    """A method of others: it corrects the data for the prior, and t-SNE draws what it leaves.

    BBKNN corrects the neighbours instead, and UMAP draws those.

    Parameters
    ----------
    method : {"PARE", "LEACE", "Harmony", "BBKNN"}
        What corrects the data.
    drawer : dict
        Options of the t-SNE.
    metric : str
        That of the data.
    random_state : int
        The seed.
    """

    def __init__(
        self,
        method: str,
        drawer: Mapping[str, Any],
        metric: str = "euclidean",
        random_state: int = 0,
    ) -> None:
        self.method = method
        self.drawer = drawer
        self.metric = metric
        self.random_state = random_state

    def fit_transform(self, X: Any, y: None = None, *, prior: Any) -> Floats:
        """Return the map."""
        metric = self.metric
        if self.method == "BBKNN":
            return bbknn_map(X, prior, self.random_state)
        if self.method == "PARE":
            X, metric = partial_distances(X, metric, prior_columns(prior)), "precomputed"
        elif self.method == "LEACE":
            X = erase_linear(X, prior_columns(prior))
        else:
            X = harmony_corrected(X, prior, self.random_state)
        options = {**self.drawer, "metric": metric, "strength": 0.0}
        with warnings.catch_warnings():
            # What is erased leaves columns of next to nothing beside the others.
            warnings.filterwarnings("ignore", category=DataWarning)
            return np.asarray(Confetti(**options).fit_transform(X, prior=prior))


def rivals(
    setting: Setting,
    seed: int,
    X: Floats,
    *,
    numbers: Prior,
    labels: Prior | None,
    metric: str = "euclidean",
) -> dict[str, Task]:
    """Return the methods of others that apply, and of those in packages, the installed ones.

    Parameters
    ----------
    setting : Setting
        How to draw.
    seed : int
        The seed.
    X : ndarray of shape (n_samples, n_features) or (n_samples, n_samples)
        The data.
    numbers : Prior
        What is known, for the methods that take columns.
    labels : Prior or None
        The same as classes, for the methods that take those.
    metric : str
        That of the data; with "precomputed" there are no features to correct, and PARE alone
        applies.
    """
    drawer = confetti(setting, seed).get_params(deep=False)
    tasks = {"PARE": Task(Corrected("PARE", drawer, metric, seed), numbers)}
    if metric == "precomputed":
        return tasks
    columns = prior_columns(numbers)
    # As many directions as the data have would be erased, and no data left.
    if np.linalg.matrix_rank(columns - columns.mean(axis=0)) < X.shape[1]:
        tasks["LEACE"] = Task(Corrected("LEACE", drawer, metric, seed), numbers)
    for name, package in PACKAGES.items():
        if labels is not None and find_spec(package) is not None:
            tasks[name] = Task(Corrected(name, drawer, metric, seed), labels)
    return tasks


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
    found = import_module(PACKAGES["Harmony"]).run_harmony(
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
