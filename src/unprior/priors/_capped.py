"""A prior -> the same with its largest distances cut, so that a few far samples do not rule means.

What a map shows of a prior is told by mean distances. One sample that is far from all others, such
as a code for a missing value, makes these so large that nothing else is seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import draw_landmarks
from unprior.priors._base import Prior

#: Distances are cut at so many times that which this share of all pairs has at most.
TIMES, USUAL = 3.0, 0.95

#: Samples whose distances tell what is usual.
MOST_ROWS = 500


@dataclass(frozen=True, eq=False, repr=False)
class Capped(Prior):
    """A prior whose distances are cut at a largest one.

    Attributes
    ----------
    prior : Prior
    cap : float
        The largest distance.
    """

    kind: ClassVar[str] = "capped"

    prior: Prior
    cap: float

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.prior.n_samples

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        return np.minimum(self.prior.block(rows, cols), self.cap)

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        return np.minimum(self.prior.pairs(i, j), self.cap)

    def _take(self, rows: Indices) -> Capped:
        return Capped(self.prior[rows], self.cap)


def cap_distances(prior: Prior) -> Prior:
    """Cut distances that are far beyond the usual ones; others stay as they are.

    Examples
    --------
    >>> from unprior.priors import features
    >>> prior = cap_distances(features([*range(100), 9999.0]))
    >>> float(prior.largest()) < 300, float(prior.pairs([3], [7])[0])
    (True, 4.0)
    """
    if prior.class_codes is not None:
        return prior
    rows = draw_landmarks(prior.n_samples, MOST_ROWS)
    among = prior.block(rows, rows)[np.triu_indices(len(rows), k=1)]
    usual = float(np.quantile(among, USUAL))
    # If nearly all are the same, those that are not are what there is to know.
    return Capped(prior, TIMES * usual) if usual > 0 else prior
