"""Runs → means and spreads over seeds, for each case and method: what is kept in git."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quality import table
from quality.cases import RECIPES
from quality.methods import METHODS
from quality.run import Run

SUMMARY = "summary.csv"
NAN = float("nan")


@dataclass(frozen=True)
class Row:
    """Means of a method's scores on a case over seeds, and standard deviations (``sd``).

    Spreads of fewer than two seeds, and what was not measured, are NaN. Seconds are the median. A
    method that failed with every seed has no means but a reason.
    """

    case: str
    method: str
    n: int
    seeds: int
    left: float = NAN
    left_sd: float = NAN
    kept: float = NAN
    kept_sd: float = NAN
    worst: float = NAN
    worst_sd: float = NAN
    unevenness: float = NAN
    score: float = NAN
    score_sd: float = NAN
    seconds: float = NAN
    failure: str = ""
    version: str = ""


def summarize(runs: Iterable[Run]) -> list[Row]:
    """Average runs over seeds."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.case, run.method), []).append(run)
    return [_row(group) for group in groups.values()]


def update_summary(folder: Path, runs: Iterable[Run]) -> list[Row]:
    """Put the means of runs into the summary in a folder; rows of other runs stay as they are."""
    path = folder / SUMMARY
    rows = {(row.case, row.method): row for row in table.read(path, Row)}
    rows |= {(row.case, row.method): row for row in summarize(runs)}
    cases, methods = [*RECIPES], [*METHODS]
    # Cases and methods that no longer exist are dropped; the others are sorted, for short diffs.
    known = [row for row in rows.values() if row.case in cases and row.method in methods]
    known.sort(key=lambda row: (cases.index(row.case), methods.index(row.method)))
    table.rewrite(path, Row, known)
    return known


def _row(runs: Sequence[Run]) -> Row:
    first, drawn = runs[0], [run for run in runs if not run.failure]
    version = "; ".join(sorted({run.version for run in runs}))
    if not drawn:
        return Row(first.case, first.method, first.n, 0, failure=first.failure, version=version)
    means = {
        name: _mean([getattr(run, name) for run in drawn])
        for name in ("left", "kept", "worst", "unevenness", "score")
    }
    spreads = {
        f"{name}_sd": _spread([getattr(run, name) for run in drawn])
        for name in ("left", "kept", "worst", "score")
    }
    seconds = float(np.median([run.seconds for run in drawn]))
    start = first.case, first.method, first.n, len(drawn)
    return Row(*start, **means, **spreads, seconds=seconds, version=version)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _spread(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else NAN
