"""An inverted file: points in buckets around centres, and the search in the nearest buckets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior.neighbors._rows import smallest
from unprior.neighbors._tiled import (
    TILE_COLUMNS,
    TILE_ROWS,
    TileCandidates,
    cut_places,
    no_candidates,
)
from unprior.neighbors._tiles import Single, product_left, product_right, rounding_share

#: Number of points centred and scaled at a time.
STEP = 50_000

#: Number of points per centre, and iterations of k-means: more hardly improved the search.
SAMPLES, ROUNDS = 40, 6

#: Number of points compared with all centres at a time.
COMPARED = 2048


@dataclass(frozen=True, eq=False)
class Frame:
    """The mean that is subtracted from points, and the factor that scales them."""

    mean: Floats
    factor: float

    def apply(self, points: Floats, center: Floats | float = 0.0) -> Single:
        """Return points in single precision relative to a centre, near which rounding is least."""
        origin, scaled = self.mean + center / self.factor, np.empty(points.shape, dtype=np.float32)
        for start in range(0, len(points), STEP):
            scaled[start : start + STEP] = (points[start : start + STEP] - origin) * self.factor
        return scaled


@dataclass(frozen=True, eq=False)
class Buckets:
    """Points in the order of their buckets.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_columns)
        The points in the order of the data.
    ids : ndarray of shape (n_points,)
        The samples that the points belong to.
    frame : Frame
    centers : ndarray of shape (n_buckets, n_columns)
        Centred and scaled by the frame.
    bucket_of : ndarray of shape (n_points,)
        The bucket of each point.
    order : ndarray of shape (n_points,)
        The points, bucket by bucket.
    starts : ndarray of shape (n_buckets + 1,)
        Where each bucket begins in that order.
    right : ndarray of shape (n_points, n_columns + 2)
        The points in that order, relative to their centre, as right factors of products.
    """

    points: Floats
    ids: Indices
    frame: Frame
    centers: Single
    bucket_of: Indices
    order: Indices
    starts: Indices
    right: Single

    def __len__(self) -> int:
        return len(self.centers)

    @property
    def sizes(self) -> Indices:
        """Number of points in each bucket."""
        return np.diff(self.starts)

    @staticmethod
    def frame_of(points: Floats) -> Frame:
        """Return the frame in which no coordinate of the points is beyond 1."""
        mean = points.mean(axis=0, dtype=np.float64)
        widest = max(
            np.abs(points.max(axis=0) - mean).max(), np.abs(points.min(axis=0) - mean).max()
        )
        return Frame(mean, 1 / float(widest) if widest else 1.0)

    @classmethod
    def single(cls, points: Floats, ids: Indices | None) -> Buckets:
        """Put all points into one bucket."""
        frame = cls.frame_of(points)
        centers = np.zeros((1, points.shape[1]), dtype=np.float32)
        return cls.of(points, frame, centers, np.zeros(len(points), dtype=np.int32), ids)

    @classmethod
    def of(
        cls, points: Floats, frame: Frame, centers: Single, bucket_of: Indices, ids: Indices | None
    ) -> Buckets:
        """Put points into their buckets, and drop empty ones."""
        used, bucket_of = np.unique(bucket_of, return_inverse=True)
        centers = centers[used]
        order = np.argsort(bucket_of, kind="stable")
        starts = np.r_[0, np.cumsum(np.bincount(bucket_of))]
        right = np.empty((len(points), points.shape[1] + 2), dtype=np.float32)
        for bucket, center in enumerate(centers):
            places = slice(starts[bucket], starts[bucket + 1])
            right[places] = product_right(frame.apply(points[order[places]], center))
        ids = np.arange(len(points)) if ids is None else ids
        return cls(points, ids, frame, centers, bucket_of, order, starts, right)

    def nearest(self, points: Floats, count: int, n_jobs: int | None) -> Indices:
        """Return the buckets whose centres are nearest to each point, the nearest first."""
        return nearest_centers(self.frame.apply(points), self.centers, count, n_jobs)

    def search(
        self, points: Floats, ids: Indices, probes: Indices, k: int
    ) -> tuple[Indices, Floats]:
        """Return the k nearest of each point in the buckets it probes, and their distances."""
        from unprior.kernels._inverted import choose_nearest, euclidean_pairs

        found = self._candidates(points, probes, k)
        indices, distances = np.empty((len(points), k), dtype=np.intp), np.empty((len(points), k))
        unclear = choose_nearest(points, self.points, ids, self.ids, found, (indices, distances))
        # More equally near candidates than there is room for, or too few points in the buckets.
        for place in np.flatnonzero(unclear):
            members = self._members(points[place], probes[place], k)
            lengths = euclidean_pairs(points, self.points, np.full(len(members), place), members)
            nearest = smallest(lengths[None], k, ids[[place]], self.ids[members])[0]
            indices[place], distances[place] = members[nearest], lengths[nearest]
        return indices, distances

    def _candidates(self, points: Floats, probes: Indices, k: int) -> TileCandidates:
        """Find the candidates of each point in the buckets it probes."""
        from unprior.kernels._inverted import scan_bucket

        found, share = no_candidates(len(points), k), rounding_share(points)
        for bucket, queries in _queries_by_bucket(probes):
            for rows in cut_places(slice(0, len(queries)), TILE_ROWS):
                places = queries[rows]
                left = product_left(self.frame.apply(points[places], self.centers[bucket]))
                for columns in cut_places(self._places(bucket), TILE_COLUMNS):
                    right = self.right[columns]
                    errors = share * left[:, -2], share * right[:, -1]
                    scan_bucket(left @ right.T, errors, places, self.order[columns], found)
        return found

    def _members(self, point: Floats, probes: Indices, k: int) -> Indices:
        """Return all points in a point's buckets, and in more of them if these hold too few."""
        if self.sizes[probes].sum() < k:
            visits = self.nearest(point[None], len(self), n_jobs=1)[0]
            probes = visits[: int(np.searchsorted(self.sizes[visits].cumsum(), k)) + 1]
        return np.concatenate([self.order[self._places(bucket)] for bucket in probes])

    def _places(self, bucket: int) -> slice:
        """Return the places of a bucket's points in the order."""
        return slice(int(self.starts[bucket]), int(self.starts[bucket + 1]))


