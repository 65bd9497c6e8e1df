"""Checks and runs → how many maps that lost much the library's warning finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from quality_checks import Check
from quality_run import Run

from unprior.scores._over_removal import LEAST_KEPT

#: A map that keeps less than this share of what could be kept has lost it.
HALF = 0.5


@dataclass(frozen=True)
class Alarm:
    """Maps judged, those that lost structure, those warned of, and those that are both."""

    n_maps: int
    lost: int
    warned: int
    found: int


def judge(checks: Sequence[Check], runs: Sequence[Run], could_keep: Mapping[str, float]) -> Alarm:
    """Compare what `scores.report` warns of with what is lost, given what each case could show."""
    rest = {check.key: check.rest_kept for check in checks}
    judged = [
        (run.kept < HALF * could_keep[run.case], rest[run.key] < LEAST_KEPT)
        for run in runs
        if run.kept is not None and run.key in rest and np.isfinite(could_keep[run.case])
    ]
    lost, warned = (sum(column) for column in zip(*judged, strict=True)) if judged else (0, 0)
    return Alarm(len(judged), lost, warned, sum(both == (True, True) for both in judged))
