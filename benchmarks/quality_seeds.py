"""Runs → with how many seeds methods were run, and what the tables lack of that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product

from quality_run import Key, Run

#: Methods or cases that are named; more are only counted, as the table of each case has its seeds.
FEW = 4


def tell_seeds(runs: Sequence[Run], cases: Collection[str]) -> str:
    """Say how many seeds each method has on each case, or how many runs are not there.

    A method that refuses a case has a line that says so, and lacks nothing there. Nor do methods
    count that were never run, which the page names elsewhere.
    """
    n_seeds = len({run.seed for run in runs})
    told = "1 seed" if n_seeds == 1 else f"{n_seeds} seeds"
    gaps = []
    if lacking := missing_runs(runs, cases):
        are = "run is" if len(lacking) == 1 else "runs are"
        gaps.append(f"{len(lacking)} {are} missing ({_whose(lacking)})")
    if failed := odd_failures(runs):
        gaps.append(f"{len(failed)} failed where another seed did not ({_whose(failed)})")
    if not gaps:
        return f"{told} for each method on each case."
    return f"{told}; {' and '.join(gaps)}, so that means are over the seeds that there are."


def missing_runs(runs: Sequence[Run], cases: Collection[str]) -> list[Key]:
    """Return the cases, methods and seeds of which the tables hold no line."""
    done = {run.key for run in runs}
    everywhere = product(cases, {run.method for run in runs}, {run.seed for run in runs})
    return [key for key in everywhere if key not in done]


def odd_failures(runs: Sequence[Run]) -> list[Key]:
    """Return the runs that failed though the same method drew the case with another seed."""
    drawn = {(run.case, run.method) for run in runs if not run.failure}
    return [run.key for run in runs if run.failure and (run.case, run.method) in drawn]


def _whose(keys: Sequence[Key]) -> str:
    cases, methods, _ = zip(*keys, strict=True)
    return f"of {_named({*methods}, 'methods')} on {_named({*cases}, 'cases')}"


def _named(names: Collection[str], what: str) -> str:
    return ", ".join(sorted(names)) if len(names) <= FEW else f"{len(names)} {what}"
