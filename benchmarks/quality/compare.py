"""Rows of the summary → means over cases, and methods compared case by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quality.summary import Row

#: Differences in score that no reader of a map would see count as neither won nor lost.
TIE = 0.01
PLAIN = "tsne"


@dataclass(frozen=True)
class Means:
    """A method's means over cases; ``unevenness`` is relative to plain t-SNE of the same cases."""

    method: str
    cases: int
    left: float
    worst: float
    kept: float
    score: float
    score_sd: float
    unevenness: float
    seconds: float


@dataclass(frozen=True)
class Difference:
    """How much higher a method's score is than another's, on the cases both drew."""

    method: str
    other: str
    cases: int
    mean: float
    error: float
    won: int
    lost: int
    chance: float


def method_means(rows: Sequence[Row]) -> list[Means]:
    """Average over cases, best score first; what is left counts by its size."""
    drawn = [row for row in rows if row.seeds]
    plain = {row.case: row.unevenness for row in drawn if row.method == PLAIN}
    found = []
    for method in dict.fromkeys(row.method for row in drawn):
        own = [row for row in drawn if row.method == method]
        ratios = [np.log(row.unevenness / plain.get(row.case, np.nan)) for row in own]
        found.append(
            Means(
                method,
                len(own),
                mean(abs(row.left) for row in own),
                mean(row.worst for row in own),
                mean(row.kept for row in own),
                mean(row.score for row in own),
                mean(row.score_sd for row in own),
                float(np.exp(mean(ratios))),
                float(np.median([row.seconds for row in own])),
            )
        )
    return sorted(found, key=lambda means: -means.score)


def differences(rows: Sequence[Row], method: str) -> list[Difference]:
    """Compare a method with every other, the strongest first."""
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.seeds:
            scores.setdefault(row.method, {})[row.case] = row.score
    own = scores.pop(method, {})
    found = [difference(method, own, name, other) for name, other in scores.items()]
    return sorted((one for one in found if one.cases), key=lambda one: one.mean)


def difference(
    method: str, own: dict[str, float], name: str, other: dict[str, float]
) -> Difference:
    """Compare two methods by their scores on the cases that both drew."""
    from scipy.stats import binomtest

    gaps = np.array([own[case] - other[case] for case in own if case in other])
    n, won, lost = len(gaps), int((gaps > TIE).sum()), int((gaps < -TIE).sum())
    error = float(gaps.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    chance = float(binomtest(won, won + lost).pvalue) if won + lost else 1.0
    return Difference(method, name, n, mean(gaps), error, won, lost, chance)


def mean(values) -> float:
    """Return the mean of the numbers among values; NaN if there are none."""
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")
