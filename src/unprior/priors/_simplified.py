"""Priors simplified for optimisation: without outliers, and quick to compute for single pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar, cast

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import SampleDistances, draw_landmarks, principal_coordinates
from unprior.priors import Features, features
from unprior.priors._base import Prior

D = TypeVar("D", bound=SampleDistances)

#: Distances are capped at TIMES × the USUAL quantile of all pairs.
TIMES, USUAL = 3.0, 0.95

#: Most samples used to estimate the quantile.
MOST_ROWS = 500

#: Slow distances are replaced by those of principal coordinates: as many as explain this fraction
#: of the variance, but at most this number.
COORDINATE_SHARE, MOST_COORDINATES = 0.95, 20


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
    """Cap the largest distances of a prior; priors of classes are returned unchanged.

    What a map shows of a prior is measured by mean distances, which a single outlier, such as a
    code for a missing value, would dominate.

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
    # If nearly all samples are equal, the few that differ carry all information.
    return Capped(prior, TIMES * usual) if usual > 0 else prior


def quick_pairs(distances: D) -> D | Features:
    """Return the distances, replaced by those of a few principal coordinates if pairs are slow.

    Shortest paths and metrics given as functions are too slow to compute at every iteration.

    Examples
    --------
    >>> from unprior.priors import labels
    >>> prior = labels(["a", "b", "a"])
    >>> quick_pairs(prior) is prior
    True
    """
    if not distances.slow_pairs:
        return distances
    coordinates = principal_coordinates(distances, share=COORDINATE_SHARE, most=MOST_COORDINATES)
    return cast("Features", features(coordinates))
