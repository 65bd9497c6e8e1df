"""Objective with constraints, start -> map: the descent, and further steps until they are met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unprior._typing import Callback, Floats
from unprior.objectives import IndependenceObjective
from unprior.optimize._checkpoint import Checkpoint
from unprior.optimize._dual_ascent import DualAscent
from unprior.optimize._minimize import Descent, minimize
from unprior.optimize._schedule import Annealed, Steady

#: Where a constraint is off by more than this, the map is settled by further steps: this share of
#: all, so many times at most, with this share of the first step size.
SETTLED, SETTLING_SHARE, SETTLING_ROUNDS, SETTLING_RATE = 0.02, 0.1, 3, 0.1


def minimize_constrained(
    objective: IndependenceObjective,
    start: Floats,
    schedule: Annealed,
    ascent: DualAscent | None,
    *,
    callbacks: Sequence[Callback] = (),
    title: str = "descent",
    verbose: int = 0,
    checkpoint: Checkpoint | None = None,
) -> Descent:
    """Descend while multipliers ascend, and settle the map until its constraints are met.

    Without an ascent this is `minimize`; the other parameters are those of that function.
    """
    shared: dict[str, Any] = {
        "callbacks": callbacks,
        "revise": ascent,
        "title": title,
        "verbose": verbose,
        "checkpoint": checkpoint,
    }
    descent = minimize(objective, start, schedule, **shared)
    n_more = int(SETTLING_SHARE * schedule.n_iter)
    for number in range(1, SETTLING_ROUNDS + 1):
        if not ascent or not n_more or ascent.is_met(SETTLED) or descent.stopped_by != "n_iter":
            break
        steps = Steady(n_more, SETTLING_RATE * schedule.learning_rate)
        shared |= {"first": descent.n_iter, "stage": f"settle{number}"}
        more = minimize(objective, descent.embedding, steps, **shared)
        history = np.concatenate((descent.history, more.history))
        descent = replace(more, history=history, n_restarts=descent.n_restarts)
    return descent
