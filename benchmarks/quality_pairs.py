"""Runs of several seeds → means by case and method, methods compared in pairs, the Pareto front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    """

    left: float
    kept: float
    score: float
    seconds: float


#: Means by case and method.
Means: TypeAlias = Mapping[tuple[str, str], Mean]


@dataclass(frozen=True)
class Compared:
    """How a method does beside another on the cases that both could draw."""

    method: str
    other: str
    n_cases: int
    difference: float
    standard_error: float
    won: int
    lost: int
    chance: float


def mean_runs(runs: Sequence[Run]) -> Means:
    """Average over seeds; what was never drawn has no mean."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        if not run.failure:
            groups.setdefault((run.case, run.method), []).append(run)
    return {key: _mean(group) for key, group in groups.items()}


def compare(means: Means, method: str, other: str) -> Compared:
    """Compare two methods case by case; each case counts once, whatever its number of seeds."""
    gaps = np.array(
        [
            mean.score - means[case, other].score
            for (case, name), mean in means.items()
            if name == method and (case, other) in means
        ]
    )
    n, won, lost = len(gaps), int((gaps > TIE).sum()), int((gaps < -TIE).sum())
    error = gaps.std(ddof=1) / np.sqrt(n) if n > 1 else float("nan")
    difference = float(gaps.mean()) if n else float("nan")
    return Compared(method, other, n, difference, float(error), won, lost, sign_test(won, lost))


def sign_test(won: int, lost: int) -> float:
    """Return the chance of counts at least so uneven if wins were the toss of a coin."""
    from scipy.stats import binomtest

    return float(binomtest(won, won + lost).pvalue) if won + lost else 1.0


def pareto_front(left: Sequence[float], kept: Sequence[float]) -> list[int]:
    """Return the points that none beats in both: less left and more kept, in order of left."""
    order = np.lexsort((-np.asarray(kept), left))
    front, best = [], -np.inf
    for point in order:
        if kept[point] > best:
            front.append(int(point))
            best = kept[point]
    return front


def _mean(runs: Sequence[Run]) -> Mean:
    left = float(np.mean([abs(run.left) for run in runs]))
    kept, score = (float(np.mean([getattr(run, key) for run in runs])) for key in ("kept", "score"))
    return Mean(left, kept, score, float(np.median([run.seconds for run in runs])))
