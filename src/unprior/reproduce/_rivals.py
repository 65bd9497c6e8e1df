"""Methods of others that correct data for what is known → maps by t-SNE or UMAP, as tasks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from unprior._typing import Floats
from unprior._warnings import DataWarning
from unprior.estimators import Confetti
from unprior.priors import Prior
from unprior.reproduce._corrections import (
    bbknn_map,
    erase_linear,
    harmony_corrected,
    partial_distances,
    prior_columns,
)
from unprior.reproduce._methods import Task, confetti
from unprior.reproduce._setting import Setting

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
