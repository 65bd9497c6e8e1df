"""Cases, methods and seeds → scores in a CSV file that grows by a line a run, and saved maps."""

from __future__ import annotations

import itertools
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
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

    ``version`` is the library's, with its git commit: "-dirty" if files had been changed.
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
        """What no two runs share."""
        return self.case, self.method, self.seed


def run_case(
    case: Case, methods: Sequence[str], seeds: Sequence[int], build: Path, n_jobs: int, done: set
) -> Iterator[Run]:
    """Run what is not done of a case, and yield each run as it is written."""
    wanted = [
        (method, seed)
        for method, seed in itertools.product(methods, seeds)
        if (case.name, method, seed) not in done and not METHODS[method].refuses(case)
    ]
    # Processes, since a method's time is to be that of one thread alone.
    runs = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        joblib.delayed(run_one)(case, method, seed, build) for method, seed in wanted
    )
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
    except Exception as error:  # noqa: BLE001 (whatever a method dies of is a result)
        reason = " ".join(str(error).split())[:200]
        return Run(**start, failure=f"{type(error).__name__}: {reason}")
    path = map_path(build, case.name, method, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, Y=Y.astype(np.float32))
    return Run(**start, **asdict(found), seconds=seconds)


def read_runs(build: Path) -> list[Run]:
    """Read all runs; of two lines for one run the later counts."""
    return [*{run.key: run for run in table.read(build / RESULTS, Run)}.values()]


def finished(build: Path, *, retry: bool = False, refresh: bool = False) -> set:
    """Return the keys that need not be run again.

    With ``retry`` what failed is run again, with ``refresh`` what another version drew.
    """
    return {
        run.key
        for run in read_runs(build)
        if not (retry and run.failure) and not (refresh and run.version != library_version())
    }


def map_path(build: Path, case: str, method: str, seed: int) -> Path:
    """Return where a map is kept."""
    return build / "maps" / case / method / f"{seed}.npz"


@cache
def library_version() -> str:
    """Return the version of the library that is imported, with its git commit if there is one."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=9", "--exclude=*"]
    folder = Path(unprior.__file__).parent
    try:
        found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return unprior.__version__
    return f"{unprior.__version__}+{found.stdout.strip()}"
