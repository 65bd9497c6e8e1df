"""Points -> centres of buckets for them, by k-means on some of them."""

from __future__ import annotations

from functools import partial

import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior.neighbors._tiles import Single, product_left, product_right

#: Points that each centre is learnt from, and rounds of k-means: more hardly helped the search.
SAMPLES, ROUNDS = 40, 6

#: Points that are compared with all centres at a time.
STEP = 2048


def learn_centers(
    points: Floats, count: int, rng: np.random.RandomState, n_jobs: int | None
) -> Single:
    """Return centres of points, around zero and in single precision; threads do not change them.

    The k-means of scikit-learn adds up in an order that its threads choose.
    """
    sample = points[np.sort(rng.permutation(len(points))[: SAMPLES * count])]
    centers = sample[np.sort(rng.permutation(len(sample))[:count])]
    for _ in range(ROUNDS):
        nearest = nearest_centers(sample, centers, 1, n_jobs)[:, 0]
        order = np.argsort(nearest, kind="stable")
        _, starts, sizes = np.unique(nearest[order], return_index=True, return_counts=True)
        sums = np.add.reduceat(sample[order], starts, axis=0, dtype=np.float64)
        # Centres that are nearest to no point, mostly duplicates, are dropped.
        centers = (sums / sizes[:, None]).astype(np.float32)
    return centers


def nearest_centers(points: Single, centers: Single, count: int, n_jobs: int | None) -> Indices:
    """Return the nearest centres of every point, the nearest first."""
    search = partial(_search, points, product_right(centers), count)
    starts = range(0, len(points), STEP)
    blocks = [range(start, min(start + STEP, len(points))) for start in starts]
    return np.vstack(map_blocks(search, blocks, title="buckets", n_jobs=n_jobs))


def _search(points: Single, right: Single, count: int, rows: range) -> Indices:
    from unprior.kernels._inverted import fill_nearest_columns

    own = points[rows.start : rows.stop]
    nearest = np.empty((len(own), count), dtype=np.int32)
    fill_nearest_columns(product_left(own) @ right.T, nearest)
    return nearest
