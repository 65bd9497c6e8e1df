"""Priors -> a cell of each for every sample: its class, or where it is if these are no labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias, cast

import numpy as np
from threadpoolctl import threadpool_limits

from unprior._typing import Floats, Indices
from unprior.distances._principal import principal_coordinates
from unprior.priors import Labels, Prior
from unprior.priors._points import Points, points_of
from unprior.priors._stored import StoredFeatures

#: Cells that a prior which is no labels is cut into.
N_CELLS = 8

#: Fewest samples of a cell, and most cells. Of more classes than these, those with less than an
#: equal share of the samples count as one cell.
SMALL, MOST_CELLS = 2, 200

#: Samples that cells are learnt from.
LEARN_FROM = 20_000

#: Most axes along which distances that are not those of points are cut.
MOST_AXES = 20

#: Coordinates that are read at a time.
BLOCK_ENTRIES = 4_000_000

#: Tells points of some samples.
Place: TypeAlias = Callable[[slice | Indices], Floats]


def sample_cells(priors: Sequence[Prior]) -> Indices:
    """Return a cell of each prior for every sample, so that samples of one are about alike in it.

    Shape (n_priors, n_samples); the numbers of one prior follow those of the one before.
    """
    own = np.array([_join_small(_cells_of(prior)) for prior in priors])
    counts = own.max(axis=1, keepdims=True) + 1
    return own + np.cumsum(counts, axis=0) - counts


def _cells_of(prior: Prior) -> Indices:
    if isinstance(prior, Labels):
        return prior.codes
    return cross_places(np.zeros(prior.n_samples, dtype=np.intp), [prior], N_CELLS)


def sample_kin(priors: Sequence[Prior]) -> Indices:
    """Return the class of every sample that has no cell of its own because there are too many.

    Shape (n_priors_with_such_classes, n_samples). Other samples have a number that none shares.
    """
    everyone, kin = np.arange(priors[0].n_samples), []
    for prior in priors:
        if isinstance(prior, Labels) and _too_many(sizes := np.bincount(prior.codes)):
            small = np.argsort(-sizes, kind="stable")[_n_whole(sizes) :]
            kin.append(np.where(np.isin(prior.codes, small), prior.codes, -1 - everyone))
    return np.array(kin, dtype=np.intp).reshape(len(kin), len(everyone))


def _join_small(cells: Indices) -> Indices:
    """Number cells by size, the largest first, and join those that cannot stay on their own."""
    sizes = np.bincount(cells)
    by_size = np.argsort(-sizes, kind="stable")
    n_whole = _n_whole(sizes)
    # A single sample has no cell even so, and goes with the smallest that stays.
    last = n_whole if sizes[by_size[n_whole:]].sum() >= SMALL else n_whole - 1
    numbers = np.empty(len(sizes), dtype=np.intp)
    numbers[by_size] = np.minimum(np.arange(len(sizes)), max(last, 0))
    return numbers[cells]


def _too_many(sizes: Indices) -> bool:
    return int((sizes >= SMALL).sum()) > MOST_CELLS


def _n_whole(sizes: Indices) -> int:
    """How many cells stay on their own: the largest."""
    if _too_many(sizes):
        return int((sizes * MOST_CELLS >= sizes.sum()).sum())
    return min(int((sizes >= SMALL).sum()), MOST_CELLS - 1)


def cross_labels(cells: Indices, labels: Labels) -> Indices:
    """Cut cells further by classes; those that there are get numbers."""
    return np.unique(cells * len(labels.classes) + labels.codes, return_inverse=True)[1]


def cross_places(cells: Indices, priors: Sequence[Prior], count: int) -> Indices:
    """Cut cells further by where samples are in priors that are no labels, in so many parts."""
    places = [_place(prior) for prior in priors if not isinstance(prior, Labels)]
    if not places:
        return cells
    part_of = np.empty(len(cells), dtype=np.intp)
    for number, part in enumerate(cut(Spread(len(cells), places), count)):
        part_of[part] = number
    return np.unique(cells * count + part_of, return_inverse=True)[1]


def _place(prior: Prior) -> Place:
    """Points whose distances are the prior's, or nearly; stored ones stay where they are."""
    if isinstance(prior, StoredFeatures) and points_of(prior[:1]) is not None:
        return partial(_read, prior)
    return coordinates(prior).__getitem__


def _read(prior: Prior, rows: slice | Indices) -> Floats:
    return cast(Points, points_of(prior[rows])).values


class Spread:
    """Points in several places, side by side; each place has a variance of 1."""

    def __init__(self, n_samples: int, places: Sequence[Place]) -> None:
        self.n_samples, self.places = n_samples, places
        self.sizes = [np.sqrt(_variance(place, n_samples).sum()) for place in places]

    def __len__(self) -> int:
        return self.n_samples

    def __getitem__(self, rows: slice | Indices) -> Floats:
        return np.hstack([p(rows) / s for p, s in zip(self.places, self.sizes, strict=True)])


def _variance(place: Place, n_samples: int) -> Floats:
    """Variance along each axis, as `numpy.var` finds it: to the bit, but some rows at a time."""
    blocks = _steps(n_samples, place(slice(0, 1)).shape[1])
    mean = _sum(place(rows) for rows in blocks) / n_samples
    return _sum((place(rows) - mean) ** 2 for rows in blocks) / n_samples


def _sum(blocks: Iterator[Floats]) -> Floats:
    """Sum all rows, one after another."""
    total = next(blocks).sum(axis=0)
    for block in blocks:
        total = np.vstack([total, block]).sum(axis=0)
    return np.asarray(total)


def _steps(n_samples: int, n_axes: int) -> list[slice]:
    """Rows that are read at a time, by multiples of what k-means takes together."""
    step = max(1, BLOCK_ENTRIES // n_axes // 256) * 256
    # Numbers in one column are not summed one after another; and they are not many.
    step = step if n_axes > 1 else n_samples
    return [slice(start, start + step) for start in range(0, n_samples, step)]


def coordinates(source: Prior) -> Floats:
    """Points whose distances are the source's, or nearly."""
    points = points_of(source)
    if points is not None:
        return points.values
    placed = principal_coordinates(source, most=MOST_AXES)
    if placed.shape[1]:
        return placed
    # No landmark differs from the others: whoever does is away from the first.
    return source.block(np.arange(source.n_samples), np.arange(1))


def cut(points: Floats | Spread, n_parts: int) -> list[Indices]:
    """Cut points into parts that are near each other, by k-means learnt from some of them."""
    rng = np.random.default_rng(0)
    some = points[rng.choice(len(points), min(len(points), LEARN_FROM), replace=False)]
    n_parts = min(n_parts, len(np.unique(some, axis=0))) if n_parts > 1 else 1
    if n_parts == 1:
        return [np.arange(len(points))]
    from sklearn.cluster import MiniBatchKMeans

    means = MiniBatchKMeans(n_parts, n_init=1, batch_size=4096, max_iter=20, random_state=0)
    with threadpool_limits(1):  # their number could change the last bits
        means.fit(some)
        steps = _steps(len(points), some.shape[1])
        numbers = np.concatenate([means.predict(points[rows]) for rows in steps])
    order = np.argsort(numbers, kind="stable")
    parts = np.split(order, np.searchsorted(numbers[order], np.arange(1, n_parts)))
    return [part for part in parts if len(part)]
