"""Data and prior -> map and a report on it, for people who do not want to choose a method."""

from __future__ import annotations

import html
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from unprior import scores
from unprior._params import Either, Number, OneOf, check_value
from unprior._random import draw_seed
from unprior._typing import Floats, Metric
from unprior._warnings import OverRemovalWarning, PriorMissingWarning, caller_level
from unprior.estimators import JEDI, Confetti, IndependentTSNE, Residual
from unprior.estimators._base import read_data, read_priors
from unprior.estimators._options import COMPONENTS, N_JOBS, RANDOM_STATE, STRENGTHS, VERBOSE
from unprior.priors import Prior, data_distances
from unprior.priors._capped import cap_distances
from unprior.scores._over_removal import LEAST_WITHIN
from unprior.scores._rows import auto_rows

#: Effective number of neighbours of every map.
PERPLEXITY = 30.0

#: Map neighbours that are scored.
NEIGHBORS = 15


@dataclass(frozen=True, repr=False)
class EmbedReport:
    """How a map was drawn and what it shows; prints as a few lines.

    Attributes
    ----------
    estimator : estimator
        Not fitted. ``estimator.fit_transform(X, prior=prior)`` draws the same map. Of the method
        "residual" it is a pipeline, whose prior goes to its first step (``residual__prior``).
    left : dict of str to float
        By prior, what the 15 nearest map neighbours share of it: 0 is chance, 1 is all.
    before : dict of str to float
        The same of the 15 nearest neighbours in the data.
    kept : float
        What the map keeps of the data's neighbours among samples that are alike in the prior
        (`unprior.scores.kept_within`): 0 is chance, 1 is all. NaN without a prior.
    multiplier : dict of str to float
        By prior, the multiplier of its constraint; empty for methods without constraints.
    reason : str
        Why the map is drawn as it is, in a sentence.
    settings : dict
        Every setting that was used, "auto" resolved, in plain types.
    n_samples, n_scored : int
        Samples on the map, and those of them that were scored.
    """

    estimator: Any
    left: dict[str, float]
    before: dict[str, float]
    kept: float
    multiplier: dict[str, float]
    reason: str
    settings: dict[str, Any]
    n_samples: int
    n_scored: int

    def to_dict(self) -> dict[str, Any]:
        """Return all but the estimator in plain types, for JSON or a methods section."""
        return {
            "method": self.settings["method"],
            "reason": self.reason,
            "left": dict(self.left),
            "before": dict(self.before),
            "kept": None if math.isnan(self.kept) else self.kept,
            "multiplier": dict(self.multiplier),
            "settings": dict(self.settings),
            "n_samples": self.n_samples,
            "n_scored": self.n_scored,
        }

    def __repr__(self) -> str:
        lines = [f"{self.settings['method']}: {self.reason}"]
        lines += [
            f"- {name}: {self.before[name]:.2f} shared by neighbours in the data, {left:.2f} left "
            "on the map"
            for name, left in self.left.items()
        ]
        if not math.isnan(self.kept):
            lines.append(f"- kept of the data within the prior: {self.kept:.2f}")
        if self.n_scored < self.n_samples:
            lines.append(f"({self.n_scored} of {self.n_samples} samples scored)")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return "<p>" + "<br>".join(html.escape(line) for line in repr(self).split("\n")) + "</p>"


def embed(
    X: Any,
    *,
    prior: Any,
    strength: Any = 1.0,
    method: str = "auto",
    metric: Metric = "euclidean",
    n_components: int = 2,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    return_report: bool = False,
) -> Any:
    """Draw a map with a prior factored out.

    This is `unprior.IndependentTSNE` as a function: t-SNE whose map neighbours are no more alike in
    the prior than random samples are. Nothing is tried on a part of the samples, and the report
    scores the map that is returned.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Features, or distances if ``metric="precomputed"``.
    prior : Prior, array-like, or several of them in a list or dict
        What is known; see `unprior.priors.as_prior`.
    strength : float, list or dict, default=1.0
        How much of the prior is removed: 0 leaves it in, 1 removes it, 0.5 leaves half of what a
        plain map shows. With several priors, one number for all or one for each.
    method : {"auto", "tsne", "jedi", "confetti", "residual"}, default="auto"
        "auto" is `unprior.IndependentTSNE`. The others are for comparison: plain t-SNE, JEDI at
        perplexity 30, CONFETTI with t-SNE, and plain t-SNE of the aligned residual.
    metric : str or callable, default="euclidean"
        Distance between rows of ``X``. Others than "euclidean" and "precomputed" have no residual.
    n_components : int, default=2
        Dimensions of the map.
    n_jobs : int, optional
        Threads: None is one, -1 all. The result does not depend on it.
    random_state : int or RandomState, optional
        Seed: the same seed gives the same map.
    verbose : int, default=0
        0 shows progress where a person is watching, 1 always.
    return_report : bool, default=False
        Return a report as well: what is left of the prior, what is kept, every setting that was
        used, and an estimator that draws the same map.

    Returns
    -------
    embedding : ndarray of shape (n_samples, n_components)
    report : EmbedReport
        With ``return_report=True``.

    See Also
    --------
    IndependentTSNE : The estimator behind it.
    unprior.scores.report : More scores of a map.

    Notes
    -----
    A `ConstraintWarning` says so if more of a prior is left than was asked for, with the number. An
    `OverRemovalWarning` says so if the map keeps little of the data's neighbours even among samples
    that are alike in the prior, so that more may be gone than the prior.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(150, random_state=0)
    >>> Y, report = up.embed(data.X, prior=data.known, random_state=0, return_report=True)
    >>> Y.shape, abs(report.left["prior"]) < 0.05
    ((150, 2), True)
    >>> report.estimator
    IndependentTSNE(random_state=0)
    """
    check_value("embed", "method", method, OneOf(*METHODS))
    for name, takes, value in (
        ("strength", STRENGTHS, strength),
        ("n_components", COMPONENTS.takes, n_components),
        ("n_jobs", N_JOBS.takes, n_jobs),
        ("random_state", RANDOM_STATE.takes, random_state),
        ("verbose", VERBOSE.takes, verbose),
    ):
        check_value("embed", name, value, takes)
    reader = IndependentTSNE(metric=metric)
    X = read_data(reader, X, who="embed")
    priors = read_priors(reader, prior, len(X), who="embed")
    shared: dict[str, Any] = {
        "metric": metric,
        "n_components": n_components,
        "n_jobs": n_jobs,
        "random_state": draw_seed(random_state),
        "verbose": verbose,
    }
    fitted = METHODS[method](strength, shared)
    Y = _fit_transform(fitted, X, priors)
    if not return_report:
        return Y
    return Y, _report(method, fitted, Y, X, metric, priors)


