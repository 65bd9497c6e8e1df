"""Other options, starts and readings of the recipe → how close they come to the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.decomposition import PCA

from unprior import priors, scores
from unprior._progress import progress_bar
from unprior.datasets import TwoFactorData, make_two_factor
from unprior.estimators import JEDI
from unprior.optimize import TwoPhases
from unprior.reproduce import _methods as methods
from unprior.reproduce._methods import Task, draw
from unprior.reproduce._results import NO_FIGURE, Section, quotable, spread, table
from unprior.reproduce._setting import Setting
from unprior.reproduce._synthetic import PAPER_KEPT, PAPER_LEFT, SAMPLES

#: Draws that played no part in choosing any option of the library; on the first, variants are
#: compared, on the others, one that did well there is tried again.
DRAWS, FRESH_DRAWS = range(20, 24), range(30, 40)
#: Random starts of a variant that is drawn more than once.
STARTS = 10
#: Name of the variants that change nothing.
PLAIN = "as above"

MAKERS: Mapping[str, Callable[..., Any]] = {
    "JEDI": methods.jedi,
    "sLLE⁻¹": methods.inverse_slle,
    "ct-SNE": methods.conditional_tsne,
}


class SteadyJEDI(JEDI):
    """JEDI as t-SNE is usually fitted: the same neighbourhoods and weight of the prior all along.

    Every coordinate has its own step size.
    """

    EXAGGERATION: ClassVar[float] = 1.0

    def _schedule(self, emphasis: float) -> TwoPhases:
        return TwoPhases(self.n_iter, self.learning_rate_, exaggeration=self.EXAGGERATION)


class ExaggeratedJEDI(SteadyJEDI):
    """The same with t-SNE's early exaggeration."""

    EXAGGERATION = 12.0


@dataclass(frozen=True)
class Variant:
    """One deviation of a method of the paper from the settings of the synthetic table.

    Attributes
    ----------
    method, name : str
        The method, and what is different.
    options : dict
        Options of the method; perplexities and numbers of neighbours as shares of the samples,
        "pca" for an initial map by principal components.
    by_labels : bool
        Give the method labels as prior, not distances.
    closer : bool
        Read the 2 in N(0, 2), from which cluster centres are drawn, as a variance.
    n_starts : int
        Number of random starts.
    kind : type, optional
        Another class with the same options.
    """

    method: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    by_labels: bool = False
    closer: bool = False
    n_starts: int = 1
    kind: type | None = None


#: The step size is t-SNE's usual one for 2000 samples.
BY_T_SNE: Mapping[str, Any] = {"init": "random", "n_iter": 2000, "learning_rate": 50.0}
CLOSE_TO_1 = Variant("JEDI", "β = 0.9999", {"skewness": 0.9999})
VARIANTS = (
    Variant("JEDI", PLAIN),
    Variant("JEDI", "2000 steps, as in the file names of the paper", {"n_iter": 2000}),
    Variant("JEDI", "250 steps", {"n_iter": 250}),
    Variant("JEDI", "start by principal components", {"init": "pca"}),
    Variant("JEDI", "random start", {"init": "random"}, n_starts=STARTS),
    Variant("JEDI", "t-SNE's steps, 2000, random start", BY_T_SNE, kind=ExaggeratedJEDI),
    Variant("JEDI", "the same without exaggeration", BY_T_SNE, kind=SteadyJEDI),
    Variant(
        "JEDI",
        "the same, start by principal components",
        {**BY_T_SNE, "init": "pca"},
        kind=SteadyJEDI,
    ),
    Variant("JEDI", "prior perplexity n/5", {"prior_perplexity": 1 / 5}),
    Variant("JEDI", "prior perplexity n/20", {"prior_perplexity": 1 / 20}),
    Variant("JEDI", "perplexity n/10", {"perplexity": 1 / 10}),
    CLOSE_TO_1,
    Variant("JEDI", "labels as prior", by_labels=True),
    Variant("JEDI", "cluster centres of variance 2", closer=True),
    Variant("sLLE⁻¹", PLAIN, by_labels=True),
    Variant("sLLE⁻¹", "ridge 0.1, not 0.001", {"regularization": 0.1}, by_labels=True),
    Variant("sLLE⁻¹", "ridge 0.01", {"regularization": 0.01}, by_labels=True),
    Variant("sLLE⁻¹", "ridge 0.00001", {"regularization": 1e-5}, by_labels=True),
    Variant("sLLE⁻¹", "n/10 neighbours, not n/2", {"n_neighbors": 1 / 10}, by_labels=True),
    Variant("sLLE⁻¹", "n/4 neighbours", {"n_neighbors": 1 / 4}, by_labels=True),
    Variant("sLLE⁻¹", "3n/4 neighbours", {"n_neighbors": 3 / 4}, by_labels=True),
    Variant("sLLE⁻¹", "α = 1, not 0.5", {"strength": 1.0}, by_labels=True),
    Variant("sLLE⁻¹", "cluster centres of variance 2", by_labels=True, closer=True),
    Variant("ct-SNE", PLAIN, by_labels=True),
    Variant("ct-SNE", "random start", by_labels=True, n_starts=STARTS),
    Variant("ct-SNE", "start by principal components", {"init": "pca"}, by_labels=True),
    Variant("ct-SNE", "perplexity 30, not 50", {"perplexity": 30 / SAMPLES}, by_labels=True),
    Variant("ct-SNE", "perplexity n/20", {"perplexity": 1 / 20}, by_labels=True),
    Variant("ct-SNE", "perplexity n/10", {"perplexity": 1 / 10}, by_labels=True),
    Variant("ct-SNE", "perplexity n/5", {"perplexity": 1 / 5}, by_labels=True),
    Variant("ct-SNE", "β = 0.01", {"other_label_weight": 0.01}, by_labels=True),
    Variant("ct-SNE", "cluster centres of variance 2", by_labels=True, closer=True),
)
CONFIRMED = (VARIANTS[0], CLOSE_TO_1)


