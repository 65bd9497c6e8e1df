"""Objective and start -> map: the loop with its callbacks, its stops and its progress bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unprior._interrupts import is_stop
from unprior._progress import progress_bar
from unprior._typing import Callback, Floats
from unprior.objectives import Objective
from unprior.optimize._momentum import Motion, advance
from unprior.optimize._plateau import is_flat
from unprior.optimize._schedule import Schedule


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
    """

    embedding: Floats
    history: Floats
    stopped_by: str

    @property
    def n_iter(self) -> int:
        """Steps that were evaluated."""
        return len(self.history)


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
) -> Descent:
    """Descend from a start; a stop from the keyboard keeps the map so far, if there is one.

    Steps with nothing enlarged end early when the objective, smoothed over some of them, no longer
    falls; not if the objective itself is revised on the way.

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
        Called before every step as ``callback(iteration, value, map)``; a true answer stops.
    revise : callable, optional
        Called before every step as ``revise(iteration, map, objective)``; returns the objective to
        go on with.
    first : int, default=0
        Number of the first step, if others went before.
    title : str, default="descent"
        Title of the progress bar.
    verbose : int, default=0
        See `unprior._progress.progress_bar`.

    Returns
    -------
    descent : Descent
    """
    Y, motion, history, stopped_by = start, Motion.at_rest(start), [], "n_iter"
    n_true = 0
    with progress_bar(schedule.n_iter, title, verbose=verbose) as bar:
        try:
            for t, step in enumerate(schedule.steps(), first):
                if revise is not None:
                    objective = revise(t, Y, objective)
                now = objective.evaluate(Y, step.exaggeration, step.emphasis, broad=step.broad)
                history.append(now.value)
                answers = [callback(t, now.value, Y.copy()) for callback in callbacks]
                if any(answers):
                    stopped_by = "callback"
                    break
                n_true = n_true + 1 if step.is_true else 0
                if n_true and np.linalg.norm(now.gradient) <= min_grad_norm:
                    stopped_by = "gradient"
                    break
                if revise is None and is_flat(history[len(history) - n_true :]):
                    stopped_by = "plateau"
                    break
                Y, motion = advance(Y, now.gradient, motion, step)
                bar.set_postfix(objective=f"{now.value:.4f}", refresh=False)
                bar.update()
        except (KeyboardInterrupt, SystemError) as error:
            if not is_stop(error):
                raise
            if Y is start and not first:
                raise KeyboardInterrupt from error  # there is no map yet to be kept
            stopped_by = "keyboard"
    return Descent(Y, np.array(history), stopped_by)
