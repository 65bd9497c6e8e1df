"""The methods under test: data, prior and seed → a map, at settings that are the same for all."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from quality_cases import Case

import unprior as up
from unprior.estimators._base import read_priors
from unprior.priors import Labels, Prior
from unprior.selection._choose import FIRST
from unprior.selection._composition import Setting

Draw = Callable[[np.ndarray, str, Prior, int], np.ndarray]

PERPLEXITY = 30


def tsne(X: np.ndarray, metric: str, prior: Prior, seed: int) -> np.ndarray:
    """Draw plain t-SNE: JEDI that is told nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=up.PriorMissingWarning)
        return _jedi(metric, seed, perplexity=PERPLEXITY).fit_transform(X)


def umap(X: np.ndarray, metric: str, prior: Prior, seed: int) -> np.ndarray:
    """Draw plain UMAP: CONFETTI that factors nothing out."""
    return confetti(X, metric, prior, seed, strength=0.0, operator="linear")


def jedi(X: np.ndarray, metric: str, prior: Prior, seed: int, **options: Any) -> np.ndarray:
    """Draw JEDI."""
    return _jedi(metric, seed, **options).fit_transform(X, prior=prior)


def residual(
    X: np.ndarray, metric: str, prior: Prior, seed: int, *, kind: str, then: Draw
) -> np.ndarray:
    """Take the prior's mean out of the data, and draw what remains."""
    rest = up.Residual(kind, metric=metric).fit_transform(X, prior=prior)
    return then(rest, metric, prior, seed)


def confetti(X: np.ndarray, metric: str, prior: Prior, seed: int, **options: Any) -> np.ndarray:
    """Draw CONFETTI, with UMAP unless told otherwise."""
    estimator = up.Confetti(metric=metric, n_jobs=1, random_state=seed, **options)
    return estimator.fit_transform(X, prior=prior)


def rival(X: np.ndarray, metric: str, prior: Prior, seed: int, *, name: str) -> np.ndarray:
    """Draw one of the rivals that the library holds, at its defaults."""
    estimator = getattr(up, name)(metric=metric, n_jobs=1, random_state=seed)
    return estimator.fit_transform(X, prior=prior)


def harmony_tsne(X: np.ndarray, metric: str, prior: Prior, seed: int) -> np.ndarray:
    """Let Harmony correct the data for the labels, and draw t-SNE of that."""
    if metric == "precomputed" or not isinstance(prior, Labels):
        raise TypeError("Harmony takes features, and labels as prior")
    import harmonypy
    import pandas as pd

    meta = pd.DataFrame({"known": prior.codes.astype(str)})
    found = harmonypy.run_harmony(X, meta, "known", random_state=seed, verbose=False, ncores=1)
    corrected = np.asarray(found.Z_corr, dtype=np.float64)
    return tsne(corrected if corrected.shape == X.shape else corrected.T, metric, prior, seed)


def embed(X: np.ndarray, metric: str, prior: Prior, seed: int) -> np.ndarray:
    """Draw what the library recommends to those who do not want to choose."""
    return up.embed(X, prior=prior, metric=metric, random_state=seed)


def steered(X: np.ndarray, metric: str, prior: Prior, seed: int) -> np.ndarray:
    """Draw what `embed` tries first, and mostly chooses, without a choice."""
    priors = read_priors(up.JEDI(metric=metric), prior, len(X), who="steered")
    return FIRST.draw(X, priors, Setting(metric, 2, 1, seed))


def _jedi(metric: str, seed: int, **options: Any) -> up.JEDI:
    return up.JEDI(metric=metric, n_jobs=1, random_state=seed, **options)


local_jedi = partial(jedi, perplexity=PERPLEXITY)

#: Every method under test, by the name that the tables use.
METHODS: dict[str, Draw] = {
    "tsne": tsne,
    "umap": umap,
    "jedi-paper": jedi,
    "jedi": local_jedi,
    "linear-tsne": partial(residual, kind="linear", then=tsne),
    "linear-jedi": partial(residual, kind="linear", then=local_jedi),
    "smooth-jedi": partial(residual, kind="smooth", then=local_jedi),
    "aligned-jedi": partial(residual, kind="aligned", then=local_jedi),
    "confetti-0.5-tsne": partial(confetti, strength=0.5, operator="linear", embedder="tsne"),
    "confetti-1-tsne": partial(confetti, strength=1.0, operator="linear", embedder="tsne"),
    "confetti-2-tsne": partial(confetti, strength=2.0, operator="linear", embedder="tsne"),
    "confetti-1-umap": partial(confetti, strength=1.0, operator="linear"),
    "quantile-tsne": partial(confetti, operator="quantile", embedder="tsne"),
    "balanced-tsne": partial(confetti, operator="balanced", embedder="tsne"),
    "balanced-umap": partial(confetti, operator="balanced"),
    "ct-sne": partial(rival, name="ConditionalTSNE"),
    "revised-ct-sne": partial(rival, name="RevisedConditionalTSNE"),
    "inverse-slle": partial(rival, name="InverseSLLE"),
    "harmony-tsne": harmony_tsne,
    "steered": steered,
    "embed": embed,
}

#: Methods that take classes only: they are given the prior's classes where it has some.
LABELS_ONLY = frozenset({"ct-sne", "revised-ct-sne", "inverse-slle", "harmony-tsne"})


def prior_for(method: str, case: Case) -> Prior | None:
    """Return what a method is told of a case; None where it could take nothing of it."""
    return case.class_prior if method in LABELS_ONLY else case.prior
