r"""Prior -> similarity of pairs of samples relative to chance.

.. math:: \tilde k_{ij} = k_{ij} - 1

with k the prior's similarity, scaled so that its mean over the partners j of each sample i is 1.
So k̃ has mean 0 over the partners of each sample, for classes of any sizes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import draw_landmarks
from unprior.priors import Prior

#: Largest number of strata of a prior without classes: their table fits into a core's cache.
MOST_STRATA = 512

#: The kernel's width: this quantile of the distances between random samples, estimated from this
#: many pairs.
WIDTH_QUANTILE, WIDTH_PAIRS = 0.1, 20_000

#: Smallest similarity of two samples, relative to the mean: without it, scaling would make a sample
#: far from all others similar to its nearest.
FLOOR = 0.05

#: Largest number of scaling rounds, and the error of the means at which they stop.
ROUNDS, PRECISION = 500, 1e-9

#: Largest number of distances to landmarks held at a time (32 MB).
BLOCK_ENTRIES = 4_000_000


@dataclass(frozen=True, eq=False)
class Similarity:
    """The similarity k̃ of all pairs of samples, in O(n) memory.

    k̃_ij = ``table[strata[i], strata[j]]``, plus ``same_class[classes[i]]`` if i and j have the same
    class. Labels need no table of their classes, of which there may be thousands.

    Attributes
    ----------
    strata : ndarray of shape (n_samples,), int32
        The stratum of each sample.
    table : ndarray of shape (n_strata, n_strata)
        k̃ between strata.
    classes : ndarray of shape (n_samples,), int32
        The class of each sample; all 0, with nothing added, if the prior has no classes.
    same_class : ndarray of shape (n_classes,)
        Added for two samples of the same class.
    """

    strata: Indices
    table: Floats
    classes: Indices
    same_class: Floats

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.strata)

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Return k̃ of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        shared = self.classes[i] == self.classes[j]
        return self.table[self.strata[i], self.strata[j]] + np.where(
            shared, self.same_class[self.classes[i]], 0.0
        )


def similarity_of(prior: Prior) -> Similarity:
    """Return the similarity of a prior: [same class] / share for labels, else a Gaussian kernel.

    Samples of a prior without classes are grouped into strata around landmarks, and a pair has the
    similarity of its strata; up to 512 samples each one is its own stratum.

    Examples
    --------
    >>> from unprior.priors import labels
    >>> similarity = similarity_of(labels(["a", "a", "a", "b", "b"]))
    >>> similarity.pairs([0, 0, 3], [1, 3, 4])
    array([ 1., -1.,  3.])
    """
    codes = prior.class_codes
    return _of_distances(prior) if codes is None else _of_classes(codes)


def _of_classes(codes: Indices) -> Similarity:
    """Return 1/π − 1 within a class and −1 between classes, with π = (n_c − 1) / (n − 1)."""
    counts = np.bincount(codes)
    alone = counts == 1
    n_others = int(counts[~alone].sum()) - 1
    same_class = np.where(alone, 0.0, n_others / np.maximum(counts - 1, 1))
    # A sample alone in its class has similarity 0 with all others.
    return Similarity(
        alone[codes].astype(np.int32),
        np.array([[-1.0, 0.0], [0.0, 0.0]]),
        codes.astype(np.int32),
        same_class,
    )


def _of_distances(prior: Prior) -> Similarity:
    strata, kernel = kernel_of_strata(prior, MOST_STRATA)
    return similarity_of_strata(strata, scale_kernel(kernel, np.bincount(strata))[0] - 1)


def similarity_of_strata(strata: Indices, table: Floats) -> Similarity:
    """Return the similarity given by a table of strata."""
    one_class = np.zeros(len(strata), dtype=np.int32)
    return Similarity(strata.astype(np.int32), table, one_class, np.zeros(1))


def kernel_of_strata(prior: Prior, most: int) -> tuple[Indices, Floats]:
    """Return the stratum of each sample, and a positive kernel of the strata, not yet scaled."""
    strata, landmarks = _nearest(prior, draw_landmarks(prior.n_samples, most))
    distances = np.asarray(prior.block(landmarks, landmarks), dtype=np.float64)
    kernel = np.exp(-np.square(distances / _width(prior)) / 2)
    counts = np.bincount(strata)
    mean = (counts @ kernel @ counts - counts @ kernel.diagonal()) / counts.sum() ** 2
    return strata, kernel + FLOOR * mean


def _nearest(prior: Prior, landmarks: Indices) -> tuple[Indices, Indices]:
    """Return the nearest landmark of each sample, and the landmarks that have samples."""
    n = prior.n_samples
    if len(landmarks) == n:
        return np.arange(n), landmarks
    samples, step = np.arange(n), max(1, BLOCK_ENTRIES // n)
    nearest, shortest = np.zeros(n, dtype=np.intp), np.full(n, np.inf)
    # Distances from a few landmarks to all samples: for a graph, one search per landmark.
    for start in range(0, len(landmarks), step):
        distances = prior.block(landmarks[start : start + step], samples)
        place = distances.argmin(axis=0)
        found = distances[place, samples]
        nearer = found < shortest
        nearest[nearer], shortest[nearer] = start + place[nearer], found[nearer]
    used, strata = np.unique(nearest, return_inverse=True)
    return strata, landmarks[used]


def _width(prior: Prior) -> float:
    """Return the kernel's width."""
    rng, n = np.random.default_rng(0), prior.n_samples
    rows = draw_landmarks(n, MOST_STRATA)
    i, j = rng.choice(rows, WIDTH_PAIRS), rng.integers(0, n, WIDTH_PAIRS)
    distances = prior.pairs(i[i != j], j[i != j])
    width = float(np.quantile(distances, WIDTH_QUANTILE))
    if width > 0:
        return width
    # More than a tenth of the pairs are identical; then only these are similar.
    positive = distances[distances > 0]
    return float(positive.min()) / 3 if len(positive) else 1.0


def scale_kernel(kernel: Floats, counts: Indices) -> tuple[Floats, Floats]:
    """Scale a kernel of strata, symmetrically, to mean 1 over the partners of each sample.

    Returns the kernel, and the factor of the row and column of each stratum.
    """
    scale = np.ones(len(kernel))
    own = kernel.diagonal()
    for _ in range(ROUNDS):
        # A sample is not its own partner.
        means = scale * (kernel @ (counts * scale) - own * scale) / (counts.sum() - 1)
        if np.abs(means - 1).max() < PRECISION:
            break
        scale /= np.sqrt(means)
    return kernel * scale * scale[:, None], scale
