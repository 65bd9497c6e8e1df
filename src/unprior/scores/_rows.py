"""Choosing rows to score, scoring them in blocks, and estimating means with standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np

from unprior._blocks import run_sent, send_ahead
from unprior._params import Either, Kind, Whole, check_value
from unprior._random import draw_seed as draw_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unprior._typing import Floats, Indices

#: Entries of a block of distances; every thread holds one block.
BLOCK_ENTRIES = 2_000_000

#: Number of blocks whose results are held at a time.
ROUND = 64

#: Most pairs of samples that ``n_rows="auto"`` scores, and its fewest rows.
AUTO_PAIRS, AUTO_ROWS = 20_000_000, 1000

N_ROWS = Either(Kind("None (all)", lambda value: value is None), Whole(2))


@dataclass(frozen=True)
class Estimate:
    """A score and its standard error, which is 0 if all samples were scored."""

    value: float
    standard_error: float


def choose_rows(who: str, population: Indices, n_rows: int | None, random_state: Any) -> Indices:
    """Return ``n_rows`` random members of the population, sorted; all of them for None."""
    check_value(who, "n_rows", n_rows, N_ROWS)
    if n_rows is None or n_rows >= len(population):
        return population
    rng = np.random.RandomState(draw_seed(random_state))
    return np.sort(rng.choice(population, n_rows, replace=False))


def auto_rows(n_samples: int) -> int:
    """Return the number of rows to score for ``n_rows="auto"``."""
    return min(n_samples, max(AUTO_ROWS, AUTO_PAIRS // n_samples))


def score_blocks(
    score: Callable[..., Any], rows: Indices, n_samples: int, *arguments: Any
) -> Iterator[Any]:
    """Yield ``score(block, *arguments)`` for blocks of rows in order, in parallel by joblib.

    The blocks do not depend on the number of threads, so neither do the results.
    """
    step = max(1, BLOCK_ENTRIES // n_samples)
    starts = range(0, len(rows), step)
    # By itself, joblib ignores the configured number of jobs when it switches to threads.
    n_workers = joblib.effective_n_jobs(None)
    parallel = joblib.Parallel(n_workers, prefer="threads")
    sent = send_ahead(partial(_score_some, score, arguments), n_workers)
    # In rounds: not all backends return results one by one, and all at once may not fit in memory.
    for first in range(0, len(starts), ROUND):
        yield from parallel(
            joblib.delayed(run_sent)(sent, rows[start : start + step])
            for start in starts[first : first + ROUND]
        )


def _score_some(score: Callable[..., Any], arguments: tuple[Any, ...], rows: Indices) -> Any:
    return score(rows, *arguments)


def score_rows(
    score: Callable[..., tuple[Floats, Floats]], n_rows: int, n_samples: int, *arguments: Any
) -> tuple[Floats, Floats]:
    """Return the two arrays that ``score(positions, *arguments)`` gives, for all rows."""
    parts = [*score_blocks(score, np.arange(n_rows), n_samples, *arguments)]
    first, second = zip(*parts, strict=True)
    return np.concatenate(first), np.concatenate(second)


def estimate_ratio(values: Floats, per: Floats, n_population: int) -> Estimate:
    """Estimate sum(values) / sum(per) over a population from a sample of its rows.

    The standard error is that of a ratio of two means of the same rows, drawn without replacement.
    If ``per`` is all zero, as at k = n - 1 where all samples are neighbours, the ratio is 0.
    """
    if not per.any():
        return Estimate(0.0, 0.0)
    ratio, n_rows = float(values.mean() / per.mean()), len(values)
    if n_rows == n_population:
        return Estimate(ratio, 0.0)
    spread = float(np.std((values - ratio * per) / per.mean(), ddof=1))
    return Estimate(ratio, spread * float(np.sqrt((1 - n_rows / n_population) / n_rows)))


def estimate_mean(values: Floats, n_population: int) -> Estimate:
    """Estimate the mean over a population from a sample of its rows."""
    return estimate_ratio(values, np.ones(len(values)), n_population)
