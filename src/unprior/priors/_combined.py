"""Several priors as one: a weighted sum of their distances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unprior._typing import Floats, Indices
from unprior.priors._base import Prior

#: Most samples used to estimate the mean distance of a part.
MEAN_SAMPLES = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Combined(Prior):
    """Several priors as one: d = Σ_k w_k d_k / m_k, with m_k the mean distance of part k.

    Attributes
    ----------
    parts : dict of str to Prior
        The priors by name.
    weights : ndarray of shape (n_parts,)
        Their weights w_k, which sum to one.
    scales : ndarray of shape (n_parts,)
        Their mean distances m_k over all samples the prior was made from.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.combine([["a", "a", "b"], [1.0, 2.0, 3.0]]).scales.round(2)
    array([0.67, 1.33])
    """

    kind: ClassVar[str] = "combined"

    parts: Mapping[str, Prior]
    weights: Floats
    scales: Floats

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return next(iter(self.parts.values())).n_samples

    @property
    def slow_pairs(self) -> bool:
        """Whether distances of single pairs are too slow to compute at every iteration."""
        return any(part.slow_pairs for part in self.parts.values())

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        return self._sum([part.block(rows, cols) for part in self.parts.values()])

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        return self._sum([part.pairs(i, j) for part in self.parts.values()])

    def _sum(self, distances: list[Floats]) -> Floats:
        factors = self.weights / self.scales
        total = factors[0] * distances[0]
        for factor, more in zip(factors[1:], distances[1:], strict=True):
            total += factor * more
        return total

    def _take(self, rows: Indices) -> Combined:
        return replace(self, parts={name: part[rows] for name, part in self.parts.items()})


class Several(Combined):
    """Several priors that are kept separate: methods that can treat each by itself do so.

    Examples
    --------
    >>> from unprior import priors
    >>> [*priors.as_prior([["a", "a", "b"], [1.0, 2.0, 3.0]]).parts]
    ['prior 1', 'prior 2']
    """

    kind: ClassVar[str] = "several"


def join(
    who: str,
    parts: Mapping[str, Prior],
    weights: Floats | None = None,
    *,
    separate: bool = False,
    advice: str = "Leave it out.",
) -> Combined:
    """Combine priors of the same samples, with equal weights by default.

    A constant prior is refused with the given advice; ``separate`` makes them `Several`.
    """
    for name, part in parts.items():
        if part.is_constant():
            message = (
                f"{who}: {name!r} says nothing: all samples are equally far apart in it "
                f"({part.describe_constant()}). {advice}"
            )
            raise ValueError(message)
    if weights is None:
        weights = np.ones(len(parts))
    scales = np.array([_mean_distance(part) for part in parts.values()])
    return (Several if separate else Combined)(dict(parts), weights / weights.sum(), scales)


def _mean_distance(prior: Prior) -> float:
    """Return the mean distance over all pairs of samples, or of a fixed subset of samples."""
    n = prior.n_samples
    if n <= MEAN_SAMPLES:
        return float(prior.to_array().sum() / (n * (n - 1)))
    drawn = np.random.default_rng(0).choice(n, MEAN_SAMPLES, replace=False)
    # The subset may miss the few samples that differ from all others.
    return _mean_distance(prior[drawn]) or _mean_to(drawn[0], prior)


def _mean_to(one_of_most: int, prior: Prior) -> float:
    """Return the mean distance of two samples if nearly all are equal.

    Twice the mean distance to one of the equal samples, as either of a pair may be different.
    """
    everyone = np.arange(prior.n_samples)
    return 2 * float(prior.pairs(np.full_like(everyone, one_of_most), everyone).mean())
