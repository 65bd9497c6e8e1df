"""Priors -> a cell for every sample: its class, and where it is in priors that are no labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from unprior._typing import Floats, Indices
from unprior.distances._principal import principal_coordinates
from unprior.priors import Labels, Prior
from unprior.priors._points import points_of

#: Cells that priors which are no labels are cut into, and fewest within each class.
N_CELLS, FEWEST = 8, 2

#: Fewest samples of a cell, and most cells: the smallest beyond count as one.
SMALL, MOST_CELLS = 2, 200

#: Samples that cells are learnt from.
LEARN_FROM = 20_000

#: Most axes along which distances that are not those of points are cut.
MOST_AXES = 20


def sample_cells(priors: Sequence[Prior]) -> Indices:
    """Return a cell for every sample, so that samples of one are about alike in all priors."""
    cells = cross_labels(priors)
    count = max(N_CELLS // (int(cells.max()) + 1), FEWEST)
    return _join_small(cross_places(cells, priors, count))


def _join_small(cells: Indices) -> Indices:
    """Number cells by size, the largest first, and join those that cannot stay on their own."""
    sizes = np.bincount(cells)
    by_size = np.argsort(-sizes, kind="stable")
    n_whole = min(int((sizes >= SMALL).sum()), MOST_CELLS - 1)
    # A single sample has no cell even so, and goes with the smallest that stays.
    last = n_whole if sizes[by_size[n_whole:]].sum() >= SMALL else n_whole - 1
    numbers = np.empty(len(sizes), dtype=np.intp)
    numbers[by_size] = np.minimum(np.arange(len(sizes)), max(last, 0))
    return numbers[cells]


def cross_labels(priors: Sequence[Prior]) -> Indices:
    """Return the combination of classes of every sample, numbered; 0 for all without labels."""
    cells = np.zeros(priors[0].n_samples, dtype=np.intp)
    for prior in priors:
        if isinstance(prior, Labels):
            cells = np.unique(cells * len(prior.classes) + prior.codes, return_inverse=True)[1]
    return cells


def cross_places(cells: Indices, priors: Sequence[Prior], count: int) -> Indices:
    """Cut cells further by where samples are in priors that are no labels, in so many parts."""
    places = [coordinates(prior) for prior in priors if not isinstance(prior, Labels)]
    if not places:
        return cells
    spread = np.hstack([place / np.sqrt(place.var(axis=0).sum()) for place in places])
    part_of = np.empty(len(cells), dtype=np.intp)
    for number, part in enumerate(cut(spread, count)):
        part_of[part] = number
    return np.unique(cells * count + part_of, return_inverse=True)[1]


def coordinates(source: Prior) -> Floats:
    """Points whose distances are the source's, or nearly."""
    points = points_of(source)
    if points is not None:
        return points.values
    return principal_coordinates(source, most=MOST_AXES)


def cut(points: Floats, n_parts: int) -> list[Indices]:
    """Cut points into parts that are near each other, by k-means learnt from some of them."""
    rng = np.random.default_rng(0)
    some = points[rng.choice(len(points), min(len(points), LEARN_FROM), replace=False)]
    n_parts = min(n_parts, len(np.unique(some, axis=0))) if n_parts > 1 else 1
    if n_parts == 1:
        return [np.arange(len(points))]
    from sklearn.cluster import MiniBatchKMeans

    means = MiniBatchKMeans(n_parts, n_init=1, batch_size=4096, max_iter=20, random_state=0)
    with threadpool_limits(1):  # their number could change the last bits
        numbers = means.fit(some).predict(points)
    order = np.argsort(numbers, kind="stable")
    parts = np.split(order, np.searchsorted(numbers[order], np.arange(1, n_parts)))
    return [part for part in parts if len(part)]