def _queries_by_bucket(probes: Indices) -> Iterator[tuple[int, Indices]]:
    """Yield each probed bucket and the queries that probe it."""
    count, flat = probes.shape[1], probes.ravel()
    order = np.argsort(flat, kind="stable")
    buckets, starts = np.unique(flat[order], return_index=True)
    groups = np.split(order, starts[1:])
    # Buckets nearest to many queries first: then more others can be skipped.
    for number in np.argsort([np.mean(group % count) for group in groups], kind="stable"):
        yield int(buckets[number]), groups[number] // count


def learn_centers(
    points: Floats, count: int, rng: np.random.RandomState, n_jobs: int | None
) -> Single:
    """Return centres of points in single precision, the same for any number of threads.

    The sums of scikit-learn's k-means depend on the number of threads.
    """
    sample = points[np.sort(rng.permutation(len(points))[: SAMPLES * count])]
    centers = sample[np.sort(rng.permutation(len(sample))[:count])]
    for _ in range(ROUNDS):
        nearest = nearest_centers(sample, centers, 1, n_jobs)[:, 0]
        order = np.argsort(nearest, kind="stable")
        _, starts, sizes = np.unique(nearest[order], return_index=True, return_counts=True)
        sums = np.add.reduceat(sample[order], starts, axis=0, dtype=np.float64)
        # Centres without points, mostly duplicates, are dropped.
        centers = (sums / sizes[:, None]).astype(np.float32)
    return centers


def nearest_centers(points: Single, centers: Single, count: int, n_jobs: int | None) -> Indices:
    """Return the nearest centres of every point, the nearest first."""
    search = partial(_nearest, points, product_right(centers), count)
    starts = range(0, len(points), COMPARED)
    blocks = [range(start, min(start + COMPARED, len(points))) for start in starts]
    return np.vstack(map_blocks(search, blocks, title="buckets", n_jobs=n_jobs))


def _nearest(points: Single, right: Single, count: int, rows: range) -> Indices:
    squares = product_left(points[rows.start : rows.stop]) @ right.T
    if count == 1:
        return squares.argmin(axis=1)[:, None].astype(np.int32)
    # The bits of non-negative floats are in their order. With the column appended they are sorted
    # as integers, several times faster, and ties are broken in the same way everywhere.
    squares[squares <= 0] = 0
    keys = squares.view(np.uint32).astype(np.uint64) << np.uint64(32)
    keys |= np.arange(len(right), dtype=np.uint64)
    if count < len(right):
        keys.partition(count - 1, axis=1)
    keys = np.sort(keys[:, :count], axis=1)
    return (keys & np.uint64(2**32 - 1)).astype(np.int32)
