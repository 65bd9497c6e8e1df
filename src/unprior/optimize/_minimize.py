"""Gradient descent: the loop, with callbacks, stopping rules, restarts and a progress bar."""

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
from unprior.optimize._checkpoint import Checkpoint, Snapshot, memory_of, recall
from unprior.optimize._schedule import Motion, Schedule, Step, advance

#: After divergence the descent restarts with its step size times SMALLER, at most RESTARTS times.
SMALLER, RESTARTS = 0.1, 3

#: Coordinates beyond this count as divergence; maps are a few hundred wide.
FARTHEST = 1e9

#: Exaggerated attraction can contract a map to a speck, where all forces vanish with its size. In a
#: map narrower than this, a small gradient or a flat objective is not the end: it still unfolds.
SPECK = 1.0

#: A plateau: the mean of WINDOW values, which averages out the noise of sampled objectives, falls
#: by less than LEAST_FALL nats from one window to the next, which is not visible in a map.
WINDOW, LEAST_FALL = 25, 1e-5


@dataclass(frozen=True)
class Descent:
    """The result of a descent.

    Attributes
    ----------
    embedding : ndarray of shape (n_samples, n_components)
        The final map.
    history : ndarray of shape (n_iter,)
        The objective before each step.
    stopped_by : {"n_iter", "gradient", "plateau", "callback", "keyboard"}
        Why it ended.
    n_restarts : int
        Number of restarts with smaller steps after divergence.
    """

    embedding: Floats
    history: Floats
    stopped_by: str
    n_restarts: int = 0

    @property
    def n_iter(self) -> int:
        """Number of steps evaluated."""
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
    """Minimise an objective by gradient descent; Ctrl-C returns the map so far.

    Steps on the objective itself (no exaggeration, no emphasis, not broad) end early at a plateau
    of the objective, unless ``revise`` changes it or the map is still a speck. A descent that
    diverges restarts with a tenth of the step size, and a `DivergenceWarning` says so.

    Parameters
    ----------
    objective : Objective
        What to minimise.
    start : ndarray of shape (n_samples, n_components)
        Initial map.
    schedule : Schedule
        Number and settings of the steps.
    min_grad_norm : float, default=0.0
        Stop when the norm of the gradient of the objective itself falls to this.
    callbacks : sequence of callables
        Called before each step as ``callback(iteration, value, map)``; a true return value stops.
        The map is read-only, and later steps do not overwrite it.
    revise : callable, optional
        Called before each step as ``revise(iteration, map, objective)``; returns the objective to
        continue with.
    first : int, default=0
        Number of the first step, if it continues an earlier descent.
    title : str, default="descent"
        Title of the progress bar.
    verbose : int, default=0
        See `unprior._progress.progress_bar`.
    checkpoint : Checkpoint, optional
        Where the state is saved from time to time, and resumed from.
    stage : str, default="descent"
        Name of this descent in the checkpoint.

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
        except (DivergedError, ZeroDivisionError):  # Z is 0 if every w underflows
            rate = SMALLER * schedule.learning_rate
            if n_restarts < RESTARTS:
                message = (
                    f"{title}: the descent diverged with a step size of {schedule.learning_rate:g} "
                    f"and restarts with {rate:g}; set 'learning_rate' to use that from the start."
                )
                warnings.warn(message, DivergenceWarning, stacklevel=caller_level())
            schedule = replace(schedule, learning_rate=rate)  # type: ignore[type-var]
            recall(fresh, objective, revise)
        else:
            return replace(descent, n_restarts=n_restarts)
    message = (
        f"{title}: the descent diverged {RESTARTS + 1} times, at last with a step size of "
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
        """Take the remaining steps."""
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
                    now = self._evaluate(self.first + t, Y, step)
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
                    raise KeyboardInterrupt from error  # no map yet
                stopped_by = "keyboard"
            finally:
                # Also when a callback raises, so that no step is repeated.
                if checkpoint is not None and here.n_done:
                    here.save(checkpoint, stage, history)
        return Descent(Y, np.array(history), stopped_by)

    def _begin(
        self, start: Floats, checkpoint: Checkpoint | None, stage: str
    ) -> tuple[Snapshot, list[float]]:
        """Return the state to begin from: the start, or what the checkpoint holds."""
        kept = None if checkpoint is None else Snapshot.load(checkpoint, stage, start.shape)
        if checkpoint is None or kept is None:
            fresh = memory_of(self.objective, self.revise)
            return Snapshot(0, start, Motion.at_rest(start), fresh), []
        try:
            recall(kept[0].memory, self.objective, self.revise)
        except (KeyError, TypeError, ValueError, OverflowError):
            checkpoint.refuse()
        return kept

    def _evaluate(self, t: int, Y: Floats, step: Step) -> Evaluation:
        """Evaluate the objective, after ``revise``; raise if it is not finite."""
        with np.errstate(all="ignore"):  # divergence is handled below
            if self.revise is not None:
                self.objective = self.revise(t, Y, self.objective)
            now = self.objective.evaluate(Y, step.exaggeration, step.emphasis, broad=step.broad)
        if not (np.isfinite(now.value) and np.isfinite(now.gradient).all()):
            raise DivergedError
        return now

    def _advance(
        self, Y: Floats, now: Evaluation, motion: Motion, step: Step
    ) -> tuple[Floats, Motion]:
        """Take a step; raise if the map is not finite."""
        with np.errstate(all="ignore"):
            Y, motion = advance(Y, now.gradient, motion, step)
        if not np.abs(Y).max() <= FARTHEST:  # also true for NaN
            raise DivergedError
        return Y, motion

    def _stops(
        self, t: int, now: Evaluation, Y: Floats, history: Sequence[float], n_true: int
    ) -> str | None:
        """Return the reason to stop before this step, or None."""
        answers = [callback(t, now.value, _read_only(Y)) for callback in self.callbacks]
        if any(answers):
            return "callback"
        if np.ptp(Y, axis=0).max() < SPECK:
            return None
        if n_true and np.linalg.norm(now.gradient) <= self.min_grad_norm:
            return "gradient"
        if self.revise is None and is_flat(history[len(history) - n_true :]):
            return "plateau"
        return None


def _read_only(Y: Floats) -> Floats:
    """Return a read-only view of the map."""
    view = Y.view()
    view.flags.writeable = False
    return view


def is_flat(values: Sequence[float]) -> bool:
    """Return whether the mean of the last values has stopped falling.

    Examples
    --------
    >>> is_flat([1 / (t + 1) for t in range(100)])
    False
    >>> is_flat([1.0, 0.5, 0.75, 0.75, 0.75] * 20)
    True
    """
    if len(values) < 2 * WINDOW:
        return False
    before, now = np.mean(values[-2 * WINDOW : -WINDOW]), np.mean(values[-WINDOW:])
    return bool(before - now < LEAST_FALL)
