"""Data and cells -> landmarks, the samples that potentials are balanced on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior.priors import Prior

#: Landmarks that are drawn, and how many of each cell at least, if it has them.
DRAWN, OF_CELL = 1000, 5

#: Share of the drawn landmarks that count as near to one of them.
NEAR = 0.05

#: Samples are lonely from which not so many landmarks of their cell are within this many times the
#: usual distance of near ones.
ENOUGH, FAR = 5, 1.5

#: Samples that are asked whether they are lonely, and landmarks that are added at most for them.
ASKED, MOST_ADDED = 10_000, 500

#: Lonely samples to which distances are measured at a time: data may be stored, and are then read
#: for each time.
LOOKED_AT = 30

#: Samples that are measured at a time, and most distances of these.
BLOCK_ROWS, BLOCK_ENTRIES = 250, 2_000_000


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Samples that stand for all.

    Attributes
    ----------
    samples : ndarray of shape (n_landmarks,)
    weights : ndarray of shape (n_landmarks,)
        How much each counts among the landmarks of its cell.
    near : float
        Usual distance to the end of the nearest landmarks.
    """

    samples: Indices
    weights: Floats
    near: float


def choose_landmarks(data: Prior, cells: Indices, n_jobs: int | None = None) -> Landmarks:
    """Draw landmarks from each cell, and add some where samples are far from all of these.

    Otherwise, samples of a small population that has landmarks in one cell but hardly any in
    another would seem far from the latter, and those of the latter be drawn to each other to make
    up for it.

    Parameters
    ----------
    data : Prior
        Distances between the samples.
    cells : ndarray of shape (n_priors, n_samples)
        The cell of every sample in each prior.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.

    Returns
    -------
    landmarks : Landmarks
        All samples if they are few; the same every time.
    """
    drawn = draw_from_cells(cells)
    near = _usual_nearness(distances_among(data, drawn, n_jobs))
    n = cells.shape[1]
    others = np.setdiff1d(np.arange(n), drawn)
    asked = np.random.default_rng(0).permutation(others)[:ASKED]
    around = partial(_around, data, cells, drawn, FAR * near)
    # What is stored is quickly read in its own order.
    ascending = np.sort(asked)
    found = map_blocks(around, _cut(ascending, len(drawn)), title="landmarks", n_jobs=n_jobs)
    nobody = np.empty((0, len(cells)), dtype=np.intp)
    n_around = np.concatenate([nobody, *found])[np.searchsorted(ascending, asked)]
    lonely = n_around.min(axis=1) < ENOUGH
    # Asked in random order, the larger of lonely populations are met first.
    added, stand_for = _add(data, cells, asked[lonely], n_around[lonely], FAR * near)
    weights = stand_for * len(others) / max(len(asked), 1) * len(drawn) / n
    samples = np.append(drawn, added)
    # By cell, so that those of one can be looked at together.
    order = np.argsort(cells[0, samples], kind="stable")
    return Landmarks(samples[order], np.append(np.ones(len(drawn)), weights)[order], near)


def draw_from_cells(cells: Indices) -> Indices:
    """Return all samples, or a draw from each cell in proportion, the same every time."""
    n_samples = cells.shape[1]
    if n_samples <= DRAWN:
        return np.arange(n_samples)
    rng = np.random.default_rng(0)
    drawn = []
    for own in cells:
        for cell in range(own.min(), own.max() + 1):
            members = np.flatnonzero(own == cell)
            count = max(round(DRAWN / len(cells) * len(members) / n_samples), OF_CELL)
            drawn.append(rng.permutation(members)[:count])
    return np.unique(np.concatenate(drawn))


def distances_among(data: Prior, samples: Indices, n_jobs: int | None = None) -> Floats:
    """Distances of some samples to each other, a few rows for each thread or worker at a time."""
    ascending = np.sort(samples)
    measure, blocks = partial(_distances_to, data, ascending), _cut(ascending, len(samples))
    distances = np.concatenate(map_blocks(measure, blocks, title="landmarks", n_jobs=n_jobs))
    places = np.searchsorted(ascending, samples)
    return distances[np.ix_(places, places)]


def _add(
    data: Prior, cells: Indices, left: Indices, n_around: Indices, far: float
) -> tuple[Indices, Floats]:
    """Add lonely samples until none is left, or too many are added; each stands for so many."""
    added: list[int] = []
    stand_for: list[float] = []
    while len(left) and len(added) < MOST_ADDED:
        are_near = data.block(left, left[:LOOKED_AT]) <= far
        are_left = np.ones(len(left), dtype=bool)
        for place in range(are_near.shape[1]):
            # Those that were added before may have ended its loneliness.
            if not are_left[place] or len(added) == MOST_ADDED:
                continue
            more = are_near[:, [place]] & (cells[:, left] == cells[:, left[[place]]]).T
            added.append(left[place])
            # It is one of so many that stand for the lonely ones around it.
            stand_for.append(more[are_left].max(axis=1).sum() / ENOUGH)
            n_around = n_around + more
            are_left &= n_around.min(axis=1) < ENOUGH
            are_left[place] = False
        left, n_around = left[are_left], n_around[are_left]
    return np.array(added, dtype=np.intp), np.array(stand_for)


def _around(
    data: Prior, cells: Indices, landmarks: Indices, far: float, samples: Indices
) -> Indices:
    """How many landmarks around each sample share its cell, in each prior."""
    around = data.block(samples, landmarks) <= far
    same = (own[samples][:, None] == own[landmarks] for own in cells)
    return np.column_stack([(around & each).sum(axis=1) for each in same])


def _distances_to(data: Prior, columns: Indices, rows: Indices) -> Floats:
    return data.block(rows, columns)


def _cut(samples: Indices, n_columns: int) -> list[Indices]:
    """Cut samples into blocks that are measured to so many others."""
    step = max(1, min(BLOCK_ROWS, BLOCK_ENTRIES // n_columns))
    return [samples[start : start + step] for start in range(0, len(samples), step)]


def _usual_nearness(distances: Floats) -> float:
    """Distance to the end of the nearest share of the samples, in the middle of all."""
    place = min(int(NEAR * len(distances)) + 1, len(distances) - 1)
    usual = np.median(np.partition(distances, place, axis=1)[:, place] ** 2)
    # Where most samples have so many that are identical to them, any small number does.
    return float(np.sqrt(usual or 1e-3 * np.mean(distances**2)))
