"""Factored distances -> nearest neighbours, by looking at the buckets where most of them are."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from unprior._blocks import map_blocks
from unprior._params import Whole, check_value
from unprior._typing import Floats, Indices, PairwiseDistances
from unprior._warnings import RecallWarning, caller_level
from unprior.distances._buckets import Buckets, make_buckets
from unprior.distances._factored import FactoredDistances
from unprior.distances._probes import Probes, look_up_probes
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.neighbors._exact import consecutive, in_order
from unprior.neighbors._rows import join_nearest
from unprior.neighbors._tiled import (
    TILE_COLUMNS,
    TILE_ROWS,
    TiledSearch,
    cut_places,
    tiled_search,
)

#: Buckets are chosen for this much of what is missing to a full recall to be found in addition.
RESERVE = 0.4

#: How often a group of which too little was found looks further, into twice as many buckets.
WIDENINGS = 4

#: Distances between buckets that a thread holds at a time.
BLOCK_ENTRIES = 1_000_000

#: Where a larger share of pairs would have to be looked at, of a group or of all, all of these are.
WORTHWHILE = 0.4


def find_factored_neighbors(
    distances: FactoredDistances,
    k: int,
    *,
    recall: float = 0.95,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> tuple[KNNGraph, float]:
    """Find most of the k nearest neighbours of every sample, and say what share of them.

    Samples are cut into buckets, alike in the data and in the prior. From each bucket, those are
    looked into that ⊖ puts nearest. How many is chosen for each group of samples that are alike in
    the prior, as the true neighbours of some of them call for. Groups of which too little was found
    look into more buckets, and those for which that would be most of all look at all samples.

    Parameters
    ----------
    distances : FactoredDistances
        What ⊖ makes of data and priors.
    k : int
        Neighbours of each sample, itself not counted.
    recall : float, default=0.95
        Share of the true neighbours to find at least, in every group. A search that finds fewer
        warns.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar at once.

    Returns
    -------
    graph : KNNGraph
    recall : float
        Share of the true neighbours that were found, estimated from some samples of each group; 1
        for groups that looked at all samples, as all do where no shorter way promises enough.
    """
    check_value("find_factored_neighbors", "k", k, Whole(1, distances.n_samples - 1))
    buckets = make_buckets(distances)
    search = tiled_search(distances, buckets.order)
    threads: dict[str, Any] = {"n_jobs": n_jobs, "verbose": verbose}
    plan = None if search is None else _plan(search, buckets, k, recall, **threads)
    if plan is None:
        return find_neighbors(distances, k, **threads), 1.0
    graph, shares = _search(plan, k, recall, **threads)
    share = float(np.average(shares, weights=buckets.group_sizes))
    if shares.min() < recall:
        _warn(buckets, shares, share, recall)
    return graph, share


@dataclass(frozen=True, eq=False)
class Plan:
    """Which buckets to look into from each: the first of its row of ``visits``.

    Attributes
    ----------
    search : TiledSearch
    buckets : Buckets
    visits : ndarray of shape (n_buckets, n_buckets)
        All buckets, in the order in which they are worth a look from each.
    n_visits : ndarray of shape (n_groups,)
        How many are looked into from the buckets of each group.
    n_visited : ndarray of shape (n_groups,)
        How many of these have been looked into before.
    """

    search: TiledSearch
    buckets: Buckets
    visits: Indices
    n_visits: Indices
    n_visited: Indices

    @property
    def shares(self) -> Floats:
        """Share of all samples that each group looks at."""
        sizes, groups = self.buckets.sizes, self.buckets.groups
        rows = zip(self.visits, self.n_visits[groups], strict=True)
        visited = np.array([sizes[visits[:count]].sum() for visits, count in rows])
        pairs = np.bincount(groups, sizes * visited)
        return pairs / self.buckets.group_sizes / len(self.buckets.order)

    @property
    def share(self) -> float:
        """Share of all pairs that are looked at."""
        return float(np.average(self.shares, weights=self.buckets.group_sizes))

    def completed(self) -> Plan:
        """Return a plan in which groups that would look at most samples look at all."""
        n_visits = np.where(self.shares > WORTHWHILE, len(self.visits), self.n_visits)
        return replace(self, n_visits=n_visits)

    def wider(self, groups: Indices) -> Plan:
        """Return a plan with twice as many buckets for some groups, to follow on this one."""
        n_visits = self.n_visits.copy()
        n_visits[groups] = np.minimum(2 * n_visits[groups], len(self.visits))
        return replace(self, n_visits=n_visits, n_visited=self.n_visits).completed()

    def nearest(self, k: int, places: Indices) -> tuple[Indices, Floats]:
        """Find the nearest neighbours of the samples of one bucket, where it has not looked yet."""
        columns = self._columns(int(np.searchsorted(self.buckets.starts, places[0], "right")) - 1)
        rows = cut_places(consecutive(places), TILE_ROWS)
        found = [self.search.nearest(some, columns, k) for some in rows]
        indices, distances = zip(*found, strict=True)
        return np.vstack(indices), np.vstack(distances)

    def _columns(self, own: int) -> list[slice]:
        """Places to look at from a bucket."""
        group, slices = self.buckets.groups[own], self.buckets.slices
        visited = self.visits[own, self.n_visited[group] : self.n_visits[group]]
        if len(visited) == len(slices):
            return self.search.columns()  # wider than buckets, and quicker
        # Where many samples are identical, a bucket can be large.
        return [part for bucket in visited for part in cut_places(slices[bucket], TILE_COLUMNS)]


def _plan(
    search: TiledSearch, buckets: Buckets, k: int, recall: float, **threads: Any
) -> Plan | None:
    """Choose how many buckets to look into; None if there would be too many in all."""
    visits = _visits(search.source, buckets, **threads)
    probes = look_up_probes(search, buckets, k, seed=0, **threads)
    needed = _needed(visits, buckets, probes)
    wanted = recall + RESERVE * (1 - recall)
    n_visits = [
        1 + int(np.quantile(needed[probes.groups == group], wanted, method="higher"))
        for group in range(buckets.groups.max() + 1)
    ]
    plan = Plan(search, buckets, visits, np.array(n_visits), np.zeros(len(n_visits), dtype=int))
    return None if plan.share > WORTHWHILE else plan.completed()


def _search(plan: Plan, k: int, recall: float, **threads: Any) -> tuple[KNNGraph, Floats]:
    """Return neighbours and the share found of each group."""
    buckets = plan.buckets
    probes = look_up_probes(plan.search, buckets, k, seed=1, **threads)
    found = _search_from(plan, np.arange(len(buckets.groups)), k, **threads)
    for _ in range(WIDENINGS):
        low = np.flatnonzero(_shares(found, plan, probes) < recall)
        if not len(low):
            break
        plan = plan.wider(low)
        more = _search_from(plan, np.flatnonzero(np.isin(buckets.groups, low)), k, **threads)
        for bucket, new in more.items():
            rows = buckets.order[buckets.starts[bucket] : buckets.starts[bucket + 1]]
            found[bucket] = join_nearest(rows, found[bucket], new)
    graph = in_order(buckets.order, [found[bucket] for bucket in range(len(buckets.groups))])
    return graph, _shares(found, plan, probes)


def _search_from(
    plan: Plan, some: Indices, k: int, **threads: Any
) -> dict[int, tuple[Indices, Floats]]:
    """Find the nearest neighbours of the samples of some buckets, by bucket."""
    starts = plan.buckets.starts
    blocks = [np.arange(starts[bucket], starts[bucket + 1]) for bucket in some]
    found = map_blocks(partial(plan.nearest, k), blocks, title="neighbours", **threads)
    return dict(zip(some.tolist(), found, strict=True))


def _shares(found: dict[int, tuple[Indices, Floats]], plan: Plan, probes: Probes) -> Floats:
    """Share of the true neighbours of each group that were found."""
    starts = plan.buckets.starts
    own = np.searchsorted(starts, probes.places, side="right") - 1
    rows = probes.places - starts[own]
    shares = probes.shares_in(
        np.array([found[bucket][0][row] for bucket, row in zip(own.tolist(), rows, strict=True)])
    )
    # Who looked at all samples has found all, whichever of equally near ones rounding put first.
    return np.where(plan.n_visits == len(plan.visits), 1.0, shares)


def _needed(visits: Indices, buckets: Buckets, probes: Probes) -> Indices:
    """Buckets that are looked into before that of each true neighbour of each probe."""
    numbers = np.repeat(np.arange(len(visits)), buckets.sizes)
    bucket = np.empty_like(numbers)
    bucket[buckets.order] = numbers
    near = zip(numbers[probes.places], bucket[probes.neighbors], strict=True)
    return np.array([np.argsort(visits[own])[others] for own, others in near])


def _visits(source: PairwiseDistances, buckets: Buckets, **threads: Any) -> Indices:
    """For each bucket all of them, first those with a member near to its middle."""
    n_buckets, step = len(buckets.middles), max(1, BLOCK_ENTRIES // buckets.members.size)
    blocks = [np.arange(i, min(i + step, n_buckets)) for i in range(0, n_buckets, step)]
    work = partial(_order_buckets, source, buckets)
    return np.vstack(map_blocks(work, blocks, title="buckets", **threads))


def _order_buckets(source: PairwiseDistances, buckets: Buckets, some: Indices) -> Indices:
    """Order all buckets by how near their nearest member is to the middle of each of some."""
    to_members = source.block(buckets.middles[some], buckets.members.ravel())
    nearest = to_members.reshape(len(some), *buckets.members.shape).min(axis=2)
    return np.argsort(nearest, axis=1, kind="stable")


def _warn(buckets: Buckets, shares: Floats, share: float, recall: float) -> None:
    """Say that too little was found, and of whom the least."""
    worst = int(shares.argmin())
    here = buckets.groups == worst
    message = (
        f"the neighbour search found {share:.0%} of the true neighbours, and {shares[worst]:.0%} "
        f"of those of the {int(buckets.sizes[here].sum())} samples in one group of the prior, such "
        f"as sample {buckets.middles[here][0]}, where {recall:.0%} were wanted; "
        'neighbors="exact" finds all.'
    )
    warnings.warn(message, RecallWarning, stacklevel=caller_level())