def run_variants(setting: Setting) -> Section:
    """Try variants of three methods whose numbers in the synthetic table miss the paper's."""
    variants: Sequence[Variant] = VARIANTS
    if setting.quick:
        variants = [one for one in VARIANTS if one.name == PLAIN or one.n_starts > 1]
    draws, fresh = (few[:1] if setting.quick else few for few in (DRAWS, FRESH_DRAWS))
    with progress_bar(len(variants) + len(CONFIRMED), "variants", verbose=1) as bar:
        first = _rows(setting, variants, draws, bar)
        second = _rows(setting, CONFIRMED, fresh, bar)
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
                f"Absolute areas on draws {draws[0]} to {draws[-1]}, which played no part in "
                "choosing any option: mean ± standard deviation, and the smallest and the largest. "
                "The best areas are those with the most kept less left.",
            ),
            quotable("variants", table(header, [*paper, *first])),
            quotable(
                "variants-again-about",
                f"The same on draws {fresh[0]} to {fresh[-1]}, which nothing was chosen on.",
            ),
            quotable("variants-again", table(header, [paper[0], *second])),
        ],
    )


@dataclass(frozen=True)
class Scored:
    """The absolute areas of a map with the prior and the hidden labels, and its objective."""

    left: float
    kept: float
    objective: float | None


def _rows(
    setting: Setting, variants: Sequence[Variant], seeds: Sequence[int], bar: Any
) -> list[list[str]]:
    """Return the lines of a table: one for each variant, three for one with several starts."""
    rows = []
    for variant in variants:
        n_starts = min(variant.n_starts, 2) if setting.quick else variant.n_starts
        drawn = [
            [_score(setting, variant, seed, start) for start in range(n_starts)] for seed in seeds
        ]
        title = f"{variant.method}, {variant.name}"
        if n_starts == 1:
            rows.append(_row(title, [one for (one,) in drawn]))
        else:
            rows += [
                _row(f"{title}, {n_starts} times", [one for starts in drawn for one in starts]),
                _row("of these, lowest objective", [min(s, key=_objective) for s in drawn]),
                _row("of these, best areas", [max(s, key=_kept_less_left) for s in drawn]),
            ]
        bar.update()
    return rows


def _row(title: str, maps: Sequence[Scored]) -> list[str]:
    left, kept = [one.left for one in maps], [one.kept for one in maps]
    return [title, spread(left), _range(left), spread(kept), _range(kept)]


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.3f} to {max(values):.3f}"


def _objective(one: Scored) -> float:
    return np.inf if one.objective is None else one.objective


def _kept_less_left(one: Scored) -> float:
    return one.kept - one.left


def _score(setting: Setting, variant: Variant, seed: int, start: int) -> Scored:
    """Draw a map of a draw of the data from one of several starts, and score it."""
    data = make_two_factor(setting.samples(SAMPLES), random_state=seed)
    if variant.closer:
        data = with_closer_centers(data)
    labels = priors.labels(data.known)
    prior = labels if variant.by_labels else priors.features(data.known_features)
    estimator = MAKERS[variant.method](setting, seed + 1000 * start)
    if variant.kind is not None:
        estimator = variant.kind(**estimator.get_params(deep=False))
    estimator.set_params(**_options(variant.options, data.X))
    found = draw(Task(estimator, prior), data.X, setting.checkpoint)
    left, kept = (
        scores.overlap_curve(found.embedding, side).absolute_area
        for side in (labels, priors.labels(data.hidden))
    )
    return Scored(left, kept, found.objective)


def _options(options: Mapping[str, Any], X: Any) -> dict[str, Any]:
    """Return options for these data."""
    ready = dict(options)
    for name, value in options.items():
        if name.endswith("perplexity") or name == "n_neighbors":
            ready[name] = round(value * len(X))
        elif value == "pca":
            # As small as random starts.
            axes = PCA(2, random_state=0).fit_transform(X)
            ready[name] = 1e-4 * axes / axes.std()
    return ready


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
