"""Prior -> one whose pairs are quick to compute, for loops that ask for them again and again."""

from __future__ import annotations

from unprior.distances._principal import principal_coordinates
from unprior.priors import Combined, Features, Graph, Prior, features
from unprior.priors._pairs import FORMULAS

#: Slow priors are replaced by so many coordinates at most, which hold this share of their variance.
COORDINATE_SHARE, MOST_COORDINATES = 0.95, 20


def quick_pairs(prior: Prior) -> Prior:
    """Return a prior whose pairs are quick: itself, or coordinates found by landmarks.

    Shortest paths, and metrics without a formula, are too slow to be computed at every step.

    Examples
    --------
    >>> from unprior.priors import labels
    >>> prior = labels(["a", "b", "a"])
    >>> quick_pairs(prior) is prior
    True
    """
    if not _is_slow(prior):
        return prior
    return features(principal_coordinates(prior, share=COORDINATE_SHARE, most=MOST_COORDINATES))


def _is_slow(prior: Prior) -> bool:
    if isinstance(prior, Combined):
        return any(_is_slow(part) for part in prior.parts.values())
    if isinstance(prior, Features):
        measure = prior.row_metric.measure
        return not isinstance(measure, str) or measure not in FORMULAS
    return isinstance(prior, Graph)
