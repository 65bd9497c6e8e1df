"""Measures of association between two columns, with their values under random permutations."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from unprior._random import as_generator
from unprior._typing import Floats, Indices
from unprior.geometry import SampleDistances, draw_landmarks, power_of_two
from unprior.priors._label_sets import bias_corrected_v

#: Number of random permutations, and the quantile of their values reported as ``chance_high``.
PERMUTATIONS, HIGH = 200, 0.95

#: Samples used for the distance correlation, which takes all pairs of them.
MOST_SAMPLES = 1000

#: Names of the measures in sentences and tables.
ASSOCIATIONS = {
    "cramers_v": "Cramér's V",
    "correlation_ratio": "correlation ratio",
    "distance_correlation": "distance correlation",
}


class Association(NamedTuple):
    """A measure, its value, and the mean and 95 % quantile of its values by chance."""

    measure: str
    value: float
    chance: float
    chance_high: float


def cramers_v(first: Indices, second: Indices, random_state: object = 0) -> Association:
    """Return the bias-corrected Cramér's V of two label sets (Bergsma 2013)."""
    shape = int(first.max()) + 1, int(second.max()) + 1

    def value(order: Indices) -> float:
        joint = first[order] * shape[1] + second
        counts = np.bincount(joint, minlength=shape[0] * shape[1]).reshape(shape)
        return bias_corrected_v(counts)

    return _against_chance("cramers_v", value, len(first), random_state)


def correlation_ratio(values: Floats, codes: Indices, random_state: object = 0) -> Association:
    """Return the correlation ratio: the root of the variance that class means explain."""
    counts = np.maximum(np.bincount(codes), 1)
    centered = values - values.mean()
    centered = centered / power_of_two(centered)  # squares neither overflow nor vanish
    total = float(centered @ centered)

    def value(order: Indices) -> float:
        sums = np.bincount(codes, weights=centered[order])
        return float(np.sqrt(min(1.0, (sums**2 / counts).sum() / total))) if total else 0.0

    return _against_chance("correlation_ratio", value, len(values), random_state)


def distance_correlation(
    first: SampleDistances, second: SampleDistances, random_state: object = 0
) -> Association:
    """Return the distance correlation, computed on at most 1000 samples."""
    rows = draw_landmarks(first.n_samples, MOST_SAMPLES)
    A, B = (_centered(each.block(rows, rows)) for each in (first, second))
    norm = float(np.sqrt(np.square(A).sum() * np.square(B).sum()))

    def value(order: Indices) -> float:
        common = float((A[np.ix_(order, order)] * B).sum())
        return float(np.sqrt(max(0.0, common / norm))) if norm else 0.0

    return _against_chance("distance_correlation", value, len(rows), random_state)


def _centered(D: Floats) -> Floats:
    D = np.asarray(D, dtype=np.float64) / power_of_two(D)
    return D - D.mean(axis=0) - D.mean(axis=1, keepdims=True) + D.mean()


def _against_chance(
    measure: str, value: Callable[[Indices], float], n: int, random_state: object
) -> Association:
    """Return the value, with its mean and high quantile when one column is permuted."""
    rng = as_generator(random_state)
    permuted = [value(rng.permutation(n)) for _ in range(PERMUTATIONS)]
    high = float(np.quantile(permuted, HIGH))
    return Association(measure, value(np.arange(n)), float(np.mean(permuted)), high)
