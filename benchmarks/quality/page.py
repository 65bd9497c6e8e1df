"""Rows of the summary → docs/quality.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from quality.cases import FAMILIES, RECIPES, SPLITS
from quality.compare import PLAIN, TIE, Difference, Means, differences, method_means
from quality.methods import METHODS
from quality.scores import MEASURABLE
from quality.summary import Row

#: The library's own recommendation, with which every other method is compared.
OWN = ("independent", "embed")

METHOD_HEADER = ["method", "cases", "left", "worst class", "kept", "score", "± seeds"]
METHOD_HEADER += ["unevenness", "seconds"]

INTRODUCTION = f"""\
Written by `python benchmarks/quality` from `benchmarks/results/quality/summary.csv`. Every method
has one setting for all cases; `python benchmarks/quality --help` says how to run it.

Scores compare each sample with its 15 nearest neighbours on a map. *Left* is how much more alike in
the prior they are than by chance (for labels their purity, rescaled), *kept* the rescaled purity of
hidden labels that no method was given; both are 0 by chance and at most 1. *Worst class* is the
largest |left| of a single class: with a dominant class the mean says little. Classes of fewer than
{MEASURABLE} samples are measured together. *Score* = kept − |left|. *Unevenness* is the spread of
the log distance to the fifth neighbour, relative to t-SNE of the same case: above 1 the map is more
clumped.

*Open* cases were looked at while methods were made. *Closed* ones were kept apart until an earlier
version was fixed, and have been looked at since. *Sealed* ones are run only when all settings are
fixed. No source of a sealed case is used by an open one. Seeds are those of the methods: the
samples of a case are always the same."""

FAMILY_ABOUT = {
    "balanced": "About 1000 samples; classes, if any, of similar size.",
    "unequal": "One class holds .8 to .97 of the samples.",
    "large": "10 000 and 50 000 samples.",
    "many": "25 to 1000 classes.",
    "small": "Classes of 2 to 10 samples.",
    "noise": "The prior explains next to nothing: a good map is t-SNE's own.",
    "composition": "Shares of the hidden classes differ between the classes of the prior. So "
    "*left* is within the hidden classes here: neighbours are compared with random samples of the "
    "neighbour's own hidden class. `embed-keep` is given the hidden labels to keep.",
}


def write_page(rows: Sequence[Row], docs: Path) -> None:
    """Write the page."""
    docs.mkdir(parents=True, exist_ok=True)
    (docs / "quality.md").write_text(page(rows), encoding="utf-8")


def page(rows: Sequence[Row]) -> str:
    """Return the page that says which method draws the best maps."""
    blocks = ["# Which method draws the best map", INTRODUCTION]
    for family in FAMILIES:
        for split in SPLITS:
            names = {r.name for r in RECIPES.values() if (r.family, r.split) == (family, split)}
            own = [row for row in rows if row.case in names]
            if any(row.seeds for row in own):
                blocks += _part(family, split, own)
    blocks += ["## Methods", _table(["name", "what it is"], _methods()), "## Cases", _cases(rows)]
    versions = sorted({v for row in rows for v in row.version.split("; ") if v})
    blocks.append(f"Drawn by versions: {', '.join(versions) or '–'}.")
    return "\n\n".join(block for block in blocks if block) + "\n"


def _part(family: str, split: str, rows: Sequence[Row]) -> list[str]:
    """Return the tables of a family and split."""
    seeds = max(row.seeds for row in rows)
    told = "one seed" if seeds == 1 else f"up to {seeds} seeds"
    n_cases = len({row.case for row in rows if row.seeds})
    blocks = [
        f"## {family.capitalize()}: {split} cases",
        f"{FAMILY_ABOUT[family]} {n_cases} cases, {told}; means over the cases that a method drew. "
        "*± seeds* is the standard deviation of the score over seeds, averaged over cases.",
        _table(
            METHOD_HEADER,
            map(_method_line, method_means(rows)),
        ),
    ]
    if failed := Counter(row.method for row in rows if not row.seeds):
        named = ", ".join(f"{method} on {n}" for method, n in failed.items())
        blocks.append(f"Failed, and not in the means: {named}.")
    own = next((name for name in OWN if any(r.method == name and r.seeds for r in rows)), None)
    if own is None or not (found := differences(rows, own)):
        return blocks
    hardest = [d for d in found if d.other != PLAIN][:3] + [d for d in found if d.other == PLAIN]
    return [
        *blocks,
        f"`{own}` against its strongest rivals and t-SNE, on the cases both drew: mean difference "
        f"in score ± standard error over cases, cases won and lost by more than {TIE}, and the "
        "chance of so uneven a count if neither were better (sign test; the strongest rivals are "
        "picked with hindsight).",
        _table(
            ["against", "cases", "difference", "won", "lost", "p"],
            map(_difference_line, hardest),
        ),
    ]


def _method_line(m: Means) -> list[str]:
    scores = map(number, (m.left, m.worst, m.kept, m.score, m.score_sd))
    return [m.method, str(m.cases), *scores, number(m.unevenness, 2), number(m.seconds, 1)]


def _difference_line(d: Difference) -> list[str]:
    gap = f"{number(d.mean, sign=True)} ± {number(d.error)}"
    return [d.other, str(d.cases), gap, str(d.won), str(d.lost), number(d.chance)]


def _methods() -> list[list[str]]:
    return [
        [name, method.about + ("; classes only" if method.classes_only else "")]
        for name, method in METHODS.items()
    ]


def _cases(rows: Sequence[Row]) -> str:
    """Return a line for each case: what t-SNE shows, what the library does, and the best method."""
    header = ["case", "what it is", "family", "split", "n", "t-SNE: left", "kept", "`embed`: left"]
    header += ["kept", "best score", "by"]
    lines = []
    for name, recipe in RECIPES.items():
        own = {row.method: row for row in rows if row.case == name and row.seeds}
        if not own:
            continue
        shown = [
            number(getattr(own[method], what)) if method in own else "–"
            for method in (PLAIN, "embed")
            for what in ("left", "kept")
        ]
        best = max(own.values(), key=lambda row: row.score)
        size = str(next(iter(own.values())).n)
        start = [name, recipe.about, recipe.family, recipe.split, size]
        lines.append([*start, *shown, number(best.score), best.method])
    return _table(header, lines)


def number(value: float, digits: int = 3, *, sign: bool = False) -> str:
    """Return a number without a minus before zero; a dash for what is not known."""
    if not np.isfinite(value):
        return "–"
    return f"{round(value, digits) + 0.0:{'+' if sign else ''}.{digits}f}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, [":--"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
