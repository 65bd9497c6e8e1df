"""Draw a map by the name of a method."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

#: The table of scores shows the first, `unprior.cli._remarks` rephrases the second.
SHOWN_ELSEWHERE = (OverRemovalWarning, DataWarning)


@dataclass(frozen=True)
class MapOptions:
    """Options that every method takes."""

    metric: str
    strength: float | list[float] | None
    seed: int
    jobs: int
    checkpoint: Path | None = None
    keep: dict[str, Any] | None = None

    @property
    def common(self) -> dict[str, Any]:
        """Constructor arguments that all estimators take."""
        return {"metric": self.metric, "random_state": self.seed, "n_jobs": self.jobs}

    @property
    def arguments(self) -> dict[str, Any]:
        """The same, with strength and checkpoint if they were given."""
        given = {"strength": self.strength, "checkpoint": self.checkpoint}
        return self.common | {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, eq=False)
class DrawnMap:
    """A map; if interrupted, a message that says so; and the report of `unprior.embed`, if any."""

    Y: Floats
    stopped: str = ""
    report: EmbedReport | None = None
    estimator: Any = None

    @property
    def facts(self) -> dict[str, Any]:
        """The report in plain types; empty if there is none."""
        return {} if self.report is None else {"report": self.report.to_dict()}


def draw(method: str, X: Floats, priors: dict[str, Prior], options: MapOptions) -> DrawnMap:
    """Draw the map; print the library's report and warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=UnpriorWarning)
        Y, report, estimator = _fit(X, priors, options, METHODS[method])
    stopped = ""
    for warning in caught:
        text = " ".join(str(warning.message).split())
        if issubclass(warning.category, InterruptedFitWarning):
            stopped = text.partition(";")[0]  # the second half is about Python attributes
        elif not issubclass(warning.category, SHOWN_ELSEWHERE):
            say(f"Warning: {text}")
    if report is not None and not stopped:
        say(str(report))
    return DrawnMap(Y, stopped, report, estimator)


def _fit(
    X: Floats, priors: dict[str, Prior], options: MapOptions, method: Method
) -> tuple[Floats, EmbedReport | None, Any]:
    """Return the map with the report of `unprior.embed`, or with the fitted estimator."""
    if method.with_report:
        arguments = {"method": method.name, "return_report": True, **options.arguments}
        return *unprior.embed(X, prior=priors, keep=options.keep, **arguments), None
    estimator = getattr(estimators, method.estimator)(**options.arguments)
    keep = keep_for(estimator, options.keep)
    return estimator.fit_transform(X, prior=priors, **keep), None, estimator
