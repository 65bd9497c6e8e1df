"""Runs of several seeds → means by case and method, methods compared in pairs, the Pareto front."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from quality_run import Run

#: Differences in score that no reader of a map would see count as neither won nor lost.
TIE = 0.01


@dataclass(frozen=True)
class Mean:
    """Scores of a method on a case, averaged over seeds; seconds are the median.

    What is left counts by its size, as in the score: a prior turned inside out shows as well.
    ``spread`` is the standard deviation of the score over seeds; NaN for a single one.
    """

    left: float
    kept: float
    score: float
    left_area: float
    kept_area: float
    seconds: float
    spread: float = float("nan")


#: Means by case and method.
Means: TypeAlias = Mapping[tuple[str, str], Mean]


@dataclass(frozen=True)
class Difference:
    """Mean of differences over cases with its standard error, and how many are above a tie."""

    n_cases: int
    mean: float
    standard_error: float
    higher: int
    lower: int


@dataclass(frozen=True)
class Compared:
    """How a method's score differs from another's on the cases that both could draw."""

    method: str
    other: str
    gap: Difference
    chance: float


def mean_runs(runs: Sequence[Run]) -> Means:
    """Average over seeds; what was never drawn has no mean."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        if not run.failure:
            groups.setdefault((run.case, run.method), []).append(run)
    return {key: _mean(group) for key, group in groups.items()}


def compare(means: Means, method: str, other: str) -> Compared:
    """Compare the scores of two methods."""
    gap = difference(means, method, other, "score")
    return Compared(method, other, gap, sign_test(gap.higher, gap.lower))


def difference(means: Means, method: str, other: str, what: str) -> Difference:
    """Compare two methods case by case; each case counts once, whatever its number of seeds."""
    gaps = np.array(
        [
            getattr(own, what) - getattr(means[case, other], what)
            for (case, name), own in means.items()
            if name == method and (case, other) in means
        ]
    )
    gaps = gaps[np.isfinite(gaps)]
    n = len(gaps)
    mean = float(gaps.mean()) if n else float("nan")
    error = float(gaps.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return Difference(n, mean, error, int((gaps > TIE).sum()), int((gaps < -TIE).sum()))


def hardest(means: Means, method: str, others: Iterable[str]) -> Compared | None:
    """Of rivals that could draw as many of a method's cases as any, find the one it beats least."""
    rivals = [compare(means, method, other) for other in others if other != method]
    most = max((rival.gap.n_cases for rival in rivals), default=0)
    full = [rival for rival in rivals if most and rival.gap.n_cases == most]
    return min(full, key=lambda rival: rival.gap.mean, default=None)


def sign_test(won: int, lost: int) -> float:
    """Return the chance of counts at least so uneven if wins were the toss of a coin."""
    from scipy.stats import binomtest

    return float(binomtest(won, won + lost).pvalue) if won + lost else 1.0


def pareto_front(left: Sequence[float], kept: Sequence[float]) -> list[int]:
    """Return the points that none beats in both: less left and more kept, in order of left."""
    order = np.lexsort((-np.asarray(kept), np.asarray(left)))
    front, best = [], -np.inf
    for point in order:
        if kept[point] > best:
            front.append(int(point))
            best = kept[point]
    return front


def middle(values: Iterable[float | None]) -> float:
    """Return the mean of the numbers among values; NaN if there are none."""
    known = [value for value in values if value is not None and np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")


def spread(values: Iterable[float | None]) -> float:
    """Return the standard deviation of the numbers among values; NaN for fewer than two."""
    known = [value for value in values if value is not None and np.isfinite(value)]
    return float(np.std(known, ddof=1)) if len(known) > 1 else float("nan")


def _mean(runs: Sequence[Run]) -> Mean:
    left, left_area = (
        middle(None if value is None else abs(value) for value in values)
        for values in ([run.left for run in runs], [run.left_area for run in runs])
    )
    return Mean(
        left=left,
        kept=middle(run.kept for run in runs),
        score=middle(run.score for run in runs),
        left_area=left_area,
        kept_area=middle(run.kept_area for run in runs),
        seconds=float(np.median([run.seconds for run in runs if run.seconds is not None])),
        spread=spread(run.score for run in runs),
    )
