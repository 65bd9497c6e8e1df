"""Views of data, and priors -> JEDI's map at strengths that leave nothing of the priors to be seen.

No strength suits all data: what hides one prior makes neighbours of samples that another holds
apart. But what a map shows of a prior can be measured while it is drawn. So every few steps the
strength of a prior grows by what is left of it, and falls where samples alike in the prior avoid
each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unprior._typing import Floats
from unprior.estimators import JEDI
from unprior.estimators._jedi_objective import Known, Problem
from unprior.objectives import DrawnDivergence, JEDIObjective, PriorDivergence
from unprior.objectives._evaluation import Evaluation
from unprior.priors import Prior, data_distances
from unprior.priors._capped import cap_distances
from unprior.scores import neighbor_coherence

#: A map is looked at every so many steps, once its coarse shape has formed.
EVERY, FIRST_LOOK = 10, 150

#: Neighbours by which it is judged, and the samples, drawn afresh each time, that are asked.
NEIGHBORS, MOST_ROWS = 15, 500

#: What is added to a strength when the map shows all of the prior, and the largest strength.
GAIN, MOST_STRENGTH = 2.0, 4.0


@dataclass(eq=False)
class Steering:
    """Strengths of priors, moved by what maps show of these.

    Attributes
    ----------
    known : sequence of Prior
        The priors.
    strengths : list of float
        The strength of each, as it is now.
    rng : RandomState
        Draws the samples by which maps are judged.
    n_maps : int
        Maps seen so far.
    """

    known: Sequence[Prior]
    strengths: list[float]
    rng: np.random.RandomState
    n_maps: int = 0

    def see(self, Y: Floats) -> None:
        """Count a map, and move the strengths if it is one to look at."""
        self.n_maps += 1
        if self.n_maps >= FIRST_LOOK and self.n_maps % EVERY == 0:
            k, n_rows = min(NEIGHBORS, (len(Y) - 1) // 3), min(len(Y), MOST_ROWS)
            for place, prior in enumerate(self.known):
                left = neighbor_coherence(Y, prior, k, n_rows=n_rows, random_state=self.rng)
                moved = self.strengths[place] + GAIN * left
                self.strengths[place] = min(max(moved, 0.0), MOST_STRENGTH)


@dataclass(frozen=True)
class SteeredObjective(JEDIObjective):
    """JEDI's objective, at the strengths of a steering that sees every map."""

    steering: Steering = field(kw_only=True)

    def evaluate(
        self, Y: Floats, exaggeration: float = 1.0, emphasis: float = 1.0, *, broad: bool = False
    ) -> Evaluation:
        """Value and gradient at a map, at the strengths that its look asks for."""
        self.steering.see(Y)
        terms = [
            _at_strength(term, strength)
            for term, strength in zip(self.priors, self.steering.strengths, strict=True)
        ]
        now = JEDIObjective(self.data, terms, self.repulsion, self.broad)
        return now.evaluate(Y, exaggeration, emphasis, broad=broad)


class SteeredJEDI(JEDI):
    """`unprior.JEDI` that begins at the strength it is given and then finds its own.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(200, random_state=0)
    >>> Y = SteeredJEDI(perplexity=30, random_state=0).fit_transform(data.X, prior=data.known)
    >>> abs(up.scores.knn_purity(Y, data.known)) < 0.1
    True
    """

    _beside: Sequence[Floats] = ()

    def fit_views(self, views: Sequence[Floats], *, prior: Any) -> SteeredJEDI:
        """Fit the map to several views of the same samples: neighbours in any of them attract."""
        self._beside = views[1:]
        try:
            self.fit(views[0], prior=prior)
        finally:
            self._beside = ()  # for those who call fit afterwards
        return self

    def _problem(self, X: Floats, known: Sequence[Known]) -> Problem:
        beside = [data_distances(view, self.metric, who="embed") for view in self._beside]
        return replace(super()._problem(X, known), beside=beside)

    def _objective(self, problem: Problem, rng: np.random.RandomState) -> JEDIObjective:
        plain = super()._objective(problem, rng)
        steering = Steering(
            [cap_distances(known.prior) for known in problem.known],
            [known.strength for known in problem.known],
            np.random.RandomState(rng.randint(2**31 - 1)),
        )
        return SteeredObjective(
            plain.data, plain.priors, plain.repulsion, plain.broad, steering=steering
        )


def _at_strength(
    term: PriorDivergence | DrawnDivergence, strength: float
) -> PriorDivergence | DrawnDivergence:
    if isinstance(term, PriorDivergence):
        return replace(term, strength=strength)
    # It counts its draws, so that a copy would draw the same again.
    term.strength = strength
    return term
