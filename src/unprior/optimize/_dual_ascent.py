"""What a map shows of priors -> the multipliers of their constraints, while the map is drawn.

A constraint's multiplier grows while map neighbours share more of the prior than they should, and
falls while they share less. It may become negative. What counts is what the nearest map neighbours
show, since that is what people see and what the scores report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unprior._typing import Floats
from unprior.neighbors._on_map import map_neighbors
from unprior.objectives import IndependenceObjective
from unprior.priors._left import PriorLeft
from unprior.priors._left_within import PriorLeftWithin

#: A map is looked at every so many steps, by the neighbours of so many samples.
EVERY, MOST_ROWS = 5, 2000

#: What a multiplier gains at a look that shows all of the prior: at first, and at least. Each time
#: the map goes past its aim the gain shrinks, and each time it does not the gain grows a little, so
#: that maps which answer quickly do not swing.
GAIN, LEAST_GAIN, SHRINK, GROW = 2.0, 0.25, 0.7, 1.05

#: So many looks ahead a map will show what it shows now and what it has changed by since the last.
LOOK_AHEAD = 5.0

#: Multipliers stay within these bounds.
LEAST, MOST = -30.0, 60.0

#: The scale of soft neighbours: so many times the median distance to the last neighbour, but not
#: less than this. Narrower ones draw clumps, wider ones cost hidden structure.
REACH, LEAST_SCALE = 1.6, 0.7

#: Beyond so many samples the least scale shrinks as the map becomes denser. Else it spans so many
#: samples that the nearest may share the prior while soft neighbours do not: .23 of ten generated
#: clusters were left at 70 000 samples.
DENSE = 20_000


@dataclass(eq=False)
class DualAscent:
    """Moves the multipliers of an objective; called before every step of a descent.

    Attributes
    ----------
    measures : sequence of PriorLeft or PriorLeftWithin
        What to measure of each prior.
    aims : sequence of float
        What should be left of each.
    multipliers : list of float
        The multiplier of each, as it is now.
    first : int
        The step from which multipliers move.
    rng : RandomState
        Draws the samples that are looked at.
    left : list of float
        What the last look showed of each prior.
    gains : list of float
        What the multiplier of each gains, as it is now.
    scale : float
        The scale of soft neighbours, as it is now.
    """

    measures: Sequence[PriorLeft | PriorLeftWithin]
    aims: Sequence[float]
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
        """Return the objective to go on with."""
        if iteration % EVERY == 0:
            self._look(iteration, Y)
        return replace(objective, multipliers=tuple(self.multipliers), scale=self.scale)

    def _look(self, iteration: int, Y: Floats) -> None:
        """Measure a map, and move the multipliers if it is time."""
        n, k = len(Y), max(measure.k for measure in self.measures)
        rows = self.rng.permutation(n)[: min(n, MOST_ROWS)]
        neighbors, distances = map_neighbors(Y, rows, k)
        least = LEAST_SCALE * min(1.0, np.sqrt(DENSE / n))
        self.scale = max(REACH * float(np.median(distances[:, -1])), least)
        if iteration >= self.first:
            before = self.left
            self.left = [measure.among(rows, neighbors) for measure in self.measures]
            for place, aim in enumerate(self.aims):
                excess = self.left[place] - aim
                self._move(place, excess, before[place] - aim if before else excess)

    def _move(self, place: int, excess: float, excess_before: float) -> None:
        """Move one multiplier by how much more than its aim the map shows."""
        factor = SHRINK if excess * excess_before < 0 else GROW
        self.gains[place] = min(max(factor * self.gains[place], LEAST_GAIN), GAIN)
        ahead = excess + LOOK_AHEAD * (excess - excess_before)
        moved = self.multipliers[place] + self.gains[place] * ahead
        # A prior that is to stay in part is not put back where another constraint removes it.
        least = 0.0 if self.aims[place] > 0 else LEAST
        self.multipliers[place] = min(max(moved, least), MOST)

    def remember(self) -> dict[str, Any]:
        """Return all that the next look depends on, as plain types."""
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
        """Go back to what `remember` returned."""
        self.multipliers, self.left = [*memory["multipliers"]], [*memory["left"]]
        self.gains, self.scale = [*memory["gains"]], float(memory["scale"])
        # Samples are drawn by permutations, which leave no normal number for later.
        self.rng.set_state(("MT19937", memory["key"], memory["pos"], 0, 0.0))

    def is_met(self, tolerance: float) -> bool:
        """Whether the last look found every constraint met."""
        pairs = zip(self.left, self.aims, strict=True)
        return bool(self.left) and all(abs(left - aim) <= tolerance for left, aim in pairs)
