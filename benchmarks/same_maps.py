"""Print checksums of twenty maps of small data, to check that a refactoring changes nothing.

    python benchmarks/same_maps.py > before.txt
    ... change the code ...
    python benchmarks/same_maps.py | diff before.txt -

Checksums cover all bits, so they only agree on the same machine with the same packages.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable

import numpy as np

import unprior as up
from unprior import priors


def checksum(*arrays: object) -> str:
    """Return the first digits of a hash of all bits."""
    made = hashlib.sha256()
    for array in arrays:
        made.update(np.ascontiguousarray(array).tobytes())
    return made.hexdigest()[:16]


def graph(X: np.ndarray, **prior: object) -> np.ndarray:
    """Return the neighbours that CONFETTI finds, with their distances."""
    found = up.ConfettiNeighbors(10).fit_transform(X, **prior)
    return np.concatenate([found.indices, found.data])


def fits() -> dict[str, Callable[[], object]]:
    """Return the fits, by name."""
    data = up.datasets.make_two_factor(300, random_state=0)
    X, known = data.X, data.known
    many = up.datasets.make_two_factor(6000, random_state=1)
    age = priors.features(X[:, 0])
    places = priors.geo(60 * np.tanh(X[:, 0]), 170 * np.tanh(X[:, 1]))
    matrix = np.linalg.norm(X[:, None] - X, axis=2)
    few = {"n_iter": 200, "random_state": 0}

    def tsne(x: object = X, prior: object = known, **options: object) -> np.ndarray:
        return up.IndependentTSNE(**{**few, **options}).fit(x, prior=prior).embedding_

    def confetti(x: object = X, prior: object = known, **options: object) -> np.ndarray:
        return up.Confetti(random_state=0, **options).fit(x, prior=prior).embedding_

    return {
        "IndependentTSNE, labels": tsne,
        "IndependentTSNE, features": lambda: tsne(prior=age),
        "IndependentTSNE, places": lambda: tsne(prior=places),
        "IndependentTSNE, two priors": lambda: tsne(prior={"class": known, "age": age}),
        "IndependentTSNE, half": lambda: tsne(strength=0.5),
        "IndependentTSNE, distances": lambda: tsne(matrix, metric="precomputed"),
        "IndependentTSNE, 6000": lambda: tsne(many.X, priors.features(many.X[:, 0]), n_iter=100),
        "JEDI, labels": lambda: up.JEDI(**few).fit(X, prior=known).embedding_,
        "JEDI, features": lambda: up.JEDI(**few).fit(X, prior=age).embedding_,
        "JEDI, 6000": lambda: up.JEDI(**few).fit(many.X, prior=many.known).embedding_,
        "Confetti, labels": confetti,
        "Confetti, features": lambda: confetti(prior=age),
        "Confetti, linear": lambda: confetti(operator="linear", strength=1.0),
        "Confetti, quantile": lambda: confetti(operator="quantile", prior=age),
        "Confetti, t-SNE": lambda: confetti(embedder="tsne"),
        "Confetti, 6000": lambda: confetti(many.X, many.known),
        "ConfettiNeighbors": lambda: graph(X, prior=known),
        "ConditionalTSNE": lambda: up.ConditionalTSNE(**few).fit(X, prior=known).embedding_,
        "InverseSLLE": lambda: up.InverseSLLE(random_state=0).fit(X, prior=known).embedding_,
        "Residual": lambda: up.Residual("aligned").fit_transform(X, prior=known),
    }


if __name__ == "__main__":
    for name, fit in fits().items():
        with warnings.catch_warnings(action="ignore"):
            print(f"{checksum(fit())}  {name}", flush=True)
