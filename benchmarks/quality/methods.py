"""The methods under test: data, prior and seed → a map, at settings that are the same for all."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import unprior as up
from quality import rivals
from quality.case import Case
from quality.rivals import plain_tsne
from unprior.priors import Prior

Draw = Callable[[np.ndarray, str, Prior, int], np.ndarray]

PERPLEXITY = 30


def tsne(X: np.ndarray, metric: str, prior: Prior, seed: int) -> np.ndarray:
    """Draw plain t-SNE."""
    return plain_tsne(X, metric, seed)


def embed(X: np.ndarray, metric: str, prior: Prior, seed: int) -> np.ndarray:
    """Draw what the library recommends to those who do not want to choose."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=up.UnpriorWarning)
        return up.embed(X, prior=prior, metric=metric, n_jobs=1, random_state=seed)


def embed_keep(
    X: np.ndarray, metric: str, prior: Prior, seed: int, *, keep: np.ndarray
) -> np.ndarray:
    """Draw the same with labels to keep."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=up.UnpriorWarning)
        return up.embed(X, prior=prior, keep=keep, metric=metric, n_jobs=1, random_state=seed)


def estimator(
    X: np.ndarray, metric: str, prior: Prior, seed: int, *, name: str, **options: Any
) -> np.ndarray:
    """Draw with an estimator of the library."""
    drawer = getattr(up, name)(metric=metric, n_jobs=1, random_state=seed, **options)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=up.UnpriorWarning)
        return drawer.fit_transform(X, prior=prior)


def residual(
    X: np.ndarray, metric: str, prior: Prior, seed: int, *, kind: str, then: Draw
) -> np.ndarray:
    """Take what the prior predicts out of the data, and draw the residual."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=up.UnpriorWarning)
        rest = up.Residual(kind, metric=metric).fit_transform(X, prior=prior)
    return then(rest, metric, prior, seed)


@dataclass(frozen=True)
class Method:
    """How to draw a map, and what is to be said of it.

    ``classes_only`` methods are given the prior's classes where it has some; ``features_only``
    methods take no distances in place of data. A method is not run beyond its ``largest`` number
    of samples and ``most_classes``. ``needs`` are packages. A method that ``keeps`` is given the
    hidden labels as what to keep, where groups differ in composition, and runs nowhere else.
    """

    about: str
    draw: Callable[..., np.ndarray]
    classes_only: bool = False
    features_only: bool = False
    largest: int = 1_000_000
    most_classes: int = 1_000_000
    needs: tuple[str, ...] = ()
    keeps: bool = False

    def missing(self) -> str:
        """Say why the method cannot be run here; empty if it can."""
        name = getattr(self.draw, "keywords", {}).get("name")
        if name is not None and not hasattr(up, name):
            return f"unprior has no {name}"
        absent = [package for package in self.needs if importlib.util.find_spec(package) is None]
        return f"needs {', '.join(absent)}" if absent else ""

    def refuses(self, case: Case) -> str:
        """Say why a case is not for this method; empty if it is."""
        if len(case.X) > self.largest:
            return f"not run beyond {self.largest} samples"
        if self.features_only and case.metric == "precomputed":
            return "takes no distances"
        if self.keeps and not case.differs_in_composition:
            return "is told the hidden labels"
        if not self.classes_only:
            return ""
        if case.class_prior is None:
            return "takes labels only"
        too_many = len(case.class_prior.classes) > self.most_classes
        return f"not run beyond {self.most_classes} classes" if too_many else ""

    def __call__(self, case: Case, seed: int) -> np.ndarray:
        """Draw a case."""
        prior = case.class_prior if self.classes_only else case.prior
        told = {"keep": case.hidden} if self.keeps else {}
        return self.draw(case.X, case.metric, prior, seed, **told)


jedi = partial(estimator, name="JEDI", perplexity=PERPLEXITY)
confetti = partial(estimator, name="Confetti")
by_classes = partial(Method, classes_only=True)

#: Every method under test, by the name that the tables use.
METHODS: dict[str, Method] = {
    "tsne": Method("t-SNE, perplexity 30; takes no prior", tsne),
    "embed": Method("`unprior.embed`", embed),
    "embed-keep": Method(
        "`unprior.embed`, the hidden labels given as `keep`", embed_keep, keeps=True
    ),
    "independent": Method(
        "`IndependentTSNE` at its defaults", partial(estimator, name="IndependentTSNE")
    ),
    "jedi": Method("JEDI, perplexity 30", jedi),
    "jedi-paper": Method(
        "JEDI, the paper's perplexities n/5 and n/10",
        partial(estimator, name="JEDI"),
        largest=10_000,
    ),
    "aligned-jedi": Method(
        "aligned residual, then JEDI, perplexity 30", partial(residual, kind="aligned", then=jedi)
    ),
    "aligned-tsne": Method(
        "aligned residual, then t-SNE", partial(residual, kind="aligned", then=tsne)
    ),
    "linear-tsne": Method(
        "linear residual, then t-SNE", partial(residual, kind="linear", then=tsne)
    ),
    "confetti-1-tsne": Method(
        "CONFETTI as in the paper, λ = 1, with t-SNE",
        partial(confetti, strength=1.0, operator="linear", embedder="tsne"),
    ),
    "quantile-tsne": Method(
        "CONFETTI, quantile operator, t-SNE",
        partial(confetti, operator="quantile", embedder="tsne"),
    ),
    "balanced-tsne": Method(
        "CONFETTI, balanced operator, t-SNE",
        partial(confetti, operator="balanced", embedder="tsne"),
    ),
    "balanced-umap": Method(
        "CONFETTI, balanced operator, UMAP", partial(confetti, operator="balanced")
    ),
    "ct-sne": by_classes(
        "conditional t-SNE", partial(estimator, name="ConditionalTSNE"), largest=5000
    ),
    "revised-ct-sne": by_classes(
        "revised conditional t-SNE",
        partial(estimator, name="RevisedConditionalTSNE"),
        largest=5000,
    ),
    "inverse-slle": by_classes(
        "inverse supervised LLE", partial(estimator, name="InverseSLLE"), largest=5000
    ),
    "harmony-tsne": by_classes(
        "Harmony, then t-SNE",
        rivals.harmony_tsne,
        features_only=True,
        needs=("harmonypy", "pandas"),
    ),
    # Its graph has three edges for each sample and class.
    "bbknn-umap": by_classes(
        "BBKNN, then UMAP of its graph",
        rivals.bbknn_umap,
        features_only=True,
        most_classes=100,
        needs=("bbknn",),
    ),
    "combat-tsne": by_classes(
        "ComBat, then t-SNE", rivals.combat_tsne, features_only=True, needs=("scanpy",)
    ),
    "leace-tsne": Method(
        "LEACE, then t-SNE", rivals.leace_tsne, features_only=True, needs=("concept_erasure",)
    ),
    "pare-tsne": Method("PARE, then t-SNE of its distances", rivals.pare_tsne, largest=5000),
}
