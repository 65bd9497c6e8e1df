"""The name of a method, data and priors → the map, by the library's estimators."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import unprior
from unprior import estimators
from unprior._typing import Floats
from unprior._warnings import InterruptedFitWarning, UnpriorWarning
from unprior.cli._manners import say
from unprior.priors import Prior
from unprior.selection import Choice


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
    """A map, whether a stop from the keyboard cut it short, and what "auto" chose."""

    Y: Floats
    stopped: bool
    choice: Choice | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """What there is to tell of the choice; nothing if none was made."""
        if self.choice is None:
            return {}
        return {"choice": {"method": str(self.choice.chosen), "reason": self.choice.reason}}


def draw(method: str, X: Floats, priors: dict[str, Prior], setting: Setting) -> Drawn:
    """Draw the map; what the library warns of is said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=UnpriorWarning)
        if method == "auto":
            Y, choice = unprior.embed(X, prior=priors, return_report=True, **setting.shared)
            say(str(choice))
        else:
            Y, choice = _METHODS[method](X, priors, setting), None
    for warning in caught:
        say(f"Warning: {' '.join(str(warning.message).split())}")
    stopped = any(issubclass(w.category, InterruptedFitWarning) for w in caught)
    return Drawn(Y, stopped, choice)


def _residual(X: Floats, priors: dict[str, Prior], setting: Setting) -> Floats:
    """Draw the residual as `unprior.embed` does, or one of a given strength by plain t-SNE."""
    if setting.strength is None:
        return unprior.embed(X, prior=priors, method="residual", **setting.shared)
    options: dict[str, Any] = {"metric": setting.metric, "strength": setting.strength}
    rest = estimators.Residual(**options).fit_transform(X, prior=priors)
    return unprior.embed(rest, prior=priors, method="tsne", **setting.shared)


def _by(name: str) -> Callable[[Floats, dict[str, Prior], Setting], Floats]:
    def fit(X: Floats, priors: dict[str, Prior], setting: Setting) -> Floats:
        return getattr(estimators, name)(**setting.options).fit_transform(X, prior=priors)

    return fit


_METHODS: dict[str, Callable[[Floats, dict[str, Prior], Setting], Floats]] = {
    "jedi": _by("JEDI"),
    "confetti": _by("Confetti"),
    "ctsne": _by("ConditionalTSNE"),
    "revised-ctsne": _by("RevisedConditionalTSNE"),
    "slle": _by("InverseSLLE"),
    "residual": _residual,
}
