"""A map and a case → how much of the prior is left, how much of the hidden structure is kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from quality_cases import Case

from unprior import priors, scores
from unprior.priors import Labels, Prior

NEIGHBORS = 15
#: Parts into which a prior without classes is cut to look for hidden structure within it, and the
#: neighbours to look at there: hidden groups within a part can be small.
STRATA, FEW = 8, 5


@dataclass(frozen=True)
class Scores:
    """Scores of one map, 0 by chance; ``score`` is what is kept less what is left."""

    left: float
    kept: float
    left_area: float
    kept_area: float

    @property
    def score(self) -> float:
        """Return one number for a map: less of the prior and more of the hidden is better."""
        return self.kept - abs(self.left)


def score_map(Y: np.ndarray, case: Case) -> Scores:
    """Score a map; for labels the coherence of neighbours is their rescaled purity."""
    if not np.isfinite(Y).all():
        raise ValueError("the map holds values that are not finite")
    return Scores(
        left=scores.neighbor_coherence(Y, case.prior, NEIGHBORS),
        kept=scores.knn_purity(Y, case.hidden, NEIGHBORS),
        left_area=scores.overlap_area(Y, case.prior),
        kept_area=scores.overlap_area(Y, priors.labels(case.hidden)),
    )


def hidden_within(case: Case) -> float:
    """Purity of hidden labels in the data among samples that are alike in the prior.

    Neighbours are sought within a class of the prior, or for other priors within one of eight
    parts of it: what a perfect method could at least show.
    """
    strata, hidden = cut(case.prior), priors.labels(case.hidden)
    data = priors.data_distances(case.X, case.metric, who="hidden_within")
    total, n_scored = 0.0, 0
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        part = hidden[rows]
        if len(rows) > 2 * FEW and not part.is_constant():
            total += len(rows) * scores.neighbor_coherence(data[rows], part, FEW)
            n_scored += len(rows)
    return total / n_scored if n_scored else float("nan")


def cut(prior: Prior) -> np.ndarray:
    """Cut samples into classes of a prior, or by the nearest of a few samples far apart in it."""
    if isinstance(prior, Labels):
        return prior.codes
    everyone, centers = np.arange(prior.n_samples), [0]
    nearest = prior.block(np.array([0]), everyone)[0]
    while len(centers) < STRATA:
        centers.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, prior.block(np.array(centers[-1:]), everyone)[0])
    return prior.block(np.array(centers), everyone).argmin(axis=0)
