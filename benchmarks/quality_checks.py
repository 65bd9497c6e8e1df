"""Saved maps → what is to be said of them without hidden labels, and whether that is right.

Two claims of the library are checked here. `unprior.scores.rest_kept`, which sees no hidden label,
ranks maps in the order of the hidden structure that they keep. And a prior that has no part in the
data costs nothing: the map shows as much of the data as t-SNE's does.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from quality_cases import RECIPES, Case
from quality_run import Run, append, read_lines, read_runs

from unprior import scores
from unprior.priors import data_distances
from unprior.scores._rest import estimate_rest, find_rest

CHECKS = "checks.csv"
NEIGHBORS = 15


@dataclass(frozen=True)
class Check:
    """What one map keeps of the rest, and of the data (area of the overlap curve)."""

    case: str
    method: str
    seed: int
    rest_kept: float
    data_area: float

    @property
    def key(self) -> tuple[str, str, int]:
        """What no two lines of the table share."""
        return self.case, self.method, self.seed


@dataclass(frozen=True)
class Ranking:
    """Rank correlation of what is kept of the rest with what is kept of the hidden labels.

    ``pooled`` over all maps of all cases; ``within`` over the methods of each case.
    """

    pooled: float
    within: Sequence[float]


def check_maps(cache: Path, folder: Path | None) -> None:
    """Check the saved maps that are not in the table yet, and add them."""
    done = {check.key for check in read_checks(cache)}
    wanted: dict[str, list[Run]] = {}
    for run in read_runs(cache):
        if not run.failure and run.key not in done:
            wanted.setdefault(run.case, []).append(run)
    for name, runs in wanted.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # noqa: TID251 (of packages we only take data from)
            case = RECIPES[name].load(folder)
        append(cache / CHECKS, _check_case(case, runs, cache))


def read_checks(cache: Path) -> list[Check]:
    """Read the table."""
    return [
        Check(
            line["case"],
            line["method"],
            int(line["seed"]),
            float(line["rest_kept"]),
            float(line["data_area"]),
        )
        for line in read_lines(cache / CHECKS)
    ]


def rank(checks: Sequence[Check], runs: Sequence[Run]) -> Ranking:
    """Compare the order of maps by the rest kept with that by the hidden labels kept."""
    rest = {check.key: check.rest_kept for check in checks}
    pairs: dict[str, list[tuple[float, float]]] = {}
    for run in runs:
        if run.kept is not None and np.isfinite(rest.get(run.key, np.nan)):
            pairs.setdefault(run.case, []).append((rest[run.key], run.kept))
    everyone = [pair for own in pairs.values() for pair in own]
    return Ranking(_spearman(everyone), [_spearman(own) for own in pairs.values()])


def _spearman(pairs: Sequence[tuple[float, float]]) -> float:
    """Rank correlation; NaN where there is nothing to rank."""
    from scipy.stats import spearmanr

    if (np.ptp(pairs, axis=0) == 0).any():
        return float("nan")
    return float(spearmanr(*np.transpose(pairs)).statistic)


def _check_case(case: Case, runs: Sequence[Run], cache: Path) -> list[Check]:
    data = data_distances(case.X, case.metric, who="check_maps")
    rest = find_rest(data, {"prior": case.prior})
    checks = []
    for run in runs:
        Y = np.load(cache / run.case / run.method / f"{run.seed}.npz")["Y"].astype(np.float64)
        at = data_distances(Y, "euclidean", who="check_maps")
        kept = np.nan
        if rest is not None:
            kept = estimate_rest("check_maps", at, rest, NEIGHBORS, None, 0).value
        checks.append(Check(*run.key, float(kept), scores.overlap_area(at, data)))
    return checks
