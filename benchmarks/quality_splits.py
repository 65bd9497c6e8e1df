"""Means by case and method → for each split, what methods leave and keep, and how they compare."""

from __future__ import annotations

import numpy as np
from quality_about import ABOUT
from quality_pairs import TIE, Compared, Means, compare, hardest, middle
from quality_run import Profile
from quality_text import number, plus_minus, signed, table

SPLITS = ("open", "closed")
#: The plain method that every other is held against.
PLAIN = "tsne"


def of_split(split: str, means: Means, profiles: dict[str, Profile]) -> Means:
    """Return the means on the cases of one split."""
    return {key: mean for key, mean in means.items() if profiles[key[0]].split == split}


def split_blocks(split: str, means: Means, profiles: dict[str, Profile]) -> list[str]:
    """Return the summary of one split: means of the methods, and how they compare with t-SNE."""
    own = of_split(split, means, profiles)
    methods = [name for name in ABOUT if any(method == name for _, method in own)]
    if not methods:
        return []
    best_first = sorted(methods, key=lambda name: -_column(own, name, "score"))
    blocks = [
        f"## {split.capitalize()} cases",
        "Means over the cases that a method could draw; what is left counts by its size. *± seeds* "
        "is the standard deviation of the score from seed to seed, averaged over cases. *Areas* "
        "are those of the overlap with the prior and with the hidden labels at all numbers of "
        "neighbours; `embed` steers by *left*, not by these. Seconds are the median of the cases. "
        "Methods that take labels only have fewer and other cases, so that only the paired "
        "comparisons below hold for them.",
        means_table(own, best_first),
    ]
    rows = [_row(compared) for name in methods for compared in _comparisons(own, name, methods)]
    if rows:
        blocks += [
            f"Against `{PLAIN}`, and against the best of the others, on the same cases: mean "
            "difference in score with its standard error over cases (too small, as some cases are "
            "made from the same source), cases won and lost by more "
            f"than {TIE}, and the chance of so uneven a count if neither were better (sign test). "
            "Which other method is best was chosen with hindsight: that chance is then too small.",
            table(["method", "against", "difference", "won", "lost", "p"], rows),
        ]
    return blocks


def means_table(means: Means, methods: list[str]) -> str:
    """Return the means over cases of each method."""
    header = ["method", "cases", "left", "kept", "score", "± seeds", "area left", "area kept"]
    shown = ("left", "kept", "score", "spread", "left_area", "kept_area")
    rows = []
    for name in methods:
        own = [mean for (_, method), mean in means.items() if method == name]
        texts = [number(_column(means, name, key)) for key in shown]
        seconds = np.median([mean.seconds for mean in own])
        rows.append([name, str(len(own)), *texts, f"{seconds:.1f}"])
    return table([*header, "seconds"], rows)


def _column(means: Means, method: str, key: str) -> float:
    return middle(getattr(mean, key) for (_, name), mean in means.items() if name == method)


def _comparisons(means: Means, method: str, methods: list[str]) -> list[Compared]:
    """Compare a method with t-SNE and with the rival that does best on its cases."""
    rivals = [] if method == PLAIN else [compare(means, method, PLAIN)]
    best = hardest(means, method, methods)
    if best is not None and best.other != PLAIN:
        rivals.append(best)
    return [rival for rival in rivals if rival.gap.n_cases]


def _row(found: Compared) -> list[str]:
    gap = found.gap
    difference = plus_minus(signed(gap.mean), gap.standard_error)
    counts = [str(gap.higher), str(gap.lower)]
    return [found.method, found.other, difference, *counts, f"{found.chance:.3f}"]
