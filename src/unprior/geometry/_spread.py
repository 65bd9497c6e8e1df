"""Points on demand -> their middle, how far each is from it, and the two farthest apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices

#: Points from which all others are measured in the first walk, and most of them in any; most
#: numbers that these are; and others that are measured at a time.
PROBES, MOST_PROBES, PROBE_ENTRIES, COLUMNS = 64, 1024, 500_000, 1024

#: Reads points.
Take: TypeAlias = Callable[[slice | Indices], Floats]


@dataclass(frozen=True, eq=False)
class Spread:
    """Where points are.

    Attributes
    ----------
    middle : ndarray of shape (n_columns,)
        Their mean.
    radii : ndarray of shape (n_samples,)
        Distance of each from the middle.
    """

    middle: Floats
    radii: Floats


def find_spread(take: Take, walk: Sequence[range]) -> Spread:
    """Walk twice through all points, some at a time."""
    sums = map_blocks(partial(_sum, take), walk, title="middle")
    middle = np.sum(sums, axis=0) / walk[-1].stop
    radii = map_blocks(partial(_radii, take, middle), walk, title="distances from the middle")
    return Spread(middle, np.concatenate(radii))


def farthest_apart(take: Take, walk: Sequence[range], spread: Spread) -> Indices:
    """Return two points with the largest Euclidean distance, up to rounding."""
    # From the outside in: two points within half the best distance of the middle cannot beat it.
    order = np.argsort(-spread.radii, kind="stable")
    best, pair, start = -1.0, (0, 0), 0
    count, most = PROBES, max(1, min(MOST_PROBES, PROBE_ENTRIES // len(spread.middle)))
    while start < len(order) and 2 * spread.radii[order[start]] > best:
        probes = order[start : start + min(count, most)]
        measure = partial(_farthest_from, take, spread.middle, probes, take(probes) - spread.middle)
        distance, i, j = max(map_blocks(measure, walk, title="largest distance"))
        if distance > best:
            best, pair = distance, (i, j)
        # Mostly few points are that far out; where nearly all are, more at a time save walks.
        start, count = start + len(probes), 2 * count
    return np.array(pair)


def _sum(take: Take, rows: range) -> Floats:
    return np.asarray(take(slice(rows.start, rows.stop)).sum(axis=0))


def _radii(take: Take, middle: Floats, rows: range) -> Floats:
    return np.linalg.norm(take(slice(rows.start, rows.stop)) - middle, axis=1)


def _farthest_from(
    take: Take, middle: Floats, probes: Indices, own: Floats, rows: range
) -> tuple[float, int, int]:
    """Return the largest distance of probes, whose points are given, to some rows; and whose."""
    others = take(slice(rows.start, rows.stop)) - middle
    lengths = np.einsum("ij,ij->i", own, own)
    best = (-1.0, 0, 0)
    for start in range(0, len(others), COLUMNS):
        some = others[start : start + COLUMNS]
        # Matrix products blur small distances, not the largest.
        squares = lengths[:, None] + np.einsum("ij,ij->i", some, some) - 2 * (own @ some.T)
        i, j = divmod(int(squares.argmax()), len(some))
        best = max(best, (float(squares[i, j]), int(probes[i]), rows.start + start + j))
    return float(np.sqrt(max(best[0], 0.0))), *best[1:]
