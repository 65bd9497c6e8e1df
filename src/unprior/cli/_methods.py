"""The name of a method, data and priors → the map, by the library's estimators."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import unprior
from unprior import estimators
from unprior._typing import Floats
from unprior._warnings import InterruptedFitWarning, PriorMissingWarning, UnpriorWarning
from unprior.cli._manners import say
from unprior.priors import Prior


@dataclass(frozen=True)
class Setting:
    """What every method is told."""

    metric: str
    strength: float | list[float] | None
    seed: int
    jobs: int

    @property
    def shared(self) -> dict[str, Any]:
        """Options that all maps take."""
        return {"metric": self.metric, "random_state": self.seed, "n_jobs": self.jobs}

    @property
    def options(self) -> dict[str, Any]:
        """The same, with the strength if one was given."""
        return self.shared if self.strength is None else {**self.shared, "strength": self.strength}


@dataclass(frozen=True, eq=False)
class Drawn:
    """A map, and whether a stop from the keyboard cut it short."""

    Y: Floats
    stopped: bool


def draw(method: str, X: Floats, priors: dict[str, Prior], setting: Setting) -> Drawn:
    """Draw the map; what the library warns of is said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=UnpriorWarning)
        Y = _METHODS[method](X, priors, setting)
    for warning in caught:
        say(f"Warning: {' '.join(str(warning.message).split())}")
    return Drawn(Y, any(issubclass(w.category, InterruptedFitWarning) for w in caught))


def _auto(X: Floats, priors: dict[str, Prior], setting: Setting) -> Floats:
    Y, choice = unprior.embed(X, prior=priors, return_report=True, **setting.shared)
    say(str(choice))
    return Y


def _jedi(X: Floats, priors: dict[str, Prior], setting: Setting) -> Floats:
    return estimators.JEDI(**setting.options).fit_transform(X, prior=priors)


def _residual(X: Floats, priors: dict[str, Prior], setting: Setting) -> Floats:
    """Take out what the priors explain, then draw t-SNE, which is JEDI without a prior."""
    metric = "precomputed" if setting.metric == "precomputed" else "euclidean"
    strength: dict[str, Any] = {} if setting.strength is None else {"strength": setting.strength}
    rest = estimators.Residual(metric=metric, **strength).fit_transform(X, prior=priors)
    warnings.filterwarnings("ignore", category=PriorMissingWarning)  # within `draw`
    return estimators.JEDI(**setting.shared).fit_transform(rest)


def _by(name: str) -> Callable[[Floats, dict[str, Prior], Setting], Floats]:
    def fit(X: Floats, priors: dict[str, Prior], setting: Setting) -> Floats:
        return getattr(estimators, name)(**setting.options).fit_transform(X, prior=priors)

    return fit


_METHODS: dict[str, Callable[[Floats, dict[str, Prior], Setting], Floats]] = {
    "auto": _auto,
    "jedi": _jedi,
    "confetti": _by("Confetti"),
    "ctsne": _by("ConditionalTSNE"),
    "revised-ctsne": _by("RevisedConditionalTSNE"),
    "slle": _by("InverseSLLE"),
    "residual": _residual,
}
