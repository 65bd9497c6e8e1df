"""Cases, methods and seeds → scores in a CSV file that grows by a line a run, and saved maps."""

from __future__ import annotations

import itertools
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from threadpoolctl import threadpool_limits

import unprior
from quality import table
from quality.case import Case
from quality.methods import METHODS
from quality.scores import score_map

RESULTS = "results.csv"
NAN = float("nan")


@dataclass(frozen=True)
class Run:
    """One map's scores; without scores where the method failed, and then why.

    ``version`` is the library's, with its last commit ("-dirty" if files had been changed): the one
    that drew the map, or a later one that draws the first seed's map the same (`renew`).
    """

    case: str
    method: str
    seed: int
    n: int
    left: float = NAN
    kept: float = NAN
    worst: float = NAN
    unevenness: float = NAN
    score: float = NAN
    seconds: float = NAN
    failure: str = ""
    version: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        """Identifies a run."""
        return self.case, self.method, self.seed


def run_case(
    case: Case,
    methods: Sequence[str],
    seeds: Sequence[int],
    build: Path,
    n_jobs: int,
    *,
    retry: bool = False,
    refresh: bool = False,
) -> Iterator[Run]:
    """Run what is missing of a case, and yield each run as it is written.

    With ``retry`` failed runs are repeated, with ``refresh`` those that another version of the
    library drew differently.
    """
    methods = [method for method in methods if not METHODS[method].refuses(case)]
    # Processes, so that the time of each method is measured with one thread.
    in_parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    if refresh:
        groups = [_stale(build, case.name, method) for method in methods]
        renewed = in_parallel(joblib.delayed(renew)(case, runs, build) for runs in groups if runs)
        yield from _written(itertools.chain.from_iterable(renewed), build)
    done = {
        run.key
        for run in read_runs(build)
        if not (retry and run.failure) and not (refresh and run.version != library_version())
    }
    wanted = itertools.product(methods, seeds)
    runs = in_parallel(
        joblib.delayed(run_one)(case, method, seed, build)
        for method, seed in wanted
        if (case.name, method, seed) not in done
    )
    yield from _written(runs, build)


def renew(case: Case, stale: Sequence[Run], build: Path) -> list[Run]:
    """Draw a case again with the first seed of a method's runs by another version.

    If this map has not changed in any bit, the runs with other seeds count for this version too;
    otherwise they are not among the runs that are returned.
    """
    first, *others = stale
    before = _read_map(build, first)
    again = run_one(case, first.method, first.seed, build)
    same = before is not None and not again.failure and before == _read_map(build, again)
    return [again, *(replace(run, version=again.version) for run in others if same)]


def _stale(build: Path, case: str, method: str) -> list[Run]:
    """Return the runs of a case by a method that another version has drawn."""
    return [
        run
        for run in read_runs(build)
        if (run.case, run.method) == (case, method) and run.version != library_version()
    ]


def _read_map(build: Path, run: Run) -> bytes | None:
    """Return all bits of a kept map; None if there is none."""
    path = map_path(build, run.case, run.method, run.seed)
    if run.failure or not path.exists():
        return None
    with np.load(path) as saved:
        return saved["Y"].tobytes()


def _written(runs: Iterable[Run], build: Path) -> Iterator[Run]:
    for run in runs:
        table.append(build / RESULTS, run)
        yield run


def run_one(case: Case, method: str, seed: int, build: Path) -> Run:
    """Draw, score and save one map; a method that fails gives a run without scores."""
    start: dict[str, Any] = {"case": case.name, "method": method, "seed": seed, "n": len(case.X)}
    start["version"] = library_version()
    started = time.perf_counter()
    try:
        with threadpool_limits(1):
            Y = np.asarray(METHODS[method](case, seed))
            seconds = time.perf_counter() - started
            found = score_map(Y, case)
    except Exception as error:  # noqa: BLE001 (any failure of a method is a result)
        reason = " ".join(str(error).split())[:200]
        return Run(**start, failure=f"{type(error).__name__}: {reason}")
    path = map_path(build, case.name, method, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, Y=Y.astype(np.float32))
    return Run(**start, **asdict(found), seconds=seconds)


def read_runs(build: Path) -> list[Run]:
    """Read all runs; of two lines for one run the later counts."""
    return [*{run.key: run for run in table.read(build / RESULTS, Run)}.values()]


def map_path(build: Path, case: str, method: str, seed: int) -> Path:
    """Return where a map is kept."""
    return build / "maps" / case / method / f"{seed}.npz"


@cache
def library_version() -> str:
    """Return the version of the library that is imported, with its git commit if there is one.

    It is the last commit that changed the library: others, of tests or pages, change no map.
    """
    try:
        commit, changes = _git("log", "-1", "--format=%h", "--abbrev=9"), _git("status", "--short")
    except (OSError, subprocess.CalledProcessError):
        commit = changes = ""
    if not commit:
        return unprior.__version__
    return f"{unprior.__version__}+{commit}{'-dirty' if changes else ''}"


def _git(*command: str) -> str:
    """Return what git says of the library's folder."""
    folder = Path(unprior.__file__).parent
    found = subprocess.run(
        ["git", *command, "--", "."], cwd=folder, capture_output=True, text=True, check=True
    )
    return found.stdout.strip()
