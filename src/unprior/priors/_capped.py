"""A prior -> the same prior with its largest distances capped.

What a map shows of a prior is measured by mean distances. One outlier, such as a code for a missing
value, would dominate them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import draw_landmarks
from unprior.priors._base import Prior

#: Distances are capped at TIMES the USUAL quantile of all pairs.
TIMES, USUAL = 3.0, 0.95

#: Samples that the quantile is estimated from.
MOST_ROWS = 500


@dataclass(frozen=True, eq=False, repr=False)
class Capped(Prior):
    """A prior whose distances are capped.

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
    """Cap distances that are far beyond the usual ones; a prior without any stays as it is.

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
    # If nearly all samples are the same, the few others are all the prior says.
    return Capped(prior, TIMES * usual) if usual > 0 else prior
