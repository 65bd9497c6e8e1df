"""Means by case and method → how the library's own choice does beside the methods it saves."""

from __future__ import annotations

from quality_about import ABOUT
from quality_pairs import TIE, Means, difference, hardest
from quality_run import Profile
from quality_splits import SPLITS, of_split
from quality_text import number, plus_minus, signed, table

#: The library's own choice, which stands out.
OWN = "embed"
#: What it mostly chooses.
FIRST = "steered"
#: How far behind the best of a case it should be at most.
NEAR = 0.05
#: What a difference in score is made of, and what it is not.
PARTS = ("score", "left", "kept", "left_area", "kept_area")


def gain_blocks(means: Means, profiles: dict[str, Profile]) -> list[str]:
    """Split the difference from the best fixed method into what is left and what is kept."""
    rows = []
    for split in SPLITS:
        own = of_split(split, means, profiles)
        fixed = hardest(own, OWN, [name for name in ABOUT if name not in (OWN, FIRST)])
        for best in (fixed, hardest(own, OWN, [FIRST])):
            if best is None or not best.gap.n_cases:
                continue
            gaps = {part: difference(own, OWN, best.other, part) for part in PARTS}
            texts = [plus_minus(signed(gap.mean), gap.standard_error) for gap in gaps.values()]
            counts = [str(gaps["kept"].higher), str(gaps["kept"].lower)]
            rows.append([split, best.other, str(best.gap.n_cases), *texts, *counts])
    if not rows:
        return []
    header = ["split", "less", "cases", "score", "left", "kept", "area left", "area kept"]
    return [
        f"## What `{OWN}` gains: less left, or more kept",
        f"`{OWN}` steers by *left*, the very number that the score subtracts. So a gain in *left* "
        "shows that it does what it is told; *kept* and the areas, which it never sees, are the "
        "independent view. Its difference from the one method that has the best mean score (known "
        f"by hindsight), and from `{FIRST}`, which it mostly draws, so that the latter is what "
        "choosing adds; with its standard error over cases. Less *left* and *area left* is better, "
        f"more *kept* and *area kept*. Last, the cases in which *kept* is more than {TIE} higher "
        "and lower.",
        table([*header, "kept higher", "kept lower"], rows),
    ]


def own_blocks(means: Means, profiles: dict[str, Profile]) -> list[str]:
    """Hold the library's own choice against the best method of each case, known by hindsight."""
    rows = []
    for p in profiles.values():
        others = {
            name: mean for (case, name), mean in means.items() if case == p.case and name != OWN
        }
        if others and (p.case, OWN) in means:
            score, best = means[p.case, OWN].score, max(others, key=lambda m: others[m].score)
            gap = score - others[best].score
            rows.append((gap, p, [number(score), best, number(others[best].score), signed(gap)]))
    if not rows:
        return []
    rows.sort(key=lambda row: row[0])
    counts = "; ".join(
        f"{split}: {sum(gap < -NEAR for gap, p, _ in rows if p.split == split)} of "
        f"{sum(p.split == split for _, p, _ in rows)}"
        for split in SPLITS
        if any(p.split == split for _, p, _ in rows)
    )
    return [
        f"## `{OWN}` beside the best method of each case",
        "The best of all other methods is known by hindsight only. Cases in which it is more than "
        f"{NEAR} better than `{OWN}`, which has to choose beforehand: {counts}.",
        table(
            ["case", "split", OWN, "best other", "its score", "gap"],
            [[p.case, p.split, *texts] for _, p, texts in rows],
        ),
    ]
