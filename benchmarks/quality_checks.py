"""Saved maps → what is to be said of them without hidden labels, and whether that is right.

Two claims of the library are checked here. `unprior.scores.rest_kept`, which sees no hidden label,
ranks maps in the order of the hidden structure that they keep. And a prior that the data hardly
show costs nothing: the map shows as much of the data as t-SNE's does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from quality_cases import RECIPES, Case
from quality_run import Key, Run, load_map, read_runs
from quality_tables import append, read_lines

from unprior import scores
from unprior.priors import data_distances
from unprior.scores._rest import estimate_rest, find_rest

CHECKS = "checks.csv"
NEIGHBORS = 15


@dataclass(frozen=True)
class Check:
    """What one map keeps of the rest, and of the data (area of the overlap curve).

    ``library`` is the state of the source that drew the map; empty in old lines, which did not
    note it.
    """

    case: str
    method: str
    seed: int
    rest_kept: float
    data_area: float
    library: str = ""

    @property
    def key(self) -> Key:
        """What no two checks share."""
        return self.case, self.method, self.seed


@dataclass(frozen=True)
class Ranking:
    """Rank correlation of what is kept of the rest with what is kept of the hidden labels.

    ``pooled`` over all maps of all cases; ``within`` over the methods of each case.
    """

    pooled: float
    within: Sequence[float]


def check_maps(tables: Path, cache: Path, folder: Path | None) -> dict[str, str]:
    """Check the kept maps that no check of the table is of; return cases left out, and why.

    A run whose map is gone keeps the check that it has; one without is left out.
    """
    runs, checks = read_runs(tables), read_checks(tables)
    done = {(check.key, check.library) for check in checks}
    valid = {check.key for check in valid_checks(checks, runs)}
    wanted: dict[str, dict[Run, np.ndarray]] = {}
    gone: Counter[str] = Counter()
    for run in runs:
        if run.failure or (run.key, run.library) in done:
            continue
        if (Y := load_map(cache, run)) is not None:
            wanted.setdefault(run.case, {})[run] = Y
        elif run.key not in valid:
            gone[run.case] += 1
    left_out = {name: f"no map is kept of {n} run(s)" for name, n in gone.items()}
    for name, maps in wanted.items():
        try:
            case = RECIPES[name].load(folder)
        except (ImportError, FileNotFoundError) as error:
            left_out[name] = "; ".join(filter(None, [str(error), left_out.get(name)]))
            continue
        append(tables / CHECKS, _check_case(case, maps))
    return left_out


def read_checks(tables: Path) -> list[Check]:
    """Read the table; of two lines for one map the later counts."""
    checks = {}
    for line in read_lines(tables / CHECKS):
        numbers = float(line["rest_kept"]), float(line["data_area"])
        # Tables of earlier runs have no such column.
        library = line.get("library", "")
        check = Check(line["case"], line["method"], int(line["seed"]), *numbers, library)
        checks[check.key] = check
    return [*checks.values()]


def valid_checks(checks: Sequence[Check], runs: Sequence[Run]) -> list[Check]:
    """Return the checks of the maps that runs have now; old lines without a state are trusted."""
    states = {run.key: run.library for run in runs if not run.failure}
    return [c for c in checks if c.key in states and c.library in ("", states[c.key])]


def rank(checks: Sequence[Check], runs: Sequence[Run]) -> Ranking:
    """Compare the order of maps by the rest kept with that by the hidden labels kept."""
    rest = {check.key: check.rest_kept for check in checks}
    pairs: dict[str, list[tuple[float, float]]] = {}
    for run in runs:
        if run.kept is not None and np.isfinite(rest.get(run.key, np.nan)):
            pairs.setdefault(run.case, []).append((rest[run.key], run.kept))
    everyone = [pair for own in pairs.values() for pair in own]
    return Ranking(_spearman(everyone), [_spearman(own) for own in pairs.values()])


def _spearman(pairs: Sequence[tuple[float, float]]) -> float:
    """Rank correlation; NaN where there is nothing to rank."""
    from scipy.stats import spearmanr

    if not pairs or (np.ptp(pairs, axis=0) == 0).any():
        return float("nan")
    return float(spearmanr(*np.transpose(pairs)).statistic)


def _check_case(case: Case, maps: Mapping[Run, np.ndarray]) -> list[Check]:
    data = data_distances(case.X, case.metric, who="check_maps")
    rest = find_rest(data, {"prior": case.prior})
    checks = []
    for run, Y in maps.items():
        at = data_distances(Y, "euclidean", who="check_maps")
        kept = np.nan
        if rest is not None:
            kept = estimate_rest("check_maps", at, rest, NEIGHBORS, None, 0).value
        area = scores.overlap_area(at, data)
        checks.append(Check(*run.key, float(kept), area, run.library))
    return checks
