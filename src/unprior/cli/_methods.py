"""The name of a method, data and priors → the map, by the library's estimators."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import unprior
from unprior import estimators
from unprior._methods import METHODS, Method
from unprior._typing import Floats
from unprior._warnings import (
    DataWarning,
    InterruptedFitWarning,
    OverRemovalWarning,
    UnpriorWarning,
)
from unprior.cli._messages import say
from unprior.estimators._base import keep_for
from unprior.priors import Prior

if TYPE_CHECKING:
    from unprior import EmbedReport


@dataclass(frozen=True)
class Setting:
    """What every method is told."""

    metric: str
    strength: float | list[float] | None
    seed: int
    jobs: int
    checkpoint: Path | None = None
    keep: dict[str, Any] | None = None

    @property
    def shared(self) -> dict[str, Any]:
        """Options that all maps take."""
        return {"metric": self.metric, "random_state": self.seed, "n_jobs": self.jobs}

    @property
    def options(self) -> dict[str, Any]:
        """The same, with the strength and the checkpoint if they were given."""
        given = {"strength": self.strength, "checkpoint": self.checkpoint}
        return self.shared | {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, eq=False)
class Drawn:
    """A map, the words on a stop from the keyboard that cut it short, and what `embed` reports."""

    Y: Floats
    stopped: str = ""
    report: EmbedReport | None = None
    estimator: Any = None

    @property
    def facts(self) -> dict[str, Any]:
        """The report in plain types; nothing of a map that is an estimator's own."""
        return {} if self.report is None else {"report": self.report.to_dict()}


def draw(method: str, X: Floats, priors: dict[str, Prior], setting: Setting) -> Drawn:
    """Draw the map; what the library reports and warns of is said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=UnpriorWarning)
        Y, report, *fitted = _METHODS[method](X, priors, setting)
    stopped = ""
    for warning in caught:
        told = " ".join(str(warning.message).split())
        if issubclass(warning.category, InterruptedFitWarning):
            stopped = told.partition(";")[0]  # then follows where the library keeps the map
        elif not issubclass(warning.category, SAID):
            say(f"Warning: {told}")
    if report is not None and not stopped:
        say(str(report))
    return Drawn(Y, stopped, report, *fitted)


#: The scores tell of the one, and `unprior.cli._prepare` of the other, in the shell's words.
SAID = (OverRemovalWarning, DataWarning)

#: The map, a report if there is one, and the fitted estimator if it is at hand.
_Draw: TypeAlias = "Callable[[Floats, dict[str, Prior], Setting], tuple[Any, ...]]"


def _by_embed(method: Method) -> _Draw:
    """Draw by a method of `unprior.embed`."""

    def draw(X: Floats, priors: dict[str, Prior], setting: Setting) -> Any:
        options = {"method": method.name, "return_report": True, **setting.options}
        return unprior.embed(X, prior=priors, keep=setting.keep, **options)

    return draw


def _by_estimator(method: Method) -> _Draw:
    """Draw by an estimator with its own defaults."""

    def draw(X: Floats, priors: dict[str, Prior], setting: Setting) -> tuple[Floats, None, Any]:
        estimator = getattr(estimators, method.estimator)(**setting.options)
        known: dict[str, Any] = {"prior": priors, **keep_for(estimator, setting.keep)}
        return estimator.fit_transform(X, **known), None, estimator

    return draw


_METHODS: dict[str, _Draw] = {
    name: (_by_embed if method.with_report else _by_estimator)(method)
    for name, method in METHODS.items()
}
