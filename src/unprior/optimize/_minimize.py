"""Objective and start -> map: the loop with its callbacks, its stops and its progress bar."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unprior._interrupts import is_stop
from unprior._progress import progress_bar
from unprior._typing import Callback, Floats
from unprior._warnings import DivergenceWarning, caller_level
from unprior.objectives import Evaluation, Objective
from unprior.optimize._checkpoint import Checkpoint
from unprior.optimize._momentum import Motion, advance
from unprior.optimize._plateau import is_flat
from unprior.optimize._schedule import Schedule, Step
from unprior.optimize._snapshot import Snapshot, memory_of, recall

#: A descent that diverges begins anew with so much smaller steps, so many times at most.
SMALLER, RESTARTS = 0.1, 3

#: A sample this far out has flown away: maps are some hundred wide.
FARTHEST = 1e9


@dataclass(frozen=True)
class Descent:
    """The end of a descent.

    Attributes
    ----------
    embedding : ndarray of shape (n_samples, n_components)
        The last map.
    history : ndarray of shape (n_iter,)
        The objective before every step.
    stopped_by : {"n_iter", "gradient", "plateau", "callback", "keyboard"}
        What ended it.
    n_restarts : int
        How often it diverged and began anew with smaller steps.
    """

    embedding: Floats
    history: Floats
    stopped_by: str
    n_restarts: int = 0

    @property
    def n_iter(self) -> int:
        """Steps that were evaluated."""
        return len(self.history)


class DivergedError(FloatingPointError):
    """A map, its objective or its gradient is no longer finite."""


def minimize(
    objective: Objective,
    start: Floats,
    schedule: Schedule,
    *,
    min_grad_norm: float = 0.0,
    callbacks: Sequence[Callback] = (),
    revise: Callable[[int, Floats, Any], Objective] | None = None,
    first: int = 0,
    title: str = "descent",
    verbose: int = 0,
    checkpoint: Checkpoint | None = None,
    stage: str = "descent",
) -> Descent:
    """Descend from a start; a stop from the keyboard keeps the map so far, if there is one.

    Steps with nothing enlarged end early when the objective, smoothed over some of them, no longer
    falls; not if the objective itself is revised on the way. A descent that diverges begins anew
    with steps of a tenth, and a `DivergenceWarning` says so.

    Parameters
    ----------
    objective : Objective
        What to minimise.
    start : ndarray of shape (n_samples, n_components)
        Where to begin.
    schedule : Schedule
        Number and settings of the steps.
    min_grad_norm : float, default=0.0
        Stop when the norm of the true gradient, nothing enlarged, falls to this.
    callbacks : sequence of callables
        Called before every step as ``callback(iteration, value, map)``; a true answer stops. The
        map is read-only, and stays as it is: the next step makes another.
    revise : callable, optional
        Called before every step as ``revise(iteration, map, objective)``; returns the objective to
        go on with.
    first : int, default=0
        Number of the first step, if others went before.
    title : str, default="descent"
        Title of the progress bar.
    verbose : int, default=0
        See `unprior._progress.progress_bar`.
    checkpoint : Checkpoint, optional
        Where the state is kept now and then, and found again.
    stage : str, default="descent"
        The name of this descent in the checkpoint.

    Returns
    -------
    descent : Descent
    """
    fresh = memory_of(objective, revise)
    for n_restarts in range(RESTARTS + 1):
        loop = _Loop(objective, min_grad_norm, callbacks, revise, first, title, verbose)
        again = f"{stage}-again{n_restarts}" if n_restarts else stage
        try:
            descent = loop.run(start, schedule, checkpoint, again)
        except (DivergedError, ZeroDivisionError):  # where every w vanished, Z is 0
            rate = SMALLER * schedule.learning_rate
            if n_restarts < RESTARTS:
                message = (
                    f"{title}: the descent diverged with steps of {schedule.learning_rate:g} and "
                    f"begins anew with {rate:g}; set 'learning_rate' to have it so from the start."
                )
                warnings.warn(message, DivergenceWarning, stacklevel=caller_level())
            schedule = replace(schedule, learning_rate=rate)  # type: ignore[type-var]
            recall(fresh, objective, revise)
        else:
            return replace(descent, n_restarts=n_restarts)
    message = (
        f"{title}: the descent diverged {RESTARTS + 1} times, at last with steps of "
        f"{schedule.learning_rate / SMALLER:g}; use a smaller 'learning_rate', or scale 'X'."
    )
    raise DivergedError(message)


@dataclass
class _Loop:
    """One descent; see `minimize` for the attributes."""

    objective: Any
    min_grad_norm: float
    callbacks: Sequence[Callback]
    revise: Callable[[int, Floats, Any], Objective] | None
    first: int
    title: str
    verbose: int

    def run(
        self, start: Floats, schedule: Schedule, checkpoint: Checkpoint | None, stage: str
    ) -> Descent:
        """Take all steps that are not taken yet."""
        here, history = self._begin(start, checkpoint, stage)
        Y, motion, stopped_by, n_true = here.Y, here.motion, "n_iter", 0
        with progress_bar(schedule.n_iter, self.title, verbose=self.verbose) as bar:
            bar.update(here.n_done)
            try:
                for t, step in enumerate(schedule.steps()):
                    n_true = n_true + 1 if step.is_true else 0
                    if t < here.n_done:
                        continue
                    if checkpoint is not None:
                        here = Snapshot(t, Y, motion, memory_of(self.objective, self.revise))
                        if checkpoint.is_due():
                            here.save(checkpoint, stage, history)
                    now = self._look(self.first + t, Y, step)
                    history.append(now.value)
                    if stop := self._stops(self.first + t, now, Y, history, n_true):
                        stopped_by = stop
                        break
                    Y, motion = self._advance(Y, now, motion, step)
                    bar.set_postfix(objective=f"{now.value:.4f}", refresh=False)
                    bar.update()
                else:
                    memory = memory_of(self.objective, self.revise)
                    here = Snapshot(len(history), Y, motion, memory)
            except (KeyboardInterrupt, SystemError) as error:
                if not is_stop(error):
                    raise
                if Y is start and not self.first:
                    raise KeyboardInterrupt from error  # there is no map yet to be kept
                stopped_by = "keyboard"
            finally:
                # Also when a callback raises: what was done so far is not done again.
                if checkpoint is not None and here.n_done:
                    here.save(checkpoint, stage, history)
        return Descent(Y, np.array(history), stopped_by)

    def _begin(
        self, start: Floats, checkpoint: Checkpoint | None, stage: str
    ) -> tuple[Snapshot, list[float]]:
        """Return where to begin: at the start, or where a descent before this one was."""
        kept = None if checkpoint is None else Snapshot.load(checkpoint, stage, start.shape)
        if kept is None:
            fresh = memory_of(self.objective, self.revise)
            return Snapshot(0, start, Motion.at_rest(start), fresh), []
        recall(kept[0].memory, self.objective, self.revise)
        return kept

    def _look(self, t: int, Y: Floats, step: Step) -> Evaluation:
        """Evaluate the objective, revised if it is to be, before a step."""
        with np.errstate(all="ignore"):  # what is not finite is told below, in words
            if self.revise is not None:
                self.objective = self.revise(t, Y, self.objective)
            now = self.objective.evaluate(Y, step.exaggeration, step.emphasis, broad=step.broad)
        if not (np.isfinite(now.value) and np.isfinite(now.gradient).all()):
            raise DivergedError
        return now

    def _advance(
        self, Y: Floats, now: Evaluation, motion: Motion, step: Step
    ) -> tuple[Floats, Motion]:
        """Take a step, unless it leads nowhere."""
        with np.errstate(all="ignore"):
            Y, motion = advance(Y, now.gradient, motion, step)
        if not np.abs(Y).max() <= FARTHEST:  # NaN is not, either
            raise DivergedError
        return Y, motion

    def _stops(
        self, t: int, now: Evaluation, Y: Floats, history: Sequence[float], n_true: int
    ) -> str | None:
        """Return what ends the descent before this step, if anything does."""
        answers = [callback(t, now.value, _to_look_at(Y)) for callback in self.callbacks]
        if any(answers):
            return "callback"
        if n_true and np.linalg.norm(now.gradient) <= self.min_grad_norm:
            return "gradient"
        if self.revise is None and is_flat(history[len(history) - n_true :]):
            return "plateau"
        return None


def _to_look_at(Y: Floats) -> Floats:
    """Return a view of the map that cannot be written to: a copy at every step would be waste."""
    view = Y.view()
    view.flags.writeable = False
    return view
