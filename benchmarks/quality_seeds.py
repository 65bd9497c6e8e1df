"""Runs → with how many seeds methods were run, and what the tables lack of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product

from quality_run import Run


def tell_seeds(runs: Sequence[Run], cases: Iterable[str]) -> str:
    """Say how many seeds each method has on each case, or which methods lack how many runs.

    A method that refuses a case has a line that says so, and lacks nothing there. Nor do methods
    count that were never run, which the page names elsewhere.
    """
    n_seeds = len({run.seed for run in runs})
    told = "1 seed" if n_seeds == 1 else f"{n_seeds} seeds"
    lacking, failed = missing_runs(runs, cases), odd_failures(runs)
    gaps = []
    if lacking:
        are = "run is" if lacking.total() == 1 else "runs are"
        gaps.append(f"{lacking.total()} {are} missing ({_by_method(lacking)})")
    if failed:
        gaps.append(f"{failed.total()} failed where another seed did not ({_by_method(failed)})")
    if not gaps:
        return f"{told} for each method on each case."
    return f"{told}; {' and '.join(gaps)}, so that means are over the seeds that there are."


def missing_runs(runs: Sequence[Run], cases: Iterable[str]) -> Counter[str]:
    """Count, by method, the cases and seeds that others were run with and this one was not."""
    done = {run.key for run in runs}
    everywhere = product(cases, {run.method for run in runs}, {run.seed for run in runs})
    return Counter(key[1] for key in everywhere if key not in done)


def odd_failures(runs: Sequence[Run]) -> Counter[str]:
    """Count, by method, the runs that failed where another seed did not."""
    drawn = {(run.case, run.method) for run in runs if not run.failure}
    return Counter(r.method for r in runs if r.failure and (r.case, r.method) in drawn)


def _by_method(counts: Counter[str]) -> str:
    return ", ".join(f"`{name}` {counts[name]}" for name in sorted(counts))
