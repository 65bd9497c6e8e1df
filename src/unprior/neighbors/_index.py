"""Points -> an index of nearest neighbours: an inverted file.

Points are put into buckets around centres, and a query searches (probes) those with the nearest
centres; few points are compared completely. The number of probes is the smallest that reaches the
target recall on sampled queries, whose exact neighbours are computed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from unprior._blocks import map_blocks, shares_memory
from unprior._params import Whole, check_value
from unprior._random import as_generator
from unprior._typing import Floats, Indices
from unprior._warnings import RecallWarning, caller_level
from unprior.neighbors._buckets import Buckets, learn_centers, nearest_centers
from unprior.neighbors._rows import put_back

#: Fewer points are in a single bucket.
MANY = 5000

#: Number of buckets for n points, as a multiple of the square root of n.
BUCKETS_BY_ROOT = 1.0

#: Target recall, and the number of sampled queries on which it is estimated.
TARGET_RECALL, SAMPLED_QUERIES = 0.98, 300

#: Largest fraction of the points that queries visit; beyond it, all points are compared.
MOST_SHARE = 0.3

#: With more queries than this, comparing most points would take too long. So each query visits at
#: most this share of the points, whatever the recall. With a share of a fifth, a million samples of
#: 50 columns of noise in ten classes took 9 minutes for seven of the classes, on two cores, with a
#: recall of .82.
TOO_MANY, LARGEST_SHARE = 500_000, 0.1

#: Recall below which a search warns.
GOOD = 0.9

#: Number of queries searched together, which are near each other.
TOGETHER = 2048

#: Buckets to probe by query, and rows -> the nearest of these queries, and distances to them.
Search: TypeAlias = Callable[[Indices, Indices], tuple[Indices, Floats]]


@dataclass(frozen=True)
class Plan:
    """How to search.

    Attributes
    ----------
    n_probes : int
        Number of buckets that each query probes.
    recall : float
        Fraction of true neighbours that sampled queries find this way, except those at distance 0,
        which are mostly the queries themselves.
    """

    n_probes: int
    recall: float


@dataclass(frozen=True, eq=False)
class PointIndex:
    """An index of points for nearest neighbours by Euclidean distance.

    Attributes
    ----------
    buckets : Buckets
        The points; in a single bucket if they are few.
    seed : int
        Seed of the sampled queries.

    Examples
    --------
    >>> import numpy as np
    >>> index = PointIndex.build(np.array([[0.0], [1.0], [3.0]]))
    >>> indices, distances = index.query(np.array([[2.5]]), 2)
    >>> indices, distances
    (array([[2, 1]]), array([[0.5, 1.5]]))
    """

    buckets: Buckets
    seed: int

    @classmethod
    def build(
        cls,
        points: Floats,
        *,
        n_jobs: int | None = None,
        random_state: int = 0,
        ids: Indices | None = None,
    ) -> PointIndex:
        """Build an index of points.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_columns)
            Finite numbers. They are not copied and must not be changed.
        n_jobs : int, optional
            Number of threads, in joblib's sense. The result does not depend on it.
        random_state : int, default=0
            Seed of the centres and of the sampled queries.
        ids : ndarray of shape (n_points,), optional
            The samples that the points belong to, by default 0, 1, ...; used to break ties.

        Returns
        -------
        index : PointIndex
        """
        rng = as_generator(random_state)
        seed, n = rng.randint(2**31), len(points)
        if n < MANY:
            return cls(Buckets.single(points, ids), seed)
        frame = Buckets.frame_of(points)
        count = int(BUCKETS_BY_ROOT * np.sqrt(n))
        scaled = frame.apply(points)
        centers = learn_centers(scaled, count, rng, n_jobs)
        bucket_of = nearest_centers(scaled, centers, 1, n_jobs)[:, 0]
        del scaled
        return cls(Buckets.of(points, frame, centers, bucket_of, ids), seed)

    @property
    def n_points(self) -> int:
        """Number of indexed points."""
        return len(self.buckets.points)

    @property
    def whole(self) -> Plan:
        """The plan that compares all points."""
        return Plan(len(self.buckets), 1.0)

    def plan(
        self, points: Floats, k: int, *, n_jobs: int | None = None, n_queries: int | None = None
    ) -> Plan:
        """Choose the number of probes, from the exact neighbours of a sample of the points.

        If it would save too little time, all buckets are probed, which is exact; unless there are
        so many queries that this would take too long. ``n_queries`` is their number, by default
        the number of points.
        """
        everything = self.whole
        if len(self.buckets) == 1:
            return everything
        rng = as_generator(self.seed)
        queries = points[np.sort(rng.permutation(len(points))[:SAMPLED_QUERIES])]
        indices, distances = self.query(queries, k, n_jobs=n_jobs, plan=everything)
        visits = self.buckets.nearest(queries, len(self.buckets), n_jobs)
        ranks = np.argsort(visits, axis=1)  # of all buckets, for each query
        needed = np.take_along_axis(ranks, self.buckets.bucket_of[indices], axis=1)[distances > 0]
        if not len(needed):
            return Plan(1, 1.0)
        hits = np.bincount(needed, minlength=len(self.buckets)).cumsum() / len(needed)
        visited = self.buckets.sizes[visits].cumsum(axis=1).mean(axis=0) / self.n_points
        enough = int(np.argmax(hits >= TARGET_RECALL))
        if (n_queries or len(points)) > TOO_MANY:
            affordable = int((visited <= LARGEST_SHARE).sum()) - 1
            enough = min(enough, max(affordable, 0))
        elif visited[enough] > MOST_SHARE:
            return everything
        return Plan(enough + 1, float(hits[enough]))

    def query(
        self,
        points: Floats,
        k: int,
        *,
        n_jobs: int | None = None,
        ids: Indices | None = None,
        plan: Plan | None = None,
    ) -> tuple[Indices, Floats]:
        """Return the nearest indexed points of each query.

        Parameters
        ----------
        points : ndarray of shape (n_queries, n_columns)
            Indexed points or others.
        k : int
            Number of neighbours.
        n_jobs : int, optional
            Number of threads, in joblib's sense. The result does not depend on it.
        ids : ndarray of shape (n_queries,), optional
            The samples that the points belong to, by default 0, 1, ...
        plan : Plan, optional
            Result of `plan`, by default for these points.

        Returns
        -------
        indices : ndarray of shape (n_queries, k)
            Places among the indexed points, nearest first; ties are broken by
            `unprior.neighbors._ties`. An indexed point is its own nearest neighbour, which the
            caller has to drop.
        distances : ndarray of shape (n_queries, k)
            Distances to them, in double precision.
        """
        check_value("PointIndex", "k", k, Whole(1, self.n_points))
        plan = self.plan(points, k, n_jobs=n_jobs) if plan is None else plan
        ids = np.arange(len(points)) if ids is None else ids
        buckets = self._buckets_for(plan, len(points))
        search = partial(_search, buckets, points, ids, k)
        return _run(buckets, search, k, points, plan, n_jobs=n_jobs)

    def neighbors(
        self, k: int, *, n_jobs: int | None = None, plan: Plan | None = None, verbose: int = 0
    ) -> tuple[Indices, Floats]:
        """Return the k nearest others of every indexed point, as `query` does."""
        check_value("PointIndex", "k", k, Whole(1, self.n_points - 1))
        points = self.buckets.points
        plan = self.plan(points, k + 1, n_jobs=n_jobs) if plan is None else plan
        buckets = self._buckets_for(plan, len(points))
        search = partial(_search_others, buckets, k)
        return _run(buckets, search, k, points, plan, n_jobs=n_jobs, verbose=verbose)

    def _buckets_for(self, plan: Plan, n_queries: int) -> Buckets:
        """Return a single bucket if many queries probe all buckets anyway."""
        if plan.n_probes < len(self.buckets) or n_queries <= SAMPLED_QUERIES:
            return self.buckets
        return Buckets.single(self.buckets.points, self.buckets.ids)


def warn_of_recall(recall: float) -> None:
    """Warn if too few of the nearest neighbours were found."""
    if recall < GOOD:
        message = (
            f"only {recall:.0%} of the nearest neighbours were found: in these data an index "
            "would have to compare most pairs, which takes too long for so many samples. "
            'Reduce X to fewer principal components, or pass neighbors="exact" where it is an '
            "option."
        )
        warnings.warn(message, RecallWarning, stacklevel=caller_level())


def _run(
    buckets: Buckets, search: Search, k: int, points: Floats, plan: Plan, **threads: Any
) -> tuple[Indices, Floats]:
    """Search for all queries, in blocks of queries that are near each other."""
    probes = buckets.nearest(points, min(plan.n_probes, len(buckets)), threads["n_jobs"])
    order = np.argsort(probes[:, 0], kind="stable")
    blocks = [order[start : start + TOGETHER] for start in range(0, len(order), TOGETHER)]
    search = partial(search, probes)
    if not shares_memory():
        return put_back(order, map_blocks(search, blocks, title="neighbours", **threads))
    # Keeping all blocks until the end would double the memory of the result.
    result = np.empty((len(points), k), dtype=np.intp), np.empty((len(points), k))
    map_blocks(partial(_fill, search, result), blocks, title="neighbours", **threads)
    return result


def _search(
    buckets: Buckets, points: Floats, ids: Indices, k: int, probes: Indices, rows: Indices
) -> tuple[Indices, Floats]:
    return buckets.search(points[rows], ids[rows], probes[rows], k)


def _search_others(
    buckets: Buckets, k: int, probes: Indices, rows: Indices
) -> tuple[Indices, Floats]:
    indices, distances = _search(buckets, buckets.points, buckets.ids, k + 1, probes, rows)
    others = indices != rows[:, None]
    # With many identical points, a point itself need not be among its nearest.
    others[others.all(axis=1), -1] = False
    return indices[others].reshape(-1, k), distances[others].reshape(-1, k)


def _fill(search: Any, result: tuple[Indices, Floats], rows: Indices) -> None:
    for array, block in zip(result, search(rows), strict=True):
        array[rows] = block
