"""Data and cells -> landmarks, the samples that potentials are balanced on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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

#: Distances that are held in memory at a time.
BLOCK_ENTRIES = 2_000_000


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


def choose_landmarks(data: Prior, cells: Indices) -> Landmarks:
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

    Returns
    -------
    landmarks : Landmarks
        All samples if they are few; the same every time.
    """
    drawn = draw_from_cells(cells)
    near = _usual_nearness(data.block(drawn, drawn))
    n = cells.shape[1]
    others = np.setdiff1d(np.arange(n), drawn)
    asked = np.random.default_rng(0).permutation(others)[:ASKED]
    n_around = _around(data, cells, asked, drawn, FAR * near)
    lonely = n_around.min(axis=1) < ENOUGH
    # Asked in random order, the larger of lonely populations are met first.
    left, n_around = asked[lonely], n_around[lonely]
    added: list[int] = []
    weights: list[float] = []
    while len(left) and len(added) < MOST_ADDED:
        more = _around(data, cells, left, left[:1], FAR * near)
        added.append(left[0])
        # It is one of so many that stand for the lonely ones around it.
        stands_for = more.max(axis=1).sum() / ENOUGH
        weights.append(stands_for * len(others) / len(asked) * len(drawn) / n)
        left, n_around = left[1:], (n_around + more)[1:]
        lonely = n_around.min(axis=1) < ENOUGH
        left, n_around = left[lonely], n_around[lonely]
    samples = np.append(drawn, np.array(added, dtype=np.intp))
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


def _around(
    data: Prior, cells: Indices, samples: Indices, landmarks: Indices, far: float
) -> Indices:
    """How many landmarks around each sample share its cell, in each prior."""
    counts = np.empty((len(samples), len(cells)), dtype=np.intp)
    step = max(1, BLOCK_ENTRIES // len(landmarks))
    for start in range(0, len(samples), step):
        some = samples[start : start + step]
        around = data.block(some, landmarks) <= far
        for place, own in enumerate(cells):
            same = own[some][:, None] == own[landmarks]
            counts[start : start + step, place] = (around & same).sum(axis=1)
    return counts


def _usual_nearness(distances: Floats) -> float:
    """Distance to the end of the nearest share of the samples, in the middle of all."""
    place = min(int(NEAR * len(distances)) + 1, len(distances) - 1)
    usual = np.median(np.partition(distances, place, axis=1)[:, place] ** 2)
    # Where most samples have so many that are identical to them, any small number does.
    return float(np.sqrt(usual or 1e-3 * np.mean(distances**2)))
