"""Other options, starts and readings of the recipe → how close they come to the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unprior import priors, scores
from unprior._progress import progress_bar
from unprior.datasets import TwoFactorData, make_two_factor
from unprior.reproduce import _methods as methods
from unprior.reproduce._methods import Task, draw
from unprior.reproduce._results import NO_FIGURE, Section, quotable, spread, table
from unprior.reproduce._setting import Setting
from unprior.reproduce._synthetic import PAPER_KEPT, PAPER_LEFT, SAMPLES

#: Draws that played no part in choosing any option of the library.
DRAWS = range(20, 24)
#: Name of the variants that change nothing.
PLAIN = "as above"

MAKERS: Mapping[str, Callable[..., Any]] = {
    "JEDI": methods.jedi,
    "sLLE⁻¹": methods.inverse_slle,
    "ct-SNE": methods.conditional_tsne,
}


@dataclass(frozen=True)
class Variant:
    """One deviation of a method of the paper from the settings of the synthetic table.

    Attributes
    ----------
    method, name : str
        The method, and what is different.
    options : dict
        Options of the method; perplexities as shares of the samples.
    by_labels : bool
        Give the method labels as prior, not distances.
    closer : bool
        Read the 2 in N(0, 2), from which cluster centres are drawn, as a variance.
    start : int
        Added to the seed: another random start.
    """

    method: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    by_labels: bool = False
    closer: bool = False
    start: int = 0


VARIANTS = (
    Variant("JEDI", PLAIN),
    Variant("JEDI", "2000 steps, as in the file names of the paper", {"n_iter": 2000}),
    Variant("JEDI", "250 steps", {"n_iter": 250}),
    Variant("JEDI", "random start", {"init": "random"}),
    Variant("JEDI", "prior perplexity n/5", {"prior_perplexity": 1 / 5}),
    Variant("JEDI", "prior perplexity n/20", {"prior_perplexity": 1 / 20}),
    Variant("JEDI", "perplexity n/10", {"perplexity": 1 / 10}),
    Variant("JEDI", "β = 0.9999", {"skewness": 0.9999}),
    Variant("JEDI", "labels as prior", by_labels=True),
    Variant("JEDI", "cluster centres of variance 2", closer=True),
    Variant("sLLE⁻¹", PLAIN, by_labels=True),
    Variant("sLLE⁻¹", "ridge 0.01, not 0.001", {"regularization": 0.01}, by_labels=True),
    Variant("sLLE⁻¹", "cluster centres of variance 2", by_labels=True, closer=True),
    Variant("ct-SNE", PLAIN, by_labels=True),
    Variant("ct-SNE", "another random start", by_labels=True, start=1000),
    Variant("ct-SNE", "a third random start", by_labels=True, start=2000),
)


def run_variants(setting: Setting) -> Section:
    """Try variants of three methods whose numbers in the synthetic table miss the paper's."""
    seeds = DRAWS[:1] if setting.quick else DRAWS
    variants = [one for one in VARIANTS if one.name == PLAIN] if setting.quick else VARIANTS
    rows = []
    with progress_bar(len(variants), "variants", verbose=1) as bar:
        for variant in variants:
            left, kept = zip(*(_score(setting, variant, seed) for seed in seeds), strict=True)
            rows.append(
                [
                    f"{variant.method}, {variant.name}",
                    spread(left),
                    f"{min(left):.3f} to {max(left):.3f}",
                    spread(kept),
                    f"{min(kept):.3f} to {max(kept):.3f}",
                ]
            )
            bar.update()
    paper = [
        [f"*paper: {name}*", f"*{PAPER_LEFT[name]}*", NO_FIGURE, f"*{PAPER_KEPT[name]}*", NO_FIGURE]
        for name in MAKERS
    ]
    header = ["", "prior labels left", "range", "hidden labels kept", "range"]
    return Section(
        "Synthetic data, variants",
        [
            quotable(
                "variants-about",
                f"Absolute areas on draws {seeds[0]} to {seeds[-1]}, which played no part in "
                "choosing any option: mean ± standard deviation, and the smallest and the largest.",
            ),
            quotable("variants", table(header, [*paper, *rows])),
        ],
    )


def _score(setting: Setting, variant: Variant, seed: int) -> tuple[float, float]:
    """Return the absolute areas with the prior labels and with the hidden labels."""
    data = make_two_factor(setting.samples(SAMPLES), random_state=seed)
    if variant.closer:
        data = with_closer_centers(data)
    labels = priors.labels(data.known)
    prior = labels if variant.by_labels else priors.features(data.known_features)
    options = {
        name: round(value * len(data.X)) if name.endswith("perplexity") else value
        for name, value in variant.options.items()
    }
    estimator = MAKERS[variant.method](setting, seed + variant.start)
    Y = draw(Task(estimator.set_params(**options), prior), data.X, setting.checkpoint).embedding
    left, kept = (
        scores.overlap_curve(Y, side).absolute_area for side in (labels, priors.labels(data.hidden))
    )
    return left, kept


def with_closer_centers(data: TwoFactorData) -> TwoFactorData:
    """Move clusters together, as if their centres had variance 2 and not standard deviation 2."""
    known = _closer(data.known_features, data.known)
    hidden = _closer(data.hidden_features, data.hidden)
    noise = data.X[:, known.shape[1] + hidden.shape[1] :]
    return replace(
        data, X=np.hstack([known, hidden, noise]), known_features=known, hidden_features=hidden
    )


def _closer(features: Any, groups: Any) -> Any:
    moved = features.copy()
    for group in np.unique(groups):
        rows = groups == group
        moved[rows] -= (1 - np.sqrt(0.5)) * features[rows].mean(axis=0)
    return moved
