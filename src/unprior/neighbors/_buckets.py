"""Points in buckets, each around a centre -> the nearest of other points in some of the buckets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.neighbors._centers import nearest_centers
from unprior.neighbors._rows import smallest
from unprior.neighbors._tiled import (
    TILE_COLUMNS,
    TILE_ROWS,
    TileCandidates,
    cut_places,
    no_candidates,
)
from unprior.neighbors._tiles import Single, product_left, product_right, rounding_share

#: Points that are moved and scaled at a time.
STEP = 50_000


@dataclass(frozen=True, eq=False)
class Frame:
    """What is taken from points, and what they are then multiplied by, to be around zero."""

    middle: Floats
    factor: float

    def apply(self, points: Floats, center: Floats | float = 0.0) -> Single:
        """Return points in single precision, seen from a centre; what is near it loses least."""
        origin, cloud = self.middle + center / self.factor, np.empty(points.shape, dtype=np.float32)
        for start in range(0, len(points), STEP):
            cloud[start : start + STEP] = (points[start : start + STEP] - origin) * self.factor
        return cloud


@dataclass(frozen=True, eq=False)
class Buckets:
    """Points in the order of their buckets.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_columns)
        In their own order.
    ids : ndarray of shape (n_points,)
        Numbers of the samples they are.
    frame : Frame
    centers : ndarray of shape (n_buckets, n_columns)
        In the frame.
    owner : ndarray of shape (n_points,)
        Bucket of each point.
    order : ndarray of shape (n_points,)
        The points bucket by bucket.
    starts : ndarray of shape (n_buckets + 1,)
        Where each bucket starts in that order.
    right : ndarray of shape (n_points, n_columns + 2)
        The points in that order, seen from their centre, as columns of products.
    """

    points: Floats
    ids: Indices
    frame: Frame
    centers: Single
    owner: Indices
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
        middle = points.mean(axis=0, dtype=np.float64)
        widest = max(
            np.abs(points.max(axis=0) - middle).max(), np.abs(points.min(axis=0) - middle).max()
        )
        return Frame(middle, 1 / float(widest) if widest else 1.0)

    @classmethod
    def single(cls, points: Floats, ids: Indices | None) -> Buckets:
        """Put all points into one bucket."""
        frame = cls.frame_of(points)
        centers = np.zeros((1, points.shape[1]), dtype=np.float32)
        return cls.of(points, frame, centers, np.zeros(len(points), dtype=np.int32), ids)

    @classmethod
    def of(
        cls, points: Floats, frame: Frame, centers: Single, owner: Indices, ids: Indices | None
    ) -> Buckets:
        """Put points into the buckets that own them; empty ones are dropped."""
        used, owner = np.unique(owner, return_inverse=True)
        centers = centers[used]
        order = np.argsort(owner, kind="stable")
        starts = np.r_[0, np.cumsum(np.bincount(owner))]
        right = np.empty((len(points), points.shape[1] + 2), dtype=np.float32)
        for bucket, center in enumerate(centers):
            here = slice(starts[bucket], starts[bucket + 1])
            right[here] = product_right(frame.apply(points[order[here]], center))
        ids = np.arange(len(points)) if ids is None else ids
        return cls(points, ids, frame, centers, owner, order, starts, right)

    def nearest(self, points: Floats, count: int, n_jobs: int | None) -> Indices:
        """Return the buckets whose centres are nearest to each point, the nearest first."""
        return nearest_centers(self.frame.apply(points), self.centers, count, n_jobs)

    def search(
        self, points: Floats, ids: Indices, probes: Indices, k: int
    ) -> tuple[Indices, Floats]:
        """Return the k nearest of each point in its buckets, and their distances."""
        from unprior.kernels._inverted import choose_nearest, measure

        found = self._look(points, probes, k)
        indices, distances = np.empty((len(points), k), dtype=np.intp), np.empty((len(points), k))
        unclear = choose_nearest(points, self.points, ids, self.ids, found, (indices, distances))
        # Too many about equally near ones to note, or too few points in all buckets.
        for place in np.flatnonzero(unclear):
            members = self._members(points[place], probes[place], k)
            lengths = measure(points, self.points, np.full(len(members), place), members)
            nearest = smallest(lengths[None], k, ids[[place]], self.ids[members])[0]
            indices[place], distances[place] = members[nearest], lengths[nearest]
        return indices, distances

    def _look(self, points: Floats, probes: Indices, k: int) -> TileCandidates:
        """Find the candidates of each point in its buckets."""
        from unprior.kernels._inverted import scan_bucket

        found, share = no_candidates(len(points), k), rounding_share(points)
        for bucket, visitors in _visits(probes):
            for some in cut_places(slice(0, len(visitors)), TILE_ROWS):
                places = visitors[some]
                left = product_left(self.frame.apply(points[places], self.centers[bucket]))
                for part in cut_places(self._places(bucket), TILE_COLUMNS):
                    right = self.right[part]
                    errors = share * left[:, -2], share * right[:, -1]
                    scan_bucket(left @ right.T, errors, places, self.order[part], found)
        return found

    def _members(self, point: Floats, probes: Indices, k: int) -> Indices:
        """Return all points in the buckets of a point, and in more of them if there are too few."""
        if self.sizes[probes].sum() < k:
            visits = self.nearest(point[None], len(self), n_jobs=1)[0]
            probes = visits[: int(np.searchsorted(self.sizes[visits].cumsum(), k)) + 1]
        return np.concatenate([self.order[self._places(bucket)] for bucket in probes])

    def _places(self, bucket: int) -> slice:
        """Where the points of a bucket stand in the order."""
        return slice(int(self.starts[bucket]), int(self.starts[bucket + 1]))


def _visits(probes: Indices) -> Iterator[tuple[int, Indices]]:
    """Yield each bucket that is looked at, and the places of those that do, the nearest first."""
    count, flat = probes.shape[1], probes.ravel()
    order = np.argsort(flat, kind="stable")
    buckets, starts = np.unique(flat[order], return_index=True)
    groups = np.split(order, starts[1:])
    # Buckets that are nearest to many come first: after near points, many others can be skipped.
    for number in np.argsort([np.mean(group % count) for group in groups], kind="stable"):
        yield int(buckets[number]), groups[number] // count
