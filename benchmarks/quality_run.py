"""Cases, methods and seeds → scores in a table that grows by a line a run, and saved maps."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import joblib
import numpy as np
from quality_cases import Case, Recipe
from quality_methods import METHODS, prior_for
from quality_scores import hidden_within, score_map
from quality_state import library_state
from quality_tables import append, read_lines
from threadpoolctl import threadpool_limits

RESULTS, CASES = "results.csv", "cases.csv"

#: Case, method and seed: what no two runs share.
Key: TypeAlias = tuple[str, str, int]


@dataclass(frozen=True)
class Run:
    """One map's scores; without scores where the method could not draw it, and then why.

    ``library`` tells states of the source apart: scores of two states are no fair comparison.
    """

    case: str
    method: str
    seed: int
    left: float | None = None
    kept: float | None = None
    left_area: float | None = None
    kept_area: float | None = None
    score: float | None = None
    seconds: float | None = None
    failure: str = ""
    library: str = ""

    @property
    def key(self) -> Key:
        """What no two lines of the table share."""
        return self.case, self.method, self.seed


@dataclass(frozen=True)
class Profile:
    """What the pages say of a case; written when it is first run."""

    case: str
    split: str
    about: str
    harmless: bool
    n_samples: int
    prior: str
    n_hidden: int
    has_classes: bool
    within: float
    metric: str


def profile(recipe: Recipe, case: Case) -> Profile:
    """Describe a case."""
    return Profile(
        case=recipe.name,
        split=recipe.split,
        about=recipe.about,
        harmless=recipe.harmless,
        n_samples=len(case.X),
        prior=case.prior.kind,
        n_hidden=len(np.unique(case.hidden)),
        has_classes=case.class_prior is not None,
        within=hidden_within(case),
        metric=case.metric,
    )


def run_case(
    case: Case,
    wanted: Sequence[tuple[str, int]],
    tables: Path,
    cache: Path,
    n_jobs: int,
) -> Iterator[Run]:
    """Run methods with seeds on a case, and yield each run as it is written."""
    # Processes, since a method's time is to be that of one thread alone.
    runs = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        joblib.delayed(run_one)(case, name, seed, cache) for name, seed in wanted
    )
    for run in runs:
        append(tables / RESULTS, [run])
        yield run


def run_one(case: Case, method: str, seed: int, cache: Path) -> Run:
    """Draw and score one map, and save it; what a method refuses is a run without scores."""
    start: dict[str, Any] = {"case": case.name, "method": method, "seed": seed}
    start["library"] = library_state()
    prior = prior_for(method, case)
    if prior is None:
        return Run(**start, failure="takes labels only")
    started = time.perf_counter()
    try:
        with threadpool_limits(1):
            Y = METHODS[method](case.X, case.metric, prior, seed)
            seconds = time.perf_counter() - started
            found = score_map(Y, case)
    except Exception as error:  # noqa: BLE001 (whatever a method dies of is a result)
        reason = " ".join(str(error).split())[:200]
        return Run(**start, failure=f"{type(error).__name__}: {reason}")
    run = Run(**start, **asdict(found), score=found.score, seconds=seconds)
    save_map(cache, run, Y)
    return run


def save_map(cache: Path, run: Run, Y: np.ndarray) -> None:
    """Keep the map of a run, so that other scores can be taken of it."""
    path = _map_path(cache, run)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, Y=np.asarray(Y, dtype=np.float32), library=run.library)


def load_map(cache: Path, run: Run) -> np.ndarray | None:
    """Return the map of a run, if it is kept.

    Tables come from elsewhere too, so a map that another state of the source drew is not it; maps
    of earlier runs do not note their state, and are trusted.
    """
    path = _map_path(cache, run)
    if not path.exists():
        return None
    with np.load(path) as kept:
        if str(kept.get("library", run.library)) != run.library:
            return None
        return kept["Y"].astype(np.float64)


def _map_path(cache: Path, run: Run) -> Path:
    return cache / run.case / run.method / f"{run.seed}.npz"


def finished(tables: Path, *, retry: bool = False, refresh: bool = False) -> set[Key]:
    """Return the keys that need not be run again.

    Those of all lines in the table; with ``retry`` only of lines with scores, with ``refresh`` only
    of those that the library as it is now has drawn.
    """
    return {
        run.key
        for run in read_runs(tables)
        if not (retry and run.failure) and not (refresh and run.library != library_state())
    }


def read_runs(tables: Path) -> list[Run]:
    """Read the table; of two lines for one run the later counts."""
    runs = {}
    for line in read_lines(tables / RESULTS):
        numbers: dict[str, Any] = {
            name: float(line[name]) if line[name] else None
            for name in ("left", "kept", "left_area", "kept_area", "score", "seconds")
        }
        words: dict[str, Any] = {
            name: line[name] for name in ("case", "method", "failure", "library")
        }
        run = Run(**words, seed=int(line["seed"]), **numbers)
        runs[run.key] = run
    return [*runs.values()]


def read_profiles(tables: Path) -> dict[str, Profile]:
    """Read what is known of the cases that were run, by name; the later of two lines counts."""
    return {
        line["case"]: Profile(
            line["case"],
            line["split"],
            line["about"],
            line["harmless"] == "True",
            int(line["n_samples"]),
            line["prior"],
            int(line["n_hidden"]),
            line["has_classes"] == "True",
            float(line["within"]),
            line["metric"],
        )
        for line in read_lines(tables / CASES)
    }
