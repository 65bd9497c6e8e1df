"""Minimise an objective under constraints on the priors, by dual ascent on their multipliers.

A constraint's multiplier grows while map neighbours share more of the prior than they should, and
falls, possibly below 0, while they share less. It is measured among the nearest map neighbours,
since these are what people see and what the scores report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unprior._typing import Callback, Floats
from unprior.neighbors import map_neighbors
from unprior.objectives import IndependenceObjective
from unprior.optimize._checkpoint import Checkpoint
from unprior.optimize._minimize import Descent, minimize
from unprior.optimize._schedule import Annealed, Steady
from unprior.priors._left import PriorLeft
from unprior.priors._left_within import PriorLeftWithin

#: The map is measured every EVERY steps, on the neighbours of at most MOST_ROWS samples.
EVERY, MOST_ROWS = 5, 2000

#: Change of a multiplier per measurement if all of the prior is visible: initial (also largest) and
#: smallest gain. It shrinks when the map overshoots its target and grows a little otherwise, so
#: that maps which respond quickly do not oscillate.
GAIN, LEAST_GAIN, SHRINK, GROW = 2.0, 0.25, 0.7, 1.05

#: Measurements by which the last change is extrapolated.
LOOK_AHEAD = 5.0

#: Bounds of the multipliers.
LEAST, MOST = -30.0, 60.0

#: The scale of soft neighbours: REACH times the median distance to the k-th neighbour, at least
#: LEAST_SCALE. Narrower scales produce clumps, wider ones lose hidden structure.
REACH, LEAST_SCALE = 1.6, 0.7

#: Beyond this many samples LEAST_SCALE shrinks as the map becomes denser. Otherwise it spans so
#: many samples that the nearest may share the prior while soft neighbours do not: .23 of a prior of
#: ten generated clusters was left at 70 000 samples.
DENSE = 20_000

#: If a constraint is off by more than TOLERANCE after the descent, up to SETTLING_ROUNDS rounds
#: follow, each with SETTLING_SHARE of the steps and SETTLING_RATE times the first step size.
TOLERANCE, SETTLING_SHARE, SETTLING_ROUNDS, SETTLING_RATE = 0.02, 0.1, 3, 0.1


@dataclass(eq=False)
class DualAscent:
    """Updates the multipliers of an objective; called before each step of a descent.

    Attributes
    ----------
    measures : sequence of PriorLeft or PriorLeftWithin
        The measure of each prior.
    targets : sequence of float
        How much of each prior should be left.
    multipliers : list of float
        The current multiplier of each.
    first : int
        The step from which multipliers are updated.
    rng : RandomState
        Chooses the samples that are measured.
    left : list of float
        How much of each prior was left at the last measurement.
    gains : list of float
        The current gain of each multiplier.
    scale : float
        The current scale of soft neighbours.
    """

    measures: Sequence[PriorLeft | PriorLeftWithin]
    targets: Sequence[float]
    multipliers: list[float]
    first: int
    rng: np.random.RandomState
    left: list[float] = field(default_factory=list, init=False)
    gains: list[float] = field(init=False)
    scale: float = field(default=1.0, init=False)

    def __post_init__(self) -> None:
        self.gains = [GAIN] * len(self.measures)

    def __call__(
        self, iteration: int, Y: Floats, objective: IndependenceObjective
    ) -> IndependenceObjective:
        """Return the objective to continue with."""
        if iteration % EVERY == 0:
            self._measure(iteration, Y)
        return replace(objective, multipliers=tuple(self.multipliers), scale=self.scale)

    def _measure(self, iteration: int, Y: Floats) -> None:
        """Measure the map, and from step ``first`` on update the multipliers."""
        n, k = len(Y), max(measure.k for measure in self.measures)
        rows = self.rng.permutation(n)[: min(n, MOST_ROWS)]
        neighbors, distances = map_neighbors(Y, rows, k)
        least = LEAST_SCALE * min(1.0, np.sqrt(DENSE / n))
        self.scale = max(REACH * float(np.median(distances[:, -1])), least)
        if iteration >= self.first:
            before = self.left
            self.left = [measure.among(rows, neighbors) for measure in self.measures]
            for place, target in enumerate(self.targets):
                excess = self.left[place] - target
                self._update(place, excess, before[place] - target if before else excess)

    def _update(self, place: int, excess: float, excess_before: float) -> None:
        """Update one multiplier by the excess over its target."""
        factor = SHRINK if excess * excess_before < 0 else GROW
        self.gains[place] = min(max(factor * self.gains[place], LEAST_GAIN), GAIN)
        ahead = excess + LOOK_AHEAD * (excess - excess_before)
        moved = self.multipliers[place] + self.gains[place] * ahead
        # A prior that is removed in part only is not restored where another constraint removes it.
        least = 0.0 if self.targets[place] > 0 else LEAST
        self.multipliers[place] = min(max(moved, least), MOST)

    def remember(self) -> dict[str, Any]:
        """Return the state that the next measurement depends on, in plain types."""
        state = self.rng.get_state(legacy=False)
        return {
            "multipliers": [*self.multipliers],
            "left": [*self.left],
            "gains": [*self.gains],
            "scale": self.scale,
            "key": state["state"]["key"].tolist(),
            "pos": int(state["state"]["pos"]),
        }

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore the state that `remember` returned."""
        several = [
            [float(one) for one in memory[name]] for name in ("multipliers", "left", "gains")
        ]
        if len(several[0]) != len(self.targets):
            message = f"{len(several[0])} multipliers for {len(self.targets)} priors"
            raise ValueError(message)
        self.multipliers, self.left, self.gains = several
        self.scale = float(memory["scale"])
        # Permutations leave no cached normal number in the generator.
        self.rng.set_state(("MT19937", memory["key"], memory["pos"], 0, 0.0))

    def is_met(self, tolerance: float = TOLERANCE) -> bool:
        """Whether all constraints were met at the last measurement."""
        pairs = zip(self.left, self.targets, strict=True)
        return bool(self.left) and all(abs(left - target) <= tolerance for left, target in pairs)


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
    """Minimise while dual ascent updates the multipliers, then settle until constraints are met.

    Without an ascent this is `minimize`, which describes the other parameters.
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
        if not ascent or not n_more or ascent.is_met() or descent.stopped_by != "n_iter":
            break
        steps = Steady(n_more, SETTLING_RATE * schedule.learning_rate)
        shared |= {"first": descent.n_iter, "stage": f"settle{number}"}
        more = minimize(objective, descent.embedding, steps, **shared)
        history = np.concatenate((descent.history, more.history))
        descent = replace(more, history=history, n_restarts=descent.n_restarts)
    return descent
