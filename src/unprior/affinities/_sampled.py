"""Affinities for sampled pairs: a bandwidth for each sample, and strata to draw partners from.

Bandwidths are estimated on random subsets of the other samples. An estimate of a sum over pairs is
best if draws hit the pairs that matter, which for the data's attraction are those with a high
affinity. So samples are grouped into strata around landmarks, and a sample draws more from strata
with a high mean affinity to its own. Weights make the sums over draws unbiased, whatever the
strata.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import Curve, SampleDistances

#: Largest number of distances held at a time (64 MB).
BLOCK_ENTRIES = 8_000_000

#: Effective number of neighbours in the random subset, and the smallest size of the subset. With a
#: thousand samples, errors of the bandwidths changed maps.
EFFECTIVE, LEAST = 100, 5000

#: Largest number of strata; a hundredth of the samples still spans several of them.
N_STRATA = 256

#: Fraction of the draws that are uniform over all samples, so that no weight exceeds ten times the
#: uniform one.
UNIFORM = 0.1

#: Largest number of distances to landmarks held at a time (32 MB).
LANDMARK_ENTRIES = 4_000_000


@dataclass(frozen=True)
class Bandwidths:
    """Parameters of p_{j|i} = exp(−precision_i (d² − nearest_i)) / total_i.

    Attributes
    ----------
    precision : ndarray of shape (n_samples,)
        1 / 2σ².
    nearest : ndarray of shape (n_samples,)
        The smallest squared distance in the subset.
    total : ndarray of shape (n_samples,)
        The sum over all other samples, extrapolated from the subset.
    """

    precision: Floats
    nearest: Floats
    total: Floats

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """All three arrays, in the order of the arguments of compiled loops."""
        return self.precision, self.nearest, self.total

    def scaled(self, factor: float) -> Bandwidths:
        """Return the bandwidths that give affinities multiplied by a factor."""
        return replace(self, total=self.total / factor)


def n_columns(n_samples: int, perplexity: float) -> int:
    """Return the number of columns that represent a neighbourhood of this perplexity."""
    return int(min(n_samples, max(LEAST, EFFECTIVE * n_samples / perplexity)))


def estimate_bandwidths(
    distances: SampleDistances, perplexity: float, rng: np.random.RandomState
) -> Bandwidths:
    """Estimate bandwidths on a random subset of samples, drawn anew for each block of rows."""
    from unprior.kernels._perplexity import find_bandwidths

    n = distances.n_samples
    m = n_columns(n, perplexity)
    step = max(1, BLOCK_ENTRIES // m)
    found = np.empty((3, n))
    for start in range(0, n, step):
        rows = np.arange(start, min(n, start + step))
        columns = np.arange(n) if m == n else np.sort(_choose(n, m, rng))
        squared = squared_block(distances, rows, columns)
        squared[rows[:, None] == columns] = np.inf
        found[:, rows] = find_bandwidths(squared, np.log(perplexity * (m / n)))
        found[2, rows] /= m / n
    return Bandwidths(*found)


def squared_block(distances: SampleDistances, rows: Indices, columns: Indices) -> Floats:
    """Return squared distances, by matrix products for points: fast, and precise enough here."""
    points = distances.points()
    if points is None or points.curve is not Curve.LINE:
        return np.square(distances.block(rows, columns))
    a, b = points.values[rows], points.values[columns]
    middle = b.mean(axis=0)
    a, b = a - middle, b - middle
    squared = a @ b.T
    squared *= -2
    squared += np.einsum("ij,ij->i", a, a)[:, None]
    squared += np.einsum("ij,ij->i", b, b)
    np.maximum(squared, 0, out=squared)
    return squared.astype(np.float64, copy=False)


def _choose(n: int, m: int, rng: np.random.RandomState) -> Indices:
    """Draw m distinct samples without permuting all n."""
    drawn = np.unique(rng.randint(n, size=int(1.2 * m) + 10))
    while len(drawn) < m:
        drawn = np.unique(np.append(drawn, rng.randint(n, size=m)))
    return drawn if len(drawn) == m else drawn[np.sort(rng.permutation(len(drawn))[:m])]


@dataclass(frozen=True)
class Strata:
    """A partition of the samples, with the density at which strata draw from each other.

    Attributes
    ----------
    of_sample : ndarray of shape (n_samples,)
        The stratum of each sample.
    density : ndarray of shape (n_strata, n_strata)
        Relative probability that a sample of stratum a draws a given sample of stratum b.
    order : ndarray of shape (n_samples,)
        The samples, stratum by stratum.
    first : ndarray of shape (n_strata + 1,)
        Where each stratum begins in ``order``.
    """

    of_sample: Indices
    density: Floats
    order: Indices
    first: Indices

    @property
    def sizes(self) -> Indices:
        """Number of samples in each stratum."""
        return np.diff(self.first)


def affinity_strata(
    distances: SampleDistances, bandwidths: Bandwidths, rng: np.random.RandomState
) -> Strata:
    """Assign samples to the nearest of random landmarks; strata draw by their mean affinity."""
    n = distances.n_samples
    landmarks = np.sort(rng.permutation(n)[: min(N_STRATA, max(1, n // 4))])
    nearest = np.empty(n, dtype=np.intp)
    affinity = np.zeros((len(landmarks), len(landmarks)))
    step = max(1, LANDMARK_ENTRIES // len(landmarks))
    for start in range(0, n, step):
        rows = np.arange(start, min(n, start + step))
        squared = squared_block(distances, rows, landmarks)
        nearest[rows] = squared.argmin(axis=1)
        excess = np.maximum(squared - bandwidths.nearest[rows, None], 0)
        with np.errstate(over="ignore"):  # the affinity is 0
            conditional = np.exp(-bandwidths.precision[rows, None] * excess)
        conditional /= bandwidths.total[rows, None]
        np.add.at(affinity, nearest[rows], conditional)
    # Identical landmarks leave strata empty; these are dropped.
    used, of_sample = np.unique(nearest, return_inverse=True)
    sizes = np.bincount(of_sample)
    density = affinity[np.ix_(used, used)] / sizes[:, None]
    density = (density + density.T) / 2
    expected = (density * sizes).sum(axis=1, keepdims=True)
    density /= np.maximum(expected, np.finfo(float).tiny)
    density = (1 - UNIFORM) * density + UNIFORM / n
    order = np.argsort(of_sample, kind="stable").astype(np.int32)
    return Strata(of_sample, density, order, np.append(0, np.cumsum(sizes)))
