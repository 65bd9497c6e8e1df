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
from unprior.selection._embed import METHODS

#: The kind of `unprior.Residual` that the method "residual" of `unprior.embed` takes.
RESIDUAL = str(METHODS["residual"].residual)


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
    """A map, the words on a stop from the keyboard that cut it short, and what "auto" chose."""

    Y: Floats
    stopped: str = ""
    choice: Choice | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """What there is to tell of the choice; nothing if none was made."""
        if self.choice is None:
            return {}
        tried = [str(trial) for trial in self.choice.trials]
        method, reason = str(self.choice.chosen), self.choice.reason
        return {"choice": {"method": method, "reason": reason, "tried": tried}}


def draw(method: str, X: Floats, priors: dict[str, Prior], setting: Setting) -> Drawn:
    """Draw the map; what the library warns of is said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=UnpriorWarning)
        if method == "auto":
            Y, choice = unprior.embed(X, prior=priors, return_report=True, **setting.shared)
            say(str(choice))
        else:
            Y, choice = _METHODS[method](X, priors, setting), None
    stopped = ""
    for warning in caught:
        told = " ".join(str(warning.message).split())
        if issubclass(warning.category, InterruptedFitWarning):
            stopped = told.partition(";")[0]  # then follows where the library keeps the map
        else:
            say(f"Warning: {told}")
    return Drawn(Y, stopped, choice)


def _residual(X: Floats, priors: dict[str, Prior], setting: Setting) -> Floats:
    """Draw as `unprior.embed` draws its method "residual", with the share that is to go gone."""
    if setting.strength is None:
        return unprior.embed(X, prior=priors, method="residual", **setting.shared)
    options: dict[str, Any] = {"metric": setting.metric, "strength": setting.strength}
    rest = estimators.Residual(RESIDUAL, **options).fit_transform(X, prior=priors)
    return unprior.embed(rest, prior=priors, method="jedi", **setting.shared)


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
