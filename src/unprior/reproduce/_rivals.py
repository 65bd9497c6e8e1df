"""Methods by others that remove a prior from the data → maps by t-SNE or UMAP, as tasks."""

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
from unprior.priors import Features, Labels, Prior, distances
from unprior.reproduce._methods import Task, confetti
from unprior.reproduce._setting import Setting

#: Rivals that take labels only, and their packages.
PACKAGES = {"Harmony": "harmonypy", "BBKNN": "bbknn"}
#: BBKNN joins each sample to this many of every class, its own default.
NEIGHBORS_PER_CLASS = 3
#: Principal coordinates that replace a prior of distances in methods that take columns.
PRIOR_COORDINATES = 10
#: Principal coordinates that replace data of distances in methods that take columns.
DATA_COORDINATES = 50


class Corrected(BaseEstimator):
    """A rival: it removes the prior from the data, and t-SNE draws the result.

    BBKNN changes the neighbours instead, which UMAP draws.

    Parameters
    ----------
    method : {"PARE", "LEACE", "Harmony", "BBKNN"}
        The rival.
    drawer : dict
        Options of the t-SNE.
    metric : str
        Metric of the data. Distances ("precomputed") are replaced by their principal coordinates
        in all methods but PARE.
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
        metric = "euclidean"
        if self.method != "PARE" and self.metric == "precomputed":
            X = principal_coordinates(distances(X), most=DATA_COORDINATES)
        if self.method == "BBKNN":
            return bbknn_map(X, prior, self.random_state)
        if self.method == "PARE":
            X, metric = partial_distances(X, self.metric, prior_columns(prior)), "precomputed"
        elif self.method == "LEACE":
            X = erase_linear(X, prior_columns(prior))
        else:
            X = harmony_corrected(X, prior, self.random_state)
        options = {**self.drawer, "metric": metric, "strength": 0.0}
        with warnings.catch_warnings():
            # Erased columns are left with values close to zero compared with the others.
            warnings.filterwarnings("ignore", category=DataWarning)
            return np.asarray(Confetti(**options).fit_transform(X, prior=prior))


def rivals(
    setting: Setting,
    seed: int,
    X: Floats,
    *,
    numbers: Prior,
    labels: Prior,
    metric: str = "euclidean",
) -> dict[str, Task]:
    """Return the rivals that can be run here: their packages are installed, and data remain.

    Parameters
    ----------
    setting : Setting
        Size of the run.
    seed : int
        The seed.
    X : ndarray of shape (n_samples, n_features) or (n_samples, n_samples)
        The data.
    numbers : Prior
        The prior, for methods that take columns.
    labels : Prior
        The prior as classes, for methods that take labels.
    metric : str
        Metric of the data.
    """
    drawer = confetti(setting, seed).get_params(deep=False)
    names = ["PARE"]
    columns = prior_columns(numbers)
    n_features = DATA_COORDINATES if metric == "precomputed" else X.shape[1]
    # A prior with as many directions as the data would leave nothing.
    if np.linalg.matrix_rank(columns - columns.mean(axis=0)) < n_features:
        names.append("LEACE")
    names += [name for name, package in PACKAGES.items() if find_spec(package) is not None]
    if "BBKNN" in names and prior_columns(labels).sum(axis=0).min() < NEIGHBORS_PER_CLASS:
        names.remove("BBKNN")
    return {
        name: Task(Corrected(name, drawer, metric, seed), labels if name in PACKAGES else numbers)
        for name in names
    }


def partial_distances(X: Any, metric: str, columns: Floats) -> Floats:
    """Partial columns out of squared distances; return the remaining distances.

    PARE (Chen, PLoS Comput Biol 2024, doi 10.1371/journal.pcbi.1012241): with G the doubly centred
    Gram matrix of the distances and H the hat matrix of the columns, (I − H) G (I − H). Holds n × n
    arrays.
    """
    D = np.asarray(X, dtype=np.float64) if metric == "precomputed" else cdist(X, X, metric)
    squares = D**2
    means = squares.mean(axis=0)
    gram = -0.5 * (squares - means - means[:, None] + means.mean())
    design = np.column_stack([np.ones(len(D)), columns])
    # Leading left singular vectors: one-hot columns together with a constant are dependent.
    axes, sizes, _ = np.linalg.svd(design, full_matrices=False)
    axes = axes[:, sizes > 1e-10 * sizes[0]]
    half = gram - axes @ (axes.T @ gram)
    rest = half - (half @ axes) @ axes.T
    own = np.diag(rest)
    left = np.sqrt(np.maximum(own[:, None] + own - (rest + rest.T), 0))
    np.fill_diagonal(left, 0)
    return left


def erase_linear(X: Floats, columns: Floats) -> Floats:
    """Return the data closest to X from which no linear function predicts the columns.

    LEACE (Belrose et al., NeurIPS 2023): with W the whitening of X and P the projection onto the
    span of W cov(X, Z), x − W⁺ P W (x − mean).
    """
    centered = X - X.mean(axis=0)
    values, axes = eigh(centered.T @ centered / len(X))
    used = values > 1e-10 * values[-1]
    values, axes = values[used], axes[:, used]
    whiten, unwhiten = axes / np.sqrt(values), axes * np.sqrt(values)
    centered_columns = columns - columns.mean(axis=0)
    cross = whiten.T @ (centered.T @ centered_columns) / len(X)
    left, sizes, _ = np.linalg.svd(cross, full_matrices=False)
    left = left[:, sizes > 1e-10 * max(sizes[0], np.finfo(float).tiny)]
    return np.asarray(X - (centered @ whiten @ left) @ left.T @ unwhiten.T)


def harmony_corrected(X: Floats, prior: Labels, seed: int) -> Floats:
    """Return the data as corrected by Harmony for the labels."""
    import pandas as pd

    meta = pd.DataFrame({"batch": prior.codes.astype(str)})
    found = import_module("harmonypy").run_harmony(
        X, meta, "batch", random_state=seed, verbose=False, ncores=1
    )
    corrected = np.asarray(found.Z_corr, dtype=np.float64)
    return corrected if corrected.shape == X.shape else corrected.T


def bbknn_map(X: Floats, prior: Labels, seed: int) -> Floats:
    """Join each sample to its nearest neighbours in every class; UMAP lays out that graph."""
    from unprior.embedders._umap_model import umap  # imports umap-learn without its warning

    codes = prior.codes.astype(str)
    _, graph, _ = import_module("bbknn.matrix").bbknn(
        X.astype(np.float32),
        codes,
        neighbors_within_batch=NEIGHBORS_PER_CLASS,
        computation="cKDTree",
    )
    a, b = umap.umap_.find_ab_params(1.0, 0.5)  # as scanpy's
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Ss]pectral initiali[sz]ation.*")
        Y, _ = umap.umap_.simplicial_set_embedding(
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
    """Return a prior as columns: one-hot classes, features, or principal coordinates."""
    if isinstance(prior, Labels):
        return np.eye(len(prior.classes))[prior.codes]
    if isinstance(prior, Features):
        return np.asarray(prior.values, dtype=np.float64).reshape(prior.n_samples, -1)
    return principal_coordinates(prior, most=PRIOR_COORDINATES)
