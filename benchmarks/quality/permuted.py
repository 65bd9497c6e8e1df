"""Cases with their prior in random order → what `embed` costs where there is nothing to remove."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import unprior as up
from quality import table
from quality.case import Case
from quality.rivals import plain_tsne
from quality.scores import NEIGHBORS, nearest

PERMUTED = "permuted.csv"
#: Rows whose neighbours in the data are looked for.
N_ROWS = 3000


@dataclass(frozen=True)
class Permuted:
    """Shares of a sample's 15 nearest in the data that are among its 15 nearest on a map."""

    case: str
    draw: int
    embed: float
    plain: float


def report_permuted(cases: Iterable[Case], n_draws: int, build: Path) -> None:
    """Draw each case with its prior in random order, and print what that costs."""
    found = []
    for case in cases:
        for draw in range(n_draws):
            one = permute(case, draw)
            found.append(one)
            table.append(build / PERMUTED, one)
            told = f"embed {one.embed:.3f}  t-SNE {one.plain:.3f}"
            print(f"{case.name:24} {draw}  {told}", flush=True)
    if found:
        costs = [one.plain - one.embed for one in found]
        print(f"{len(found)} draws: overlap lost {np.mean(costs):.4f}, at most {max(costs):.4f}")


def permute(case: Case, draw: int) -> Permuted:
    """Draw a case with its prior in random order, and without a prior."""
    order = np.random.default_rng(draw).permutation(len(case.X))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=up.UnpriorWarning)
        Y = up.embed(
            case.X, prior=case.prior[order], metric=case.metric, n_jobs=1, random_state=draw
        )
    plain = plain_tsne(case.X, case.metric, draw)
    near, rows = near_in_data(case)
    return Permuted(case.name, draw, overlap(Y, near, rows), overlap(plain, near, rows))


def near_in_data(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Return the nearest others in the data of some rows, and these rows."""
    from sklearn.neighbors import NearestNeighbors

    rows = np.sort(np.random.default_rng(0).permutation(len(case.X))[:N_ROWS])
    index = NearestNeighbors(n_neighbors=NEIGHBORS + 1, metric=case.metric).fit(case.X)
    found = index.kneighbors(case.X[rows], return_distance=False)
    own = found == rows[:, None]
    own[~own.any(axis=1), -1] = True
    return found[~own].reshape(len(rows), NEIGHBORS), rows


def overlap(Y: np.ndarray, near: np.ndarray, rows: np.ndarray) -> float:
    """Share of neighbours in the data that are neighbours on the map."""
    _, shown = nearest(np.asarray(Y, dtype=np.float64), NEIGHBORS)
    return float((shown[rows][:, :, None] == near[:, None, :]).any(axis=1).mean())
