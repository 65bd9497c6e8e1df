"""Factored distances -> nearest neighbours, by looking at the buckets where most of them are."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from unprior._blocks import map_blocks
from unprior._params import Whole, check_value
from unprior._typing import Floats, Indices, PairwiseDistances
from unprior._warnings import RecallWarning
from unprior.distances._buckets import Buckets, make_buckets
from unprior.distances._factored import FactoredDistances
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.neighbors._exact import consecutive, in_order
from unprior.neighbors._tiled import TiledSearch, column_tiles, tiled_search

#: Rows whose true neighbours are looked up, before to choose how far to look and after to check.
N_PROBES = 300

#: Buckets are chosen for this much of what is missing to a full recall to be found in addition.
RESERVE = 0.4

#: Distances between buckets that a thread holds at a time.
BLOCK_ENTRIES = 1_000_000

#: Where a larger share of all pairs would have to be looked at, all are.
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
    looked into that ⊖ puts nearest, as many as the true neighbours of some samples call for.

    Parameters
    ----------
    distances : FactoredDistances
        What ⊖ makes of data and priors.
    k : int
        Neighbours of each sample, itself not counted.
    recall : float, default=0.95
        Share of the true neighbours to find at least. A search that finds fewer warns.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar at once.

    Returns
    -------
    graph : KNNGraph
    recall : float
        Share of the true neighbours that were found, for some samples that were looked up; 1 if
        all pairs were looked at, because no shorter way promised enough.
    """
    check_value("find_factored_neighbors", "k", k, Whole(1, distances.n_samples - 1))
    buckets = make_buckets(distances)
    search = tiled_search(distances, buckets.order)
    threads: dict[str, Any] = {"n_jobs": n_jobs, "verbose": verbose}
    plan = None if search is None else _plan(search, buckets, k, recall, **threads)
    if search is None or plan is None:
        return find_neighbors(distances, k, **threads), 1.0
    blocks = [np.arange(s.start, s.stop) for s in buckets.slices]
    nearest = partial(plan.nearest, k)
    found = map_blocks(nearest, blocks, title="neighbours", **threads)
    graph = in_order(buckets.order, found)
    share = _recall(search, graph, k)
    if share < recall:
        message = (
            f"the neighbour search found {share:.0%} of the true neighbours where {recall:.0%} "
            'were wanted; neighbors="exact" finds all.'
        )
        warnings.warn(message, RecallWarning, stacklevel=2)
    return graph, share


@dataclass(frozen=True, eq=False)
class Plan:
    """Which buckets to look into from each: the first ``n_visits`` of its row of ``visits``."""

    search: TiledSearch
    buckets: Buckets
    visits: Indices
    n_visits: int

    def nearest(self, k: int, places: Indices) -> tuple[Indices, Floats]:
        """Find the nearest neighbours of the samples of one bucket."""
        own = int(np.searchsorted(self.buckets.starts, places[0], side="right")) - 1
        slices = self.buckets.slices
        columns = [slices[b] for b in self.visits[own, : self.n_visits]]
        return self.search.nearest(consecutive(places), columns, k)


def _plan(
    search: TiledSearch,
    buckets: Buckets,
    k: int,
    recall: float,
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Plan | None:
    """Choose how many buckets to look into; None if there would be too many."""
    visits = _visits(search.source, buckets, n_jobs, verbose)
    ranks = np.argsort(visits, axis=1)
    places = _probes(len(buckets.order), seed=0)
    neighbors = _true_neighbors(search, places, k)
    bucket = np.empty(len(buckets.order), dtype=np.intp)
    bucket[buckets.order] = np.repeat(np.arange(len(visits)), np.diff(buckets.starts))
    needed = ranks[bucket[buckets.order[places]][:, None], bucket[neighbors]]
    wanted = recall + RESERVE * (1 - recall)
    n_visits = 1 + int(np.quantile(needed, wanted, method="higher"))
    if n_visits > WORTHWHILE * len(visits):
        return None
    return Plan(search, buckets, visits, n_visits)


def _visits(
    source: PairwiseDistances, buckets: Buckets, n_jobs: int | None, verbose: int
) -> Indices:
    """For each bucket all of them, first those with a member near to its middle."""
    n_buckets, step = len(buckets.middles), max(1, BLOCK_ENTRIES // buckets.members.size)
    blocks = [np.arange(i, min(i + step, n_buckets)) for i in range(0, n_buckets, step)]
    work = partial(_order_buckets, source, buckets)
    return np.vstack(map_blocks(work, blocks, title="buckets", n_jobs=n_jobs, verbose=verbose))


def _order_buckets(source: PairwiseDistances, buckets: Buckets, some: Indices) -> Indices:
    """Order all buckets by how near their nearest member is to the middle of each of some."""
    to_members = source.block(buckets.middles[some], buckets.members.ravel())
    nearest = to_members.reshape(len(some), *buckets.members.shape).min(axis=2)
    return np.argsort(nearest, axis=1, kind="stable")


def _recall(search: TiledSearch, graph: KNNGraph, k: int) -> float:
    """Share of the true neighbours of some samples that are in the graph."""
    places = _probes(len(search.order), seed=1)
    truth, found = _true_neighbors(search, places, k), graph.indices[search.order[places]]
    return float(np.mean([np.isin(t, f).mean() for t, f in zip(truth, found, strict=True)]))


def _probes(n_samples: int, seed: int) -> Indices:
    rng = np.random.default_rng(seed)
    return rng.choice(n_samples, min(N_PROBES, n_samples), replace=False)


def _true_neighbors(search: TiledSearch, places: Indices, k: int) -> Indices:
    return search.nearest(places, column_tiles(len(search.order)), k)[0]
