"""Rows on demand -> what one walk through all of them tells, and whether they can be used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats
from unprior._validation import Gaps, find_gaps, refuse_gaps
from unprior.storage._rows import StoredRows


@dataclass(frozen=True)
class Sight:
    """What some rows, or all, look like.

    Attributes
    ----------
    gaps : Gaps or None
        NaN and infinity.
    largest : float
        The largest number, whatever its sign.
    same : bool
        Whether every row is the first of all.
    """

    gaps: Gaps | None
    largest: float
    same: bool


def check_stored(who: str, name: str, rows: StoredRows) -> Sight:
    """Look through all rows, and refuse those with gaps."""
    sight = _look_through(rows)
    refuse_gaps(who, name, sight.gaps)
    return sight


def _look_through(rows: StoredRows) -> Sight:
    look = partial(_look_at, rows, rows[slice(0, 1)])
    sights = map_blocks(look, rows.walk(), title="reading")
    gaps = [sight.gaps for sight in sights if sight.gaps]
    first = replace(gaps[0], n_rows=sum(each.n_rows for each in gaps)) if gaps else None
    return Sight(first, max(s.largest for s in sights), all(s.same for s in sights))


def _look_at(rows: StoredRows, first: Floats, some: range) -> Sight:
    block = rows[slice(some.start, some.stop)]
    gaps = find_gaps(block)
    if gaps:
        gaps = replace(gaps, where=(some.start + gaps.where[0], *gaps.where[1:]))
    largest = max(float(block.max()), -float(block.min()))
    return Sight(gaps, largest, bool(np.array_equal(block, np.broadcast_to(first, block.shape))))