def _independent(strength: Any, shared: Mapping[str, Any]) -> Any:
    return IndependentTSNE(strength=strength, **shared)


def _plain(strength: Any, shared: Mapping[str, Any]) -> Any:
    return IndependentTSNE(strength=0.0, **shared)


def _jedi(strength: Any, shared: Mapping[str, Any]) -> Any:
    return JEDI(strength=strength, perplexity=PERPLEXITY, **shared)


def _confetti(strength: Any, shared: Mapping[str, Any]) -> Any:
    return Confetti(strength=strength, embedder="tsne", **shared)


def _residual(strength: Any, shared: Mapping[str, Any]) -> Any:
    check_value("embed", "strength", strength, Number(0, 1))
    metric = shared["metric"]
    check_value("embed", "metric", metric, Either(OneOf("euclidean", "l2", "precomputed")))
    return Pipeline(
        [
            ("residual", Residual("aligned", strength=strength, metric=metric)),
            ("tsne", _plain(0.0, shared)),
        ]
    )


#: A strength and the shared options to an estimator, by the name of the method.
METHODS: dict[str, Callable[[Any, Mapping[str, Any]], Any]] = {
    "auto": _independent,
    "tsne": _plain,
    "jedi": _jedi,
    "confetti": _confetti,
    "residual": _residual,
}


def _fit_transform(estimator: Any, X: Floats, priors: Mapping[str, Prior]) -> Floats:
    if not priors:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=PriorMissingWarning)  # said already
            return estimator.fit_transform(X)
    if isinstance(estimator, Pipeline):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=PriorMissingWarning)  # t-SNE comes second
            return estimator.fit_transform(X, residual__prior=priors)
    return estimator.fit_transform(X, prior=priors)


def _report(
    method: str,
    fitted: Any,
    Y: Floats,
    X: Floats,
    metric: Metric,
    priors: Mapping[str, Prior],
) -> EmbedReport:
    n, k = len(Y), min(NEIGHBORS, (len(Y) - 1) // 3)
    n_rows = auto_rows(n)
    sampled: dict[str, Any] = {"n_rows": n_rows, "random_state": 0}
    judged = {name: cap_distances(prior) for name, prior in priors.items()}
    data = data_distances(X, metric, who="embed")
    left = {
        name: scores.neighbor_coherence(Y, prior, k, **sampled) for name, prior in judged.items()
    }
    before = {
        name: scores.neighbor_coherence(data, prior, k, **sampled) for name, prior in judged.items()
    }
    kept = float("nan")
    if priors:
        kept = scores.kept_within(Y, data, priors, k, **sampled)
    if kept < LEAST_WITHIN:
        message = (
            f"embed: the map keeps little of the data's neighbours among samples that are alike in "
            f"the prior ({kept:.2f}; 0 is chance, 1 is all): unless that is noise, more is gone "
            "than the prior. Try less strength, and look at the plain map, "
            "embed(..., method='tsne')."
        )
        warnings.warn(message, OverRemovalWarning, stacklevel=caller_level())
    multiplier = dict(getattr(fitted, "multiplier_", {}))
    return EmbedReport(
        clone(fitted),
        left,
        before,
        kept,
        multiplier,
        _reason(method, fitted, priors),
        {"method": method, **_settings(fitted)},
        n,
        n_rows,
    )


def _reason(method: str, fitted: Any, priors: Mapping[str, Prior]) -> str:
    """Say why the map is drawn as it is."""
    if not priors:
        return "There is no prior to factor out."
    if method != "auto":
        return "The method was asked for."
    if fitted.residual_ is None and not any(fitted.multiplier_.values()):
        return "Neighbours in the data show no more of the prior than chance would."
    beside = "" if fitted.residual_ is None else f" beside their {fitted.residual_.kind} residual"
    return f"t-SNE of the data{beside}, constrained to be independent of the prior."


def _settings(fitted: Any) -> dict[str, Any]:
    """Return every setting of a fitted estimator in plain types, "auto" resolved."""
    if isinstance(fitted, Pipeline):
        return {
            f"{name}__{option}": value
            for name, step in fitted.steps
            for option, value in _settings(step).items()
        }
    used = {}
    for name, value in fitted.get_params(deep=False).items():
        value = getattr(fitted, f"{name}_", value)
        if name == "residual":
            value = getattr(value, "kind", None)
        if isinstance(value, np.generic):
            value = value.item()
        used[name] = value if isinstance(value, str | int | float | bool | None) else str(value)
    return used
