"""Runs of other states → the same runs drawn again now, and how far their scores differ."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from quality_cases import RECIPES
from quality_run import Run, read_runs, run_case
from quality_state import library_state
from quality_tables import append, read_lines

REPEATS = "repeats.csv"
#: Scores that differ by less are those of the same map; tables hold them to five digits.
EQUAL = 1e-5


@dataclass(frozen=True)
class Repeat:
    """A run that was drawn by one state of the source and again by another.

    ``difference`` is the larger of those of what is left and what is kept; infinite if the map
    could not be drawn again, and then ``failure`` says why.
    """

    case: str
    method: str
    seed: int
    old: str
    new: str
    difference: float
    failure: str = ""


def repeat_runs(tables: Path, folder: Path | None, n_runs: int, n_jobs: int) -> Iterator[Repeat]:
    """Draw some runs of other states again, away from tables and maps; note the differences."""
    wanted: dict[str, dict[tuple[str, int], Run]] = {}
    for run in pick(read_runs(tables), read_repeats(tables), library_state(), n_runs):
        wanted.setdefault(run.case, {})[run.method, run.seed] = run
    for name, olds in wanted.items():
        try:
            case = RECIPES[name].load(folder)
        except (ImportError, FileNotFoundError) as error:
            print(f"not drawn again: {name} ({error})")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            away = Path(scratch)
            for new in run_case(case, [*olds], away, away, n_jobs):
                found = hold_against(olds[new.method, new.seed], new)
                append(tables / REPEATS, [found])
                yield found


def pick(runs: Sequence[Run], repeats: Sequence[Repeat], now: str, n_runs: int) -> list[Run]:
    """Pick runs of other states that are not repeated yet, evenly over methods and states."""
    done = {(r.case, r.method, r.seed, r.old) for r in repeats if r.new == now and not r.failure}
    groups: dict[tuple[str, str], list[Run]] = {}
    for place in np.random.default_rng(0).permutation(len(runs)):
        run = runs[place]
        if not run.failure and run.library != now and (*run.key, run.library) not in done:
            groups.setdefault((run.method, run.library), []).append(run)
    counts = Counter(name for _, method, _, old in done for name in (method, old, (method, old)))
    picked: list[Run] = []
    while groups and len(picked) < n_runs:
        pair = min(groups, key=lambda p: (counts[p], counts[p[0]], counts[p[1]]))
        counts.update((*pair, pair))
        picked.append(groups[pair].pop())
        if not groups[pair]:
            del groups[pair]
    return picked


def hold_against(old: Run, new: Run) -> Repeat:
    """Compare the scores of two runs."""
    gaps = [
        abs(one - other) if one is not None and other is not None else float("inf")
        for one, other in ((old.left, new.left), (old.kept, new.kept))
    ]
    return Repeat(*old.key, old.library, new.library, max(gaps), new.failure)


def read_repeats(tables: Path) -> list[Repeat]:
    """Read the table; of two lines for one run and the same states the later counts."""
    repeats = {}
    for line in read_lines(tables / REPEATS):
        key = line["case"], line["method"], int(line["seed"]), line["old"], line["new"]
        repeats[key] = Repeat(*key, float(line["difference"]), line.get("failure", ""))
    return [*repeats.values()]
