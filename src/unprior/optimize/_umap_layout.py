"""UMAP's layout of a fuzzy graph: the same bits for a seed on any number of threads.

Samples are shuffled and divided into parts of equal size. A bucket holds the edges between two
parts, or within one. Buckets without a common part have no sample in common, so their edges
can be visited in parallel (as Gemulla et al., 2011, divide matrices). None of this depends on the
number of threads.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from unprior._interrupts import is_stop
from unprior._progress import progress_bar
from unprior._threads import Pace, compiled_threads
from unprior._typing import Floats, Indices
from unprior.optimize._checkpoint import Checkpoint

#: Called as callback(epoch, map); a true return value stops.
LayoutCallback = Callable[[int, NDArray[np.float32]], Any]

#: Fewer edges per thread than this are not worth another thread.
EDGES_PER_THREAD = 10_000

#: Name of a layout in a checkpoint.
STAGE = "layout"

#: Up to this many dimensions the kernel is compiled for their number; beyond, for any number.
MOST_COMPILED = 3

#: Largest number of parts, and the square root of the number of samples for each two of them:
#: buckets of a few hundred edges.
MOST_PARTS, ROOT_FOR_TWO = 64, 16


@dataclass(frozen=True)
class LayoutSettings:
    """Settings of the layout, with the names and meaning of umap-learn."""

    n_epochs: int
    a: float
    b: float
    repulsion_strength: float = 1.0
    negative_sample_rate: float = 5.0
    learning_rate: float = 1.0


@dataclass(frozen=True)
class Layout:
    """The result of a layout.

    Attributes
    ----------
    embedding : ndarray of shape (n_samples, n_components)
        The final map.
    n_epochs : int
        Number of epochs run.
    stopped_by : {"n_epochs", "callback", "keyboard"}
        Why it ended.
    """

    embedding: NDArray[np.float32]
    n_epochs: int
    stopped_by: str


def lay_out(
    graph: csr_matrix,
    start: Floats,
    settings: LayoutSettings,
    *,
    seed: int,
    callbacks: Sequence[LayoutCallback] = (),
    every: int = 50,
    n_jobs: int | None = None,
    verbose: int = 0,
    checkpoint: Checkpoint | None = None,
) -> Layout:
    """Lay out a fuzzy graph by UMAP's stochastic gradients.

    Edges are visited as often as in umap-learn, with the same attraction and negative samples; only
    the order differs.

    Parameters
    ----------
    graph : csr_matrix of shape (n_samples, n_samples)
        Weights of edges, symmetric.
    start : ndarray of shape (n_samples, n_components)
        Initial map; those of umap-learn are 10 wide.
    settings : LayoutSettings
        Number of epochs, curve and forces.
    seed : int
        The same seed gives the same bits.
    callbacks : sequence of callables
        Called every ``every`` epochs and after the last one as ``callback(epoch, map)``; a true
        return value stops. The next call overwrites the map.
    every : int, default=50
        Number of epochs between calls.
    n_jobs : int, optional
        Number of threads, in joblib's sense.
    verbose : int, default=0
        See `unprior._progress.progress_bar`.
    checkpoint : Checkpoint, optional
        Where the map is saved from time to time, and resumed from.

    Returns
    -------
    layout : Layout
    """
    import numba

    from unprior.kernels._umap_layout import lay_out_epoch

    n_epochs, rate = settings.n_epochs, settings.learning_rate
    rounds = edge_rounds(graph, 1 / max(n_epochs, 1), np.random.RandomState(seed))
    Y = np.ascontiguousarray(start[rounds.order], dtype=np.float32)
    before, shown = np.empty_like(Y), np.empty_like(Y)
    forces = _forces(rounds, settings, Y.shape[1])
    saved = _Saved(checkpoint)
    done, stopped_by = saved.load(Y), "n_epochs"
    with (
        compiled_threads(_useful_jobs(n_jobs, rounds)) as n_threads,
        progress_bar(n_epochs, "UMAP", verbose=verbose) as bar,
    ):
        pace = Pace(n_threads)
        bar.update(done)
        try:
            for epoch in range(done + 1, n_epochs + 1):
                saved.note(Y, done)
                step = np.float32(rate * (1 - (epoch - 1) / n_epochs))
                numba.set_num_threads(pace.n_threads)
                begin = time.perf_counter()
                lay_out_epoch(Y, before, *forces, step, float(epoch), seed)
                pace.note(time.perf_counter() - begin)
                done = epoch
                bar.update()
                if callbacks and (epoch % every == 0 or epoch == n_epochs):
                    answers = [callback(epoch, _show(Y, rounds, shown)) for callback in callbacks]
                    if any(answers):
                        stopped_by = "callback"
                        break
        except (KeyboardInterrupt, SystemError) as error:
            if not is_stop(error):
                raise
            if not done:
                raise KeyboardInterrupt from error  # no map yet
            stopped_by = "keyboard"
        else:
            saved.note(Y, done)
        finally:
            saved.save()
    embedding = np.empty_like(Y)
    embedding[rounds.order] = Y
    return Layout(embedding, done, stopped_by)


class _Saved:
    """The map between two epochs, in a checkpoint; an epoch changes it in place."""

    def __init__(self, checkpoint: Checkpoint | None) -> None:
        self.checkpoint = checkpoint
        self.last: tuple[int, NDArray[np.float32]] | None = None

    def load(self, Y: NDArray[np.float32]) -> int:
        """Restore the map, and return the number of epochs it took."""
        found = None if self.checkpoint is None else self.checkpoint.load(STAGE)
        if found is None:
            return 0
        facts, arrays = found
        kept, done = arrays.get("map", Y[:0]), facts.get("n_done")
        if kept.shape != Y.shape or kept.dtype != Y.dtype or not isinstance(done, int):
            cast("Checkpoint", self.checkpoint).refuse()
        Y[:] = kept
        return done

    def note(self, Y: NDArray[np.float32], done: int) -> None:
        """Remember the map after an epoch, and save it from time to time."""
        if self.checkpoint is not None:
            self.last = (done, Y.copy())
            if self.checkpoint.is_due():
                self.save()

    def save(self) -> None:
        """Save the map after the last complete epoch."""
        if self.checkpoint is not None and self.last is not None and self.last[0]:
            self.checkpoint.save(STAGE, {"n_done": self.last[0]}, {"map": self.last[1]})


def _forces(rounds: EdgeRounds, settings: LayoutSettings, n_components: int) -> tuple[Any, ...]:
    """Return the arguments of the kernel besides the map and the step size."""
    few = n_components <= MOST_COMPILED
    return (
        rounds.heads,
        rounds.tails,
        rounds.often,
        rounds.first,
        rounds.n_parts,
        (0,) * n_components if few else np.arange(n_components),
        np.float32(settings.a),
        np.float32(settings.b),
        np.float32(settings.repulsion_strength),
        float(settings.negative_sample_rate),
    )


def _useful_jobs(n_jobs: int | None, rounds: EdgeRounds) -> int:
    """Return the number of threads that have enough edges to work on."""
    return min(joblib.effective_n_jobs(n_jobs), 1 + rounds.n_edges // EDGES_PER_THREAD)


def _show(
    Y: NDArray[np.float32], rounds: EdgeRounds, shown: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the map in the order of the samples, read-only."""
    shown[rounds.order] = Y
    view = shown.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True, eq=False)
