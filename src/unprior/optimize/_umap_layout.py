"""Fuzzy graph and start -> UMAP's layout, the same bits for a seed on any number of threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from unprior._interrupts import is_stop
from unprior._progress import progress_bar
from unprior._threads import compiled_threads
from unprior._typing import Floats
from unprior.optimize._checkpoint import Checkpoint
from unprior.optimize._edge_rounds import EdgeRounds, edge_rounds
from unprior.optimize._pace import Pace

#: Called as callback(epoch, map); a true answer stops.
LayoutCallback = Callable[[int, NDArray[np.float32]], Any]

#: A thread for fewer edges than this would mostly wait for others.
EDGES_PER_THREAD = 10_000

#: The name of a layout in a checkpoint.
STAGE = "layout"

#: Dimensions that the compiler is told of; beyond, one compiled loop does for all.
TOLD = 3


@dataclass(frozen=True)
class LayoutSettings:
    """Settings of the layout, under umap-learn's names and with its meaning."""

    n_epochs: int
    a: float
    b: float
    repulsion_strength: float = 1.0
    negative_sample_rate: float = 5.0
    learning_rate: float = 1.0


@dataclass(frozen=True)
class Layout:
    """The end of a layout.

    Attributes
    ----------
    embedding : ndarray of shape (n_samples, n_components)
        The last map.
    n_epochs : int
        Epochs that it took.
    stopped_by : {"n_epochs", "callback", "keyboard"}
        What ended it.
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

    Edges are visited as often as in umap-learn, and move their ends and draw others to be repelled
    from as there. What differs is the order: by rounds (`unprior.optimize._edge_rounds`) in place
    of rows.

    Parameters
    ----------
    graph : csr_matrix of shape (n_samples, n_samples)
        Weights of edges, symmetric.
    start : ndarray of shape (n_samples, n_components)
        Where to begin; umap-learn's starts are 10 wide.
    settings : LayoutSettings
        Number of epochs, curve and forces.
    seed : int
        The same seed gives the same bits.
    callbacks : sequence of callables
        Called after every so many epochs, and after the last, as ``callback(epoch, map)``; a true
        answer stops. The map can be read until the next call, which overwrites it.
    every : int, default=50
        Epochs from one call to the next.
    n_jobs : int, optional
        Threads, in joblib's meaning.
    verbose : int, default=0
        See `unprior._progress.progress_bar`.
    checkpoint : Checkpoint, optional
        Where the map is kept now and then, and found again.

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
    kept = _Kept(checkpoint)
    done, stopped_by = kept.load(Y), "n_epochs"
    with (
        compiled_threads(_useful_jobs(n_jobs, rounds)) as n_threads,
        progress_bar(n_epochs, "UMAP", verbose=verbose) as bar,
    ):
        pace = Pace(n_threads)
        bar.update(done)
        try:
            for epoch in range(done + 1, n_epochs + 1):
                kept.note(Y, done)
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
                raise KeyboardInterrupt from error  # there is no map yet to be kept
            stopped_by = "keyboard"
        else:
            kept.note(Y, done)
        finally:
            kept.save()
    embedding = np.empty_like(Y)
    embedding[rounds.order] = Y
    return Layout(embedding, done, stopped_by)


class _Kept:
    """The map between two epochs, in a checkpoint; an epoch changes it in place."""

    def __init__(self, checkpoint: Checkpoint | None) -> None:
        self.checkpoint = checkpoint
        self.last: tuple[int, NDArray[np.float32]] | None = None

    def load(self, Y: NDArray[np.float32]) -> int:
        """Put a map where it was, and return after how many epochs that was."""
        found = None if self.checkpoint is None else self.checkpoint.load(STAGE)
        if found is None:
            return 0
        facts, arrays = found
        Y[:] = arrays["map"]
        return int(facts["n_done"])

    def note(self, Y: NDArray[np.float32], done: int) -> None:
        """Remember the map after an epoch, and save it now and then."""
        if self.checkpoint is not None:
            self.last = (done, Y.copy())
            if self.checkpoint.is_due():
                self.save()

    def save(self) -> None:
        """Save the map after the last epoch that was complete."""
        if self.checkpoint is not None and self.last is not None and self.last[0]:
            self.checkpoint.save(STAGE, {"n_done": self.last[0]}, {"map": self.last[1]})


def _forces(rounds: EdgeRounds, settings: LayoutSettings, n_components: int) -> tuple[Any, ...]:
    """Return what the kernel takes beside the map and the step."""
    few = n_components <= TOLD
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
    """Return as many threads as are asked for and find something to do."""
    return min(joblib.effective_n_jobs(n_jobs), 1 + rounds.n_edges // EDGES_PER_THREAD)


def _show(
    Y: NDArray[np.float32], rounds: EdgeRounds, shown: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Write the map in the order of the samples, to be looked at only."""
    shown[rounds.order] = Y
    view = shown.view()
    view.flags.writeable = False
    return view
