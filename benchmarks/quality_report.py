"""A table of runs → pages: a summary with paired comparisons, and a table for each case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from quality_cases import RECIPES
from quality_checks import Check, rank, read_checks
from quality_figures import OWN, draw_pairs, draw_scatter
from quality_methods import ABOUT
from quality_pairs import TIE, Compared, Means, compare, mean_runs
from quality_run import Profile, Run, read_profiles, read_runs

from unprior._version import __version__

SPLITS = ("open", "closed")
#: The plain method that every other is held against.
PLAIN = "tsne"
#: How far behind the best of a case the library's own choice should be at most.
NEAR = 0.05


def write_pages(cache: Path, docs: Path) -> None:
    """Write the summary, the tables of cases and the figures."""
    runs, profiles = read_runs(cache), read_profiles(cache)
    means = mean_runs(runs)
    (docs / "images").mkdir(parents=True, exist_ok=True)
    draw_scatter(means, profiles, docs / "images" / "quality_scatter.png")
    draw_pairs(means, docs / "images" / "quality_pairs.png")
    page = summary_page(runs, means, profiles, read_checks(cache))
    (docs / "quality.md").write_text(page, encoding="utf-8")
    (docs / "quality_cases.md").write_text(cases_page(runs, profiles), encoding="utf-8")


def summary_page(
    runs: Sequence[Run], means: Means, profiles: dict[str, Profile], checks: Sequence[Check]
) -> str:
    """Return the page that says which method draws the best map."""
    counts = {len({run.seed for run in runs if run.method == name}) for name in ABOUT} - {0}
    n_seeds = " to ".join(str(count) for count in sorted({min(counts), max(counts)}))
    blocks = [
        "# Which method draws the best map",
        f"Written by `python benchmarks/quality.py`, unprior {__version__}: {len(profiles)} cases, "
        f"{n_seeds} seed(s) for each method. Every method has one setting for all cases.",
        "*Left* is how much nearer than random samples a map's 15 neighbours are in the prior (for "
        "labels: their purity, rescaled), *kept* the rescaled purity of labels that no method was "
        "shown; both are 0 by chance and at most 1. A good map leaves nothing and keeps all: "
        "*score* = kept − |left|. *Open* cases were looked at while methods were made. On *closed* "
        "ones `embed` was run, and methods were compared, only when it was fixed; t-SNE was looked "
        "at there before, which shows whether a case is sound, and others ran meanwhile. "
        "All cases made from one source are in the same split. Seeds are those of the methods: a "
        "case's samples are always the same.",
        *states(runs),
        *(block for split in SPLITS for block in split_blocks(split, means, profiles)),
        "## Left against kept",
        "![Left against kept](images/quality_scatter.png)",
        "*Means over the cases of a panel, for methods that could draw all of them; the line joins "
        "those that no other method beats in both.*",
        "## Pairs of methods",
        "![Pairs of methods](images/quality_pairs.png)",
        "*Share of the cases both could draw in which the row's method has the higher score.*",
        *own_blocks(means, profiles),
        *criterion_blocks(checks, runs, profiles),
        *harmless_blocks(checks, profiles),
        "## Methods",
        table(["name", "what it is"], ABOUT.items()),
        "## Cases",
        "*Within*: purity of the hidden labels among the 5 nearest in the data of those alike in "
        "the prior, which says whether there is anything to be seen.",
        cases_table(means, profiles),
        missing(means, profiles),
        "Every method on every case: [quality_cases.md](quality_cases.md).",
    ]
    return "\n\n".join(blocks) + "\n"


def split_blocks(split: str, means: Means, profiles: dict[str, Profile]) -> list[str]:
    """Return the summary of one split: means of the methods, and how they compare with t-SNE."""
    own = {key: run for key, run in means.items() if profiles[key[0]].split == split}
    methods = [name for name in ABOUT if any(method == name for _, method in own)]
    if not methods:
        return []
    rows = sorted((_summary(own, method) for method in methods), key=lambda row: -float(row[4]))
    blocks = [
        f"## {split.capitalize()} cases",
        "Means over the cases that a method could draw; what is left counts by its size. Methods "
        "that take labels only have fewer and others, so that only the paired comparisons below "
        "hold for them.",
        table(["method", "cases", "left", "kept", "score", "seconds"], rows),
    ]
    compared = [_comparison(found) for found in _comparisons(own, methods)]
    if compared:
        blocks += [
            f"Against `{PLAIN}`, and against the best of the others, on the same cases: mean "
            "difference in score with its standard error over cases, cases won and lost by more "
            f"than {TIE}, and the chance of so uneven a count if neither were better (sign test). "
            "Which other method is best was chosen with hindsight: that chance is then too small.",
            table(["method", "against", "difference", "won", "lost", "p"], compared),
        ]
    return blocks


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
            rows.append((gap, p, [number(score), best, number(others[best].score), f"{gap:+.3f}"]))
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


def criterion_blocks(
    checks: Sequence[Check], runs: Sequence[Run], profiles: dict[str, Profile]
) -> list[str]:
    """Say whether the criterion that sees no hidden labels ranks maps as these do."""
    rows = []
    for split in SPLITS:
        own = [run for run in runs if profiles[run.case].split == split]
        if not {run.key for run in own} & {check.key for check in checks}:
            continue
        found = rank(checks, own)
        within = [value for value in found.within if np.isfinite(value)]
        middle = (np.mean(within), np.median(within)) if within else (np.nan, np.nan)
        texts = [f"{value:.2f}" for value in (found.pooled, *middle)]
        rows.append([split, *texts, f"{sum(v > 0 for v in within)} of {len(within)}"])
    if not rows:
        return []
    return [
        "## Does `rest_kept` rank maps as hidden labels do",
        "`unprior.scores.rest_kept` sees no hidden label. Its rank correlation (Spearman) with "
        "*kept*: over all maps, and over the methods and seeds of each case.",
        table(["cases", "all maps", "mean within", "median within", "positive within"], rows),
    ]


def harmless_blocks(checks: Sequence[Check], profiles: dict[str, Profile]) -> list[str]:
    """Say what priors cost that have no part in the data."""
    cases = [p.case for p in profiles.values() if p.harmless]
    areas = {
        name: [
            [c.data_area for c in checks if (c.case, c.method) == (case, name)] for case in cases
        ]
        for name in ABOUT
    }
    areas = {name: own for name, own in areas.items() if cases and all(own)}
    if PLAIN not in areas:
        return []
    spreads = [np.std(own, ddof=1) for own in areas[PLAIN] if len(own) > 1]
    noise = f"varies by {np.mean(spreads):.3f}" if spreads else "was run once; nothing is known"
    means = {name: float(np.mean([*map(np.mean, own)])) for name, own in areas.items()}
    rows = [[name, number(mean), f"{mean - means[PLAIN]:+.3f}"] for name, mean in means.items()]
    return [
        "## What a prior costs that has no part in the data",
        f"Overlap of the map with the data (area above chance) where the prior is independent of "
        f"them ({', '.join(cases)}), and its difference from `{PLAIN}`, which {noise} from seed to "
        "seed.",
        table(["method", "overlap with the data", f"less that of {PLAIN}"], rows),
    ]


def cases_table(means: Means, profiles: dict[str, Profile]) -> str:
    """Return what the cases are, with what t-SNE shows of them."""
    header = ["case", "what it is", "split", "n", "prior", "hidden", "within", "left", "kept"]
    rows = []
    for p in profiles.values():
        plain = means.get((p.case, PLAIN))
        shown = [number(plain.left), number(plain.kept)] if plain else ["", ""]
        prior = f"{p.prior}, harmless" if p.harmless else p.prior
        start = [p.case, p.about, p.split, str(p.n_samples), prior, str(p.n_hidden)]
        rows.append([*start, number(p.within), *shown])
    return table(header, rows)


def states(runs: Sequence[Run]) -> list[str]:
    """Say if the library was changed between the runs, and warn if within those of a method."""
    if len({run.library for run in runs}) <= 1:
        return []
    by_method = {name: {run.library for run in runs if run.method == name} for name in ABOUT}
    if any(len(found) > 1 for found in by_method.values()):
        return [
            "**Runs of one method come from several states of the library's source, so that the "
            "comparisons below are not fair; `--refresh` runs the older ones again.**"
        ]
    groups: dict[str, list[str]] = {}
    for name, found in by_method.items():
        for state in found:
            groups.setdefault(state, []).append(f"`{name}`")
    told = "; ".join(f"{state}: {', '.join(names)}" for state, names in groups.items())
    return [f"Each method was run with one state of the library's source: {told}."]


def missing(means: Means, profiles: dict[str, Profile]) -> str:
    """Say which cases and methods the tables do not hold."""
    drawn = {method for _, method in means}
    cases = [name for name in RECIPES if name not in profiles]
    methods = [name for name in ABOUT if name not in drawn]
    return f"Not run: cases {', '.join(cases) or '–'}; methods {', '.join(methods) or '–'}."


def cases_page(runs: Sequence[Run], profiles: dict[str, Profile]) -> str:
    """Return the page with a table for each case."""
    blocks = ["# Every method on every case", "Mean ± standard deviation over seeds."]
    for p in profiles.values():
        blocks += [f"## {p.case}", f"{p.about}; {p.split}, {p.n_samples} samples."]
        own = [run for run in runs if run.case == p.case]
        rows = [_case_row(m, [r for r in own if r.method == m]) for m in ABOUT]
        header = ["method", "left", "kept", "score", "area left", "area kept", "seconds"]
        blocks.append(table(header, [row for row in rows if row]))
    return "\n\n".join(blocks) + "\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, [":--"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """Return three digits, and no minus before a zero."""
    return f"{round(value, 3) + 0.0:.3f}"


def _summary(means: Means, method: str) -> list[str]:
    own = [run for (_, name), run in means.items() if name == method]
    left, kept, score = (
        np.mean([getattr(run, key) for run in own]) for key in ("left", "kept", "score")
    )
    seconds = np.median([run.seconds for run in own])
    return [method, str(len(own)), number(left), number(kept), number(score), f"{seconds:.1f}"]


def _comparisons(means: Means, methods: Sequence[str]) -> list[Compared]:
    """Compare every method with t-SNE and with the rival that does best on its cases."""
    found = []
    for method in methods:
        rivals = [compare(means, method, other) for other in methods if other != method]
        rivals = [rival for rival in rivals if rival.n_cases]
        if not rivals:
            continue
        against = {rival.other: rival for rival in rivals if rival.other == PLAIN}
        # Of rivals that could draw as many of these cases as any, the one it loses most to.
        most = max(rival.n_cases for rival in rivals)
        hardest = min((r for r in rivals if r.n_cases == most), key=lambda r: r.difference)
        found += {**against, hardest.other: hardest}.values()
    return found


def _comparison(found: Compared) -> list[str]:
    difference = f"{found.difference:+.3f} ± {found.standard_error:.3f}"
    counts = [str(found.won), str(found.lost)]
    return [found.method, found.other, difference, *counts, f"{found.chance:.3f}"]


def _case_row(method: str, runs: Sequence[Run]) -> list[str]:
    drawn = [run for run in runs if not run.failure]
    if not runs:
        return []
    if not drawn:
        return [method, "n/a", *[""] * 4, runs[0].failure.replace("|", "/")]
    keys = ("left", "kept", "score", "left_area", "kept_area")
    spread = [_spread([getattr(run, key) for run in drawn]) for key in keys]
    return [method, *spread, f"{np.median([run.seconds for run in drawn]):.1f}"]


def _spread(values: Sequence[float]) -> str:
    mean = number(float(np.mean(values)))
    return f"{mean} ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else mean
