"""Reports to a warning, if a map has lost more than the prior."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from unprior._warnings import OverRemovalWarning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unprior.scores._report import Report

#: Maps that keep a smaller share of the rest than this have lost it.
LEAST_KEPT = 0.25


def warn_of_loss(who: str, reports: Mapping[str, Report]) -> None:
    """Warn the caller's caller of maps, by name, that keep little of the rest."""
    lost = {
        name: row.score
        for name, report in reports.items()
        for row in report.rows
        if row.role == "rest" and row.score < LEAST_KEPT
    }
    if not lost:
        return
    scores = " and ".join(f"{score:.2f} in {name}" for name, score in lost.items())
    message = (
        f"{who}: little is kept of what the prior does not explain ({scores}; 0 is chance, 1 is "
        "all): unless that is noise, more is gone than the prior; try less strength, JEDI without "
        "Residual before it, or Confetti at a low strength."
    )
    warnings.warn(message, OverRemovalWarning, stacklevel=3)
