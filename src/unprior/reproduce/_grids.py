"""Tuning data → the grids of options that the paper's appendix shows, and those it searched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.cluster.hierarchy import linkage

from unprior import priors
from unprior._typing import Floats
from unprior.datasets import TwoFactorData
from unprior.estimators._base import MapEstimator
from unprior.priors import Prior
from unprior.reproduce import _methods as methods
from unprior.reproduce._methods import Task
from unprior.reproduce._setting import Setting

#: Values of each option; those of the last are drawn side by side.
Axes = Mapping[str, Sequence[float]]

#: Perplexities as shares of the samples. The last replaces the paper's 0.4: the library allows at
#: most a third of the samples.
PERPLEXITIES = (0.05, 0.2, 0.33)
#: Numbers of neighbours that the paper searched, as shares of its 1000 samples.
NEIGHBORS = (0.01, 0.03, 0.05, 0.1, 0.2, 0.4, 0.5, 0.6)
#: JEDI's β. The last replaces the paper's 1, which JEDI refuses: its divergence is unbounded there.
SKEWNESSES = (0.8, 0.99, 0.9999)
#: Names of options in titles.
SIGNS = {
    "strength": "λ",
    "symmetry": "α",
    "skewness": "β",
    "prior_perplexity": "prior perplexity",
    "other_label_weight": "β",
    "n_neighbors": "k",
}


@dataclass(frozen=True, eq=False)
class Grid:
    """One method with one prior, at all combinations of some options' values."""

    name: str
    title: str
    make: Callable[..., MapEstimator]
    prior: Prior
    axes: Axes

    @property
    def n_columns(self) -> int:
        """Number of values of the last option, which are drawn side by side."""
        return len([*self.axes.values()][-1])

    def tasks(self, setting: Setting) -> dict[str, Task]:
        """Return the method at every point of the grid, or in a quick run at the first."""
        return {
            self.describe(options): Task(self.make(setting, 0, **options), self.prior)
            for options in (self.points()[:1] if setting.quick else self.points())
        }

    def points(self) -> list[dict[str, float]]:
        """Return all combinations of the options' values."""
        return [dict(zip(self.axes, point, strict=True)) for point in product(*self.axes.values())]

    def describe(self, options: Mapping[str, float]) -> str:
        """Return options as the paper writes them."""
        return ", ".join(f"{self.sign(name)} = {value:g}" for name, value in options.items())

    def sign(self, option: str) -> str:
        """Return the paper's name of an option."""
        if option == "strength" and self.make is methods.inverse_slle:
            return "α"
        return SIGNS.get(option, option)


def known_tree(data: TwoFactorData) -> Floats:
    """Return the dendrogram of the known columns, by average linkage as in the paper."""
    return np.asarray(linkage(data.known_features, method="average"))


def appendix_grids(data: TwoFactorData) -> Iterator[Grid]:
    """Yield the grids of the paper's figures: distances, labels or a dendrogram as prior."""
    n = len(data.X)
    labels, distances = priors.labels(data.known), priors.features(data.known_features)
    tree = priors.tree(known_tree(data))
    few, more, most = (round(share * n) for share in PERPLEXITIES)
    make = methods.confetti
    yield Grid("tsne", "Plain t-SNE", methods.tsne, distances, {"perplexity": [50]})
    axes: Axes = {"perplexity": [few, more], "strength": [0.4, 0.6, 1, 2]}
    yield Grid("confetti", "CONFETTI: λ and t-SNE's perplexity", make, distances, axes)
    yield from _jedi_grids(distances, [few, more, most])
    axes = {"n_neighbors": [n // 20, n // 5, n // 2], "strength": [0.1, 0.5, 1]}
    yield Grid(
        "slle", "sLLE⁻¹: α and the number k of neighbours", methods.inverse_slle, labels, axes
    )
    axes = {"other_label_weight": [1e-3, 1e-5, 1e-7]}
    yield Grid("ctsne", "ct-SNE: β", methods.conditional_tsne, labels, axes)
    axes = {"strength": [0.4, 1, 2]}
    yield Grid("confetti_dendrogram", "CONFETTI: λ with a dendrogram as prior", make, tree, axes)
    axes = {"symmetry": [0, 0.5, 1]}
    yield Grid("jedi_dendrogram", "JEDI: α with a dendrogram as prior", methods.jedi, tree, axes)


def _jedi_grids(prior: Prior, perplexities: Sequence[float]) -> Iterator[Grid]:
    make = methods.jedi
    axes: Axes = {"symmetry": [0, 1], "skewness": SKEWNESSES}
    yield Grid("jedi_mixture", "JEDI: α and β of its divergence", make, prior, axes)
    axes = {"symmetry": [0, 1], "prior_perplexity": perplexities}
    yield Grid("jedi_prior_perplexity", "JEDI: α and the prior's perplexity", make, prior, axes)
    axes = {"symmetry": [0, 0.5, 1], "perplexity": perplexities}
    yield Grid("jedi_perplexity", "JEDI: α and the data's perplexity", make, prior, axes)


def search_grids(data: TwoFactorData) -> dict[str, Grid]:
    """Return the whole grid that the paper searched, by the method's short name."""
    n = len(data.X)
    labels, distances = priors.labels(data.known), priors.features(data.known_features)
    few, more, most = (round(share * n) for share in PERPLEXITIES)
    strengths = (0.2, 0.4, 0.5, 0.6, 0.8, 1, 1.2, 1.4, 1.5, 1.6, 1.8, 2, 2.5, 3, 4)
    neighbors = [round(share * n) for share in NEIGHBORS]
    axes: Mapping[str, Axes] = {
        "ctsne": {"other_label_weight": [10.0**-power for power in range(2, 8)]},
        "slle": {
            "strength": (0.0001, 0.001, *(step / 10 for step in range(1, 11))),
            "n_neighbors": neighbors,
        },
        "confetti": {"strength": strengths, "perplexity": [round(0.03 * n), few, more, most]},
        "jedi": {
            "symmetry": (0, 0.2, 0.5, 0.8, 1),
            "skewness": SKEWNESSES,
            "perplexity": [few, more, most],
            "prior_perplexity": [few, more, most],
        },
    }
    makers = {
        "ctsne": ("ct-SNE", methods.conditional_tsne, labels),
        "slle": ("sLLE⁻¹", methods.inverse_slle, labels),
        "confetti": ("CONFETTI", methods.confetti, distances),
        "jedi": ("JEDI", methods.jedi, distances),
    }
    return {name: Grid(name, *makers[name], axes[name]) for name in makers}
