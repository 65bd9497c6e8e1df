"""The report of `unprior.embed` on its map."""

from __future__ import annotations

import html
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from unprior import scores
from unprior._strengths import read_strengths
from unprior._typing import Floats, Metric
from unprior._warnings import OverRemovalWarning, caller_level
from unprior.estimators import IndependentTSNE
from unprior.geometry import data_distances
from unprior.priors import Keep, Prior
from unprior.priors._simplified import cap_distances
from unprior.residual import WITH_RESIDUAL
from unprior.scores import Confounding
from unprior.scores._report import LEAST_WITHIN
from unprior.scores._rows import auto_rows

#: Number of neighbours for the scores.
NEIGHBORS = 15


@dataclass(frozen=True, repr=False)
class EmbedReport:
    """How a map was drawn and what it shows; printed as a few lines.

    Attributes
    ----------
    estimator : estimator
        Not fitted. ``estimator.fit_transform(X, prior=prior)`` draws the same map, with kept labels
        ``estimator.fit_transform(X, prior=prior, keep=keep)``. For the method "residual" it is a
        pipeline, whose prior goes to one step (``residual__prior``).
    left : dict of str to float
        By prior, how much of it the 15 nearest map neighbours share: 0 is chance, 1 is all.
    before : dict of str to float
        The same for the 15 nearest neighbours in the data.
    left_within, before_within : dict of str to float
        The same relative to chance within kept classes (`unprior.scores.left_within`), which is the
        constraint of a map with kept labels; for groups that differ in composition, within clusters
        that they share. Otherwise empty.
    confounding : dict of str to Confounding
        By prior, its association with the kept labels or these clusters; empty without any.
    kept : float
        How much the map keeps of the data's neighbours among samples that are similar in the prior
        (`unprior.scores.kept_within`): 0 is chance, 1 is all. NaN without a prior.
    multiplier : dict of str to float
        By prior, the multiplier of its constraint; empty for methods without constraints.
    reason : str
        Why the map is drawn as it is, in a sentence.
    settings : dict
        All settings, with "auto" resolved, in plain types.
    n_samples, n_scored : int
        Number of samples of the map, and of those scored.
    fitted : estimator
        The fitted estimator: ``fitted.transform(X_new, prior=...)`` places new samples on the map.
        It holds the data in memory.
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
    left_within: dict[str, float] = field(default_factory=dict)
    before_within: dict[str, float] = field(default_factory=dict)
    confounding: dict[str, Confounding] = field(default_factory=dict)
    fitted: Any = field(default=None, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the estimators in plain types, for JSON or a methods section."""
        return {
            "method": self.settings["method"],
            "reason": self.reason,
            "left": dict(self.left),
            "before": dict(self.before),
            **self._within_to_dict(),
            "kept": None if math.isnan(self.kept) else self.kept,
            "multiplier": dict(self.multiplier),
            "settings": dict(self.settings),
            "n_samples": self.n_samples,
            "n_scored": self.n_scored,
        }

    def _within_to_dict(self) -> dict[str, Any]:
        if not self.confounding:
            return {}
        return {
            "left_within": dict(self.left_within),
            "before_within": dict(self.before_within),
            "confounding": {name: each.value for name, each in self.confounding.items()},
        }

    def __repr__(self) -> str:
        lines = [f"{self.settings['method']}: {self.reason}"]
        lines += [
            f"- {name}: {self.before[name]:z.2f} shared by neighbours in the data, "
            f"{left:z.2f} left on the map"
            for name, left in self.left.items()
        ]
        lines += [
            f"- {name} within {self.confounding[name].names[1]}: "
            f"{self.before_within[name]:z.2f} in the data, {left:z.2f} left on the map"
            for name, left in self.left_within.items()
        ]
        if not math.isnan(self.kept):
            lines.append(f"- kept of the data within the prior: {self.kept:z.2f}")
        if self.n_scored < self.n_samples:
            lines.append(f"({self.n_scored} of {self.n_samples} samples scored)")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return "<p>" + "<br>".join(html.escape(line) for line in repr(self).split("\n")) + "</p>"