class EdgeRounds:
    """Every edge once, in buckets by the parts of its ends.

    Attributes
    ----------
    order : ndarray of shape (n_samples,)
        The samples in the order of their parts; the other arrays number samples in this order.
    heads, tails : ndarray of shape (n_edges,)
        Ends of the edges, the smaller number first, bucket by bucket.
    often : ndarray of shape (n_edges,)
        Weights relative to the largest: how often an edge is visited per epoch.
    first : ndarray of shape (n_parts ** 2 + 1,)
        Where bucket p * n_parts + q begins, for p <= q.
    n_parts : int
        Number of parts, even.
    """

    order: Indices
    heads: NDArray[np.int32]
    tails: NDArray[np.int32]
    often: NDArray[np.float32]
    first: Indices
    n_parts: int

    @property
    def n_edges(self) -> int:
        """Number of edges, each counted once."""
        return len(self.heads)


def edge_rounds(graph: csr_matrix, least: float, rng: np.random.RandomState) -> EdgeRounds:
    """Divide the edges of a symmetric graph into buckets.

    Parameters
    ----------
    graph : csr_matrix of shape (n_samples, n_samples)
        Weights, the same in both directions.
    least : float
        Smallest weight, relative to the largest, of edges that are kept.
    rng : RandomState
        Shuffles the samples, so that buckets have about equally many edges.

    Returns
    -------
    rounds : EdgeRounds

    Examples
    --------
    >>> import numpy as np
    >>> graph = csr_matrix([[0, 1, 0.5], [1, 0, 0.1], [0.5, 0.1, 0]])
    >>> rounds = edge_rounds(graph, 0.2, np.random.RandomState(0))
    >>> sorted(rounds.often.tolist()), rounds.n_parts
    ([0.5, 1.0], 2)
    """
    n = graph.shape[0]
    order = rng.permutation(n)
    place = np.empty(n, dtype=np.int32)
    place[order] = np.arange(n, dtype=np.int32)
    edges = graph.tocoo()
    most = edges.data.max(initial=0.0)
    kept = (edges.row < edges.col) & (edges.data >= least * most) & (edges.data > 0)
    one, other = place[edges.row[kept]], place[edges.col[kept]]
    heads, tails = np.minimum(one, other), np.maximum(one, other)
    n_parts = count_parts(n)
    part = part_of_each(n, n_parts)
    bucket = part[heads] * n_parts + part[tails]
    by_bucket = np.argsort(bucket * n + heads, kind="stable")
    return EdgeRounds(
        order,
        heads[by_bucket],
        tails[by_bucket],
        (edges.data[kept][by_bucket] / most).astype(np.float32),
        np.searchsorted(bucket[by_bucket], np.arange(n_parts**2 + 1)),
        n_parts,
    )


def count_parts(n_samples: int) -> int:
    """Return the number of parts: even, and independent of the number of threads.

    Up to half as many threads can work in parallel, and the number of rounds grows with the parts.

    Examples
    --------
    >>> count_parts(100), count_parts(10_000), count_parts(1_000_000)
    (2, 12, 64)
    """
    return min(max(2 * round(math.sqrt(n_samples) / ROOT_FOR_TWO), 2), MOST_PARTS)


def part_of_each(n_samples: int, n_parts: int) -> Indices:
    """Return the part of each sample; the sizes of contiguous parts differ by at most one."""
    ends = np.arange(1, n_parts + 1) * n_samples // n_parts
    return np.searchsorted(ends, np.arange(n_samples), side="right")
