"""A table of runs → pages: a summary with paired comparisons, and a table for each case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from quality_about import ABOUT
from quality_cases import RECIPES
from quality_checks import Check, read_checks, valid_checks
from quality_claims import alarm_blocks, criterion_blocks, harmless_blocks
from quality_figures import draw_pairs, draw_scatter
from quality_own import gain_blocks, own_blocks
from quality_pairs import TIE, Means, mean_runs, middle, spread
from quality_permuted import Permuted, permuted_blocks, read_permuted
from quality_repeat import Repeat, read_repeats
from quality_run import Profile, Run, read_profiles, read_runs
from quality_seeds import tell_seeds
from quality_splits import PLAIN, SPLITS, split_blocks
from quality_states import state_blocks
from quality_text import number, plus_minus, table

from unprior._version import __version__


def write_pages(tables: Path, docs: Path) -> None:
    """Write the summary, the tables of cases and the figures."""
    runs, profiles = read_runs(tables), read_profiles(tables)
    if not runs:
        raise SystemExit(f"quality.py: no pages, since --tables {tables} holds no runs; make some")
    checks = valid_checks(read_checks(tables), runs)
    means = mean_runs(runs)
    (docs / "images").mkdir(parents=True, exist_ok=True)
    draw_scatter(means, profiles, docs / "images" / "quality_scatter.png")
    draw_pairs(means, docs / "images" / "quality_pairs.png")
    asides = read_repeats(tables), read_permuted(tables)
    page = summary_page(runs, means, profiles, checks, *asides)
    (docs / "quality.md").write_text(page, encoding="utf-8")
    (docs / "quality_cases.md").write_text(cases_page(runs, profiles), encoding="utf-8")


def summary_page(
    runs: Sequence[Run],
    means: Means,
    profiles: dict[str, Profile],
    checks: Sequence[Check],
    repeats: Sequence[Repeat],
    permuted: Sequence[Permuted] = (),
) -> str:
    """Return the page that says which method draws the best map."""
    blocks = [
        "# Which method draws the best map",
        f"Written by `python benchmarks/quality.py`, unprior {__version__}: {len(profiles)} cases, "
        f"{tell_seeds(runs, profiles)} Every method has one setting for all cases. The tables "
        "behind this page are in `benchmarks/results/quality`, and `--report-only` writes it from "
        "them alone.",
        "*Left* is how much nearer than random samples a map's 15 neighbours are in the prior (for "
        "labels: their purity, rescaled), *kept* the rescaled purity of labels that no method was "
        "shown; both are 0 by chance and at most 1. A good map leaves nothing and keeps all: "
        "*score* = kept − |left|. *Open* cases were looked at while methods were made. On *closed* "
        "ones `embed` was run, and methods were compared, only when its ways to draw were fixed; "
        "t-SNE was looked at there before, which shows whether a case is sound. Some rules for "
        "what `embed` does with odd priors are younger than that first look. They were made with "
        "other data, but not in ignorance of the closed scores. "
        "All cases made from one source are in the same split. Seeds are those of the methods: a "
        "case's samples are always the same.",
        *state_blocks(runs, repeats),
        *(block for split in SPLITS for block in split_blocks(split, means, profiles)),
        *gain_blocks(means, profiles),
        "## Left against kept",
        "![Left against kept](images/quality_scatter.png)",
        "*Means over the cases of a panel, for methods that could draw all of them; the line joins "
        "those that no other method beats in both. Bars are one standard error over cases, once "
        "the mean of all methods on each case is taken off: some cases are harder for all.*",
        "## Pairs of methods",
        "![Pairs of methods](images/quality_pairs.png)",
        "*Of the cases both could draw and in which their scores differ by more than "
        f"{TIE}, the share in which the row's method has the higher score.*",
        *own_blocks(means, profiles),
        *criterion_blocks(checks, runs, profiles),
        *alarm_blocks(checks, runs, means, profiles),
        *harmless_blocks(checks, means, profiles),
        *permuted_blocks(permuted),
        "## Methods",
        table(["name", "what it is"], ABOUT.items()),
        "## Cases",
        "*Within*: purity of the hidden labels among the 5 nearest in the data of those alike in "
        "the prior, which says whether there is anything to be seen. *Left* and *kept* are those "
        f"of `{PLAIN}`. *Harmless* priors are those that the data hardly show.",
        cases_table(means, profiles),
        missing(means, profiles),
        "Every method on every case: [quality_cases.md](quality_cases.md).",
    ]
    return "\n\n".join(blocks) + "\n"


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


def missing(means: Means, profiles: dict[str, Profile]) -> str:
    """Say which cases and methods the tables do not hold."""
    drawn = {method for _, method in means}
    cases = [name for name in RECIPES if name not in profiles]
    methods = [name for name in ABOUT if name not in drawn]
    return f"Not run: cases {', '.join(cases) or '–'}; methods {', '.join(methods) or '–'}."


def cases_page(runs: Sequence[Run], profiles: dict[str, Profile]) -> str:
    """Return the page with a table for each case."""
    blocks = [
        "# Every method on every case",
        "Mean ± standard deviation over seeds; seconds are the median.",
    ]
    for p in profiles.values():
        blocks += [f"## {p.case}", f"{p.about}; {p.split}, {p.n_samples} samples."]
        own = [run for run in runs if run.case == p.case]
        rows = [_case_row(m, [r for r in own if r.method == m]) for m in ABOUT]
        header = ["method", "seeds", "left", "kept", "score", "area left", "area kept", "seconds"]
        blocks.append(table(header, [row for row in rows if row]))
    return "\n\n".join(blocks) + "\n"


def _case_row(method: str, runs: Sequence[Run]) -> list[str]:
    drawn = [run for run in runs if not run.failure]
    if not runs:
        return []
    if not drawn:
        return [method, "0", "n/a", *[""] * 4, runs[0].failure.replace("|", "/")]
    columns = [
        [getattr(run, key) for run in drawn]
        for key in ("left", "kept", "score", "left_area", "kept_area")
    ]
    texts = [plus_minus(number(middle(column)), spread(column)) for column in columns]
    seconds = np.median([run.seconds for run in drawn])
    return [method, str(len(drawn)), *texts, f"{seconds:.1f}"]
