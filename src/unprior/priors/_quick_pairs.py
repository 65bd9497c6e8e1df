"""Distances -> ones whose pairs are quick to compute, for loops that need them at every step."""

from __future__ import annotations

from typing import TypeVar, cast

from unprior.geometry import SampleDistances, principal_coordinates
from unprior.priors import Features, features

D = TypeVar("D", bound=SampleDistances)

#: Slow distances are replaced by those of principal coordinates: this share of the variance, and
#: at most so many.
COORDINATE_SHARE, MOST_COORDINATES = 0.95, 20


def quick_pairs(distances: D) -> D | Features:
    """Return distances whose pairs are quick: these, or those of a few coordinates.

    Shortest paths, and metrics without a formula, are too slow to be computed at every step.

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
    return cast(Features, features(coordinates))
