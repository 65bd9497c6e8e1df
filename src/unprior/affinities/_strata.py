"""Samples -> strata of similar samples, and how likely neighbours are to come from each of them.

An estimate of a sum over pairs is as good as its draws hit the pairs that matter, and to the data's
attraction a pair matters by its affinity. Samples are sorted into strata around landmarks; a sample
draws more from strata to which its own has a high mean affinity. Weights undo the preference, so
that sums over draws are sums over all pairs, on average and whatever the strata.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities._bandwidths import Bandwidths, squared_block
from unprior.geometry import SampleDistances

#: Most strata; neighbourhoods of a hundredth of the samples still span some of them.
N_STRATA = 256

#: Share of the draws that go to all samples alike, so that no weight exceeds ten times theirs.
UNIFORM = 0.1

#: Distances to landmarks that are held at a time (32 MB).
BLOCK_ENTRIES = 4_000_000


@dataclass(frozen=True)
class Strata:
    """A partition of the samples, and how densely each part draws from each other.

    Attributes
    ----------
    of_sample : ndarray of shape (n_samples,)
        The stratum of every sample.
    density : ndarray of shape (n_strata, n_strata)
        Relative probability that a sample of stratum a draws any one sample of stratum b.
    members : ndarray of shape (n_samples,)
        The samples, stratum by stratum.
    first : ndarray of shape (n_strata + 1,)
        Where in ``members`` each stratum begins.
    """

    of_sample: Indices
    density: Floats
    members: Indices
    first: Indices

    @property
    def sizes(self) -> Indices:
        """Samples in each stratum."""
        return np.diff(self.first)


def affinity_strata(
    distances: SampleDistances, bandwidths: Bandwidths, rng: np.random.RandomState
) -> Strata:
    """Sort samples to the nearest of random landmarks; strata draw by their mean affinities."""
    n = distances.n_samples
    landmarks = np.sort(rng.permutation(n)[: min(N_STRATA, max(1, n // 4))])
    nearest = np.empty(n, dtype=np.intp)
    affinity = np.zeros((len(landmarks), len(landmarks)))
    step = max(1, BLOCK_ENTRIES // len(landmarks))
    for start in range(0, n, step):
        rows = np.arange(start, min(n, start + step))
        squared = squared_block(distances, rows, landmarks)
        nearest[rows] = squared.argmin(axis=1)
        excess = np.maximum(squared - bandwidths.nearest[rows, None], 0)
        with np.errstate(over="ignore"):  # so far away that the affinity is 0
            conditional = np.exp(-bandwidths.precision[rows, None] * excess)
        conditional /= bandwidths.total[rows, None]
        np.add.at(affinity, nearest[rows], conditional)
    # Landmarks that coincide leave strata empty, which are left out.
    used, of_sample = np.unique(nearest, return_inverse=True)
    sizes = np.bincount(of_sample)
    density = affinity[np.ix_(used, used)] / sizes[:, None]
    density = (density + density.T) / 2
    expected = (density * sizes).sum(axis=1, keepdims=True)
    density /= np.maximum(expected, np.finfo(float).tiny)
    density = (1 - UNIFORM) * density + UNIFORM / n
    members = np.argsort(of_sample, kind="stable").astype(np.int32)
    return Strata(of_sample, density, members, np.append(0, np.cumsum(sizes)))