def sampling(n_samples: int) -> dict[str, Any]:
    """Return how maps of so many samples are scored: by how many neighbours of how many rows."""
    k = min(NEIGHBORS, (n_samples - 1) // 3)
    return {"k": k, "n_rows": auto_rows(n_samples), "random_state": 0}


def left_on(
    place: Any, priors: Mapping[str, Prior], sampled: Mapping[str, Any], keep: Keep | None = None
) -> dict[str, float]:
    """Return how much of each prior neighbours share, where 0 is chance (in kept classes)."""
    measure = scores.neighbor_coherence if keep is None else partial(scores.left_within, keep=keep)
    return {name: measure(place, cap_distances(p), **sampled) for name, p in priors.items()}


def report_on(
    method: str,
    fitted: Any,
    Y: Floats,
    X: Floats,
    priors: Mapping[str, Prior],
    metric: Metric,
    keep: Keep | None,
    confounding: dict[str, Confounding],
) -> EmbedReport:
    """Score a map; warn if it keeps little besides the prior.

    ``confounding`` is the association of each prior with the kept labels.
    """
    sampled = sampling(len(Y))
    data = data_distances(X, metric, who="embed")
    left, before = (left_on(place, priors, sampled) for place in (Y, data))
    left_within, before_within = (
        {} if keep is None else left_on(place, priors, sampled, keep) for place in (Y, data)
    )
    kept = scores.kept_within(Y, data, priors, **sampled) if priors else float("nan")
    if kept < LEAST_WITHIN:
        message = (
            f"embed: the map keeps little of the data's neighbours among samples that are similar "
            f"in the prior ({kept:z.2f}; 0 is chance, 1 is all): unless that is noise, more than "
            "the prior was removed. Try a lower strength, and compare with the plain map, "
            "embed(..., method='tsne')."
        )
        warnings.warn(message, OverRemovalWarning, stacklevel=caller_level())
    return EmbedReport(
        clone(fitted),
        left,
        before,
        kept,
        dict(getattr(prior_step(fitted)[1], "multiplier_", {})),
        _reason(method, fitted, priors),
        {"method": method, "estimator": _name(fitted), **_settings(fitted)},
        len(Y),
        sampled["n_rows"],
        left_within,
        before_within,
        confounding,
        fitted,
    )


def prior_step(fitted: Any) -> tuple[str, Any]:
    """Return the name and the step of a pipeline that takes the prior; "" for an estimator."""
    if not isinstance(fitted, Pipeline):
        return "", fitted
    return fitted.steps[0]


def _reason(method: str, fitted: Any, priors: Mapping[str, Prior]) -> str:
    """Return why the map was drawn in this way."""
    _, fitted = prior_step(fitted)
    data = "the data's directions" if fitted.metric == "cosine" else "the data"
    if not priors:
        return "There is no prior to factor out."
    if not isinstance(fitted, IndependentTSNE) or method == "tsne":
        return "The method was chosen by the caller."
    if not np.any(read_strengths("embed", fitted.strength, [*priors])):
        return f"t-SNE of {data}: at strength 0 nothing is factored out."
    level = "" if fitted.level_ == "all samples" else f" within {fitted.level_}"
    if fitted.residual_ is None and fitted.metric in WITH_RESIDUAL:
        where = f"{level}, where it" if level else ", which"
        return (
            f"t-SNE of {data}, constrained to be independent of the prior{where} is not visible "
            "among neighbours in the data."
        )
    also = "" if fitted.residual_ is None else f" and their {fitted.residual_.kind} residual"
    return f"t-SNE of {data}{also}, constrained to be independent of the prior{level}."


def _name(fitted: Any) -> str:
    """Return the name of an estimator, or those of the steps of a pipeline."""
    steps = [step for _, step in fitted.steps] if isinstance(fitted, Pipeline) else [fitted]
    return ", ".join(type(step).__name__ for step in steps)


def _settings(fitted: Any) -> dict[str, Any]:
    """Return the settings of a fitted estimator in plain types, with "auto" resolved."""
    if isinstance(fitted, Pipeline):
        return {
            f"{name}__{option}": value
            for name, step in fitted.steps
            for option, value in _settings(step).items()
        }
    used = {}
    for name, value in fitted.get_params(deep=False).items():
        # The resolved value; but n_iter_ counts the steps, and embedder_ is a fitted object.
        found = value if name in ("n_iter", "embedder") else getattr(fitted, f"{name}_", value)
        used[name] = _plain(getattr(found, "kind", None) if name == "residual" else found)
    return used


def _plain(value: Any) -> Any:
    """Return a value in the types of JSON, others as text."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
