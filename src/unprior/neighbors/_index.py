"""Points -> an index that tells the nearest of them for any other points.

Few points are all looked at. Many are put into buckets, each around a centre, and a point looks at
those whose centres are nearest to it (an inverted file). How many, some points tell whose nearest
are found exactly: as many as find the wanted share of those.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from unprior._blocks import map_blocks, shares_memory
from unprior._params import Whole, check_value
from unprior._random import as_generator
from unprior._typing import Floats, Indices
from unprior.neighbors._buckets import Buckets
from unprior.neighbors._centers import learn_centers, nearest_centers
from unprior.neighbors._rows import put_back

#: With fewer points, all are looked at.
MANY = 5000

#: Buckets for n points, as a multiple of the root of n.
BUCKETS_BY_ROOT = 1.0

#: Share of the nearest that a search aims at, and points that tell what it takes.
AIM, ASKED = 0.98, 300

#: Buckets spare work only if they leave out most points.
MOST_SHARE = 0.3

#: Points that look for their nearest together: those of about the same place.
TOGETHER = 2048

#: Buckets to look at, by point, and some points -> their nearest and the distances to them.
Search: TypeAlias = Callable[[Indices, Indices], tuple[Indices, Floats]]


@dataclass(frozen=True)
class Plan:
    """How to search.

    Attributes
    ----------
    n_probes : int
        Buckets that each point looks at.
    recall : float
        Share of the true neighbours that some points found so; those at distance zero, themselves
        mostly, are not counted.
    """

    n_probes: int
    recall: float


@dataclass(frozen=True, eq=False)
class PointIndex:
    """Points among which the nearest of any points are looked up, by straight lines.

    Attributes
    ----------
    buckets : Buckets
        The points; in one bucket if they are few.
    seed : int
        Chooses the points that a plan is made by.

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
        """Make an index of points.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_columns)
            Finite numbers. They are not copied and must not be changed.
        n_jobs : int, optional
            Threads, in joblib's meaning. The result does not depend on it.
        random_state : int, default=0
            Seed of the centres.
        ids : ndarray of shape (n_points,), optional
            Numbers of the samples that the points are, their places by default. They decide among
            equally distant ones.

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
        cloud = frame.apply(points)
        centers = learn_centers(cloud, count, rng, n_jobs)
        owner = nearest_centers(cloud, centers, 1, n_jobs)[:, 0]
        del cloud
        return cls(Buckets.of(points, frame, centers, owner, ids), seed)

    @property
    def n_points(self) -> int:
        """Number of indexed points."""
        return len(self.buckets.points)

    @property
    def whole(self) -> Plan:
        """The plan that looks at all points."""
        return Plan(len(self.buckets), 1.0)

    def plan(self, points: Floats, k: int, *, n_jobs: int | None = None) -> Plan:
        """Find out by some of the points how many buckets they have to look at.

        All of them, which is exact, if few would not be enough.
        """
        everything = self.whole
        if len(self.buckets) == 1:
            return everything
        rng = as_generator(self.seed)
        asked = points[np.sort(rng.permutation(len(points))[:ASKED])]
        indices, distances = self.query(asked, k, n_jobs=n_jobs, plan=everything)
        visits = self.buckets.nearest(asked, len(self.buckets), n_jobs)
        ranks = np.argsort(visits, axis=1)  # of all buckets, for each point
        needed = np.take_along_axis(ranks, self.buckets.owner[indices], axis=1)[distances > 0]
        if not len(needed):
            return Plan(1, 1.0)
        hits = np.bincount(needed, minlength=len(self.buckets)).cumsum() / len(needed)
        enough = int(np.argmax(hits >= AIM))
        looked_at = self.buckets.sizes[visits[:, : enough + 1]].sum(axis=1).mean()
        if looked_at > MOST_SHARE * self.n_points:
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
        """Return the nearest indexed points of each point.

        Parameters
        ----------
        points : ndarray of shape (n_queries, n_columns)
            Those that were indexed, or others.
        k : int
            Number of neighbours.
        n_jobs : int, optional
            Threads, in joblib's meaning. The result does not depend on it.
        ids : ndarray of shape (n_queries,), optional
            Numbers of the samples that the points are, their places by default.
        plan : Plan, optional
            From `plan`, which also says what share of the neighbours will be found. Made here if
            it is not given.

        Returns
        -------
        indices : ndarray of shape (n_queries, k)
            Places of the nearest among the indexed points, the nearest first, equally distant ones
            in the order of `unprior.neighbors._ties`. A point that is itself indexed is its own
            nearest: whoever asks leaves it out.
        distances : ndarray of shape (n_queries, k)
            True distances to them, in double precision.
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
        """All points in a single bucket, if many queries visit all buckets anyway."""
        if plan.n_probes < len(self.buckets) or n_queries <= ASKED:
            return self.buckets
        return Buckets.single(self.buckets.points, self.buckets.ids)


def _run(
    buckets: Buckets, search: Search, k: int, points: Floats, plan: Plan, **threads: Any
) -> tuple[Indices, Floats]:
    """Search for all points, those of about the same place together."""
    probes = buckets.nearest(points, min(plan.n_probes, len(buckets)), threads["n_jobs"])
    order = np.argsort(probes[:, 0], kind="stable")
    blocks = [order[start : start + TOGETHER] for start in range(0, len(order), TOGETHER)]
    search = partial(search, probes)
    if not shares_memory():
        return put_back(order, map_blocks(search, blocks, title="neighbours", **threads))
    # Blocks that were kept until the end would take as much memory as the result again.
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
    # Where many points are identical, a point itself need not be among those found.
    others[others.all(axis=1), -1] = False
    return indices[others].reshape(-1, k), distances[others].reshape(-1, k)


def _fill(search: Any, result: tuple[Indices, Floats], rows: Indices) -> None:
    for whole, part in zip(result, search(rows), strict=True):
        whole[rows] = part
