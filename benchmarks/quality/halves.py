"""Cases → how much a method's scores change with the seed, and with the half of the samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from quality import table
from quality.case import Case
from quality.methods import METHODS
from quality.run import Run, run_one

HALVES = "halves.csv"


def report_halves(cases: Iterable[Case], methods: Sequence[str], n: int, build: Path) -> None:
    """Run methods with n seeds on all samples and once on each of n halves; print both spreads."""
    usable = [name for name in methods if not METHODS[name].missing()]
    for case in cases:
        for method in usable:
            if METHODS[method].refuses(case):
                continue
            seeds = [run_one(case, method, seed, build) for seed in range(n)]
            halves = [run_one(half(case, k), method, 0, build) for k in range(n)]
            for run in (*seeds, *halves):
                table.append(build / HALVES, run)
            told = "  ".join(
                f"{what}: left {spread(runs, 'left')} kept {spread(runs, 'kept')}"
                for what, runs in (("seeds", seeds), ("halves", halves))
            )
            print(f"{case.name:24} {method:15} {told}", flush=True)


def half(case: Case, draw: int) -> Case:
    """Return a case with a random half of its samples."""
    n = len(case.X)
    rows = np.sort(np.random.default_rng(draw).permutation(n)[: n // 2])
    X = case.X[np.ix_(rows, rows)] if case.metric == "precomputed" else case.X[rows]
    return replace(
        case,
        X=X,
        prior=case.prior[rows],
        hidden=case.hidden[rows],
        labels=None if case.labels is None else case.labels[rows],
        name=f"{case.name}/half-{draw}",
    )


def spread(runs: Sequence[Run], what: str) -> str:
    """Return mean ± standard deviation over the runs that did not fail."""
    values = [getattr(run, what) for run in runs if not run.failure]
    if not values:
        return "failed"
    return f"{np.mean(values):.3f} ± {np.std(values):.3f}"
