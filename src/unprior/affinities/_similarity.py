r"""Prior -> how much more alike two samples are in it than two random ones, pair by pair.

.. math:: \tilde k_{ij} = k_{ij} - 1

with k the prior's similarity, scaled so that its mean over the partners j of every sample i is 1.
So k̃ has mean 0 over the partners of every sample, whatever the sizes of the classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import draw_landmarks
from unprior.priors import Labels, Prior

#: Most strata of a prior without classes: a table of their similarities fits into a core's cache.
MOST_STRATA = 512

#: The kernel's width: this quantile of the distances between two random samples.
WIDTH_QUANTILE = 0.1

#: Pairs that tell this quantile.
WIDTH_PAIRS = 20_000

#: Similarity of any two samples, relative to the mean: a sample far from all others is like nobody
#: in particular, and must not be forced to be like its nearest.
FLOOR = 0.05

#: Rounds that scale the similarities, and how near to 1 all means must be to stop earlier.
ROUNDS, PRECISION = 500, 1e-9

#: Distances to landmarks that are held at a time (32 MB of float64).
BLOCK_ENTRIES = 4_000_000


@dataclass(frozen=True, eq=False)
class Similarity:
    """The similarity k̃ of all pairs of samples, in O(n) memory.

    k̃_ij = ``table[strata[i], strata[j]]``, plus ``same_class[classes[i]]`` if i and j are of one
    class. Labels need no table of their classes, so that thousands of them cost nothing.

    Attributes
    ----------
    strata : ndarray of shape (n_samples,), int32
        The stratum of every sample.
    table : ndarray of shape (n_strata, n_strata)
        k̃ between strata.
    classes : ndarray of shape (n_samples,), int32
        The class of every sample; all 0, with nothing added, if the prior has no classes.
    same_class : ndarray of shape (n_classes,)
        What is added for two samples of one class.
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
    """Return the similarity of a prior: of labels [same class] / share, else a Gaussian kernel.

    Samples of a prior without classes are sorted into strata around landmarks, and a pair has the
    similarity of its strata; up to 512 samples every one is a stratum of its own.

    Examples
    --------
    >>> from unprior.priors import labels
    >>> similarity = similarity_of(labels(["a", "a", "a", "b", "b"]))
    >>> similarity.pairs([0, 0, 3], [1, 3, 4])
    array([ 1., -1.,  3.])
    """
    return _of_labels(prior) if isinstance(prior, Labels) else _of_distances(prior)


def _of_labels(prior: Labels) -> Similarity:
    """Return 1/π − 1 within a class and −1 between classes, with π = (n_c − 1) / (n − 1)."""
    counts = prior.counts
    alone = counts == 1
    n_others = int(counts[~alone].sum()) - 1
    same_class = np.where(alone, 0.0, n_others / np.maximum(counts - 1, 1))
    # Who is alone in a class is like nobody and unlike nobody.
    return Similarity(
        alone[prior.codes].astype(np.int32),
        np.array([[-1.0, 0.0], [0.0, 0.0]]),
        prior.codes.astype(np.int32),
        same_class,
    )


def _of_distances(prior: Prior) -> Similarity:
    strata, kernel = kernel_of_strata(prior, MOST_STRATA)
    return of_table(strata, scale_kernel(kernel, np.bincount(strata))[0] - 1)


def of_table(strata: Indices, table: Floats) -> Similarity:
    """Return the similarity that a table of strata tells."""
    nothing = np.zeros(len(strata), dtype=np.int32)
    return Similarity(strata.astype(np.int32), table, nothing, np.zeros(1))


def kernel_of_strata(prior: Prior, most: int) -> tuple[Indices, Floats]:
    """Return the stratum of every sample, and a positive kernel of the strata, not yet scaled."""
    strata, landmarks = _nearest(prior, draw_landmarks(prior.n_samples, most))
    distances = np.asarray(prior.block(landmarks, landmarks), dtype=np.float64)
    kernel = np.exp(-np.square(distances / _width(prior)) / 2)
    counts = np.bincount(strata)
    mean = (counts @ kernel @ counts - counts @ kernel.diagonal()) / counts.sum() ** 2
    return strata, kernel + FLOOR * mean


def _nearest(prior: Prior, landmarks: Indices) -> tuple[Indices, Indices]:
    """Return the nearest landmark of every sample, and the landmarks that are any's nearest."""
    n = prior.n_samples
    if len(landmarks) == n:
        return np.arange(n), landmarks
    everyone, step = np.arange(n), max(1, BLOCK_ENTRIES // n)
    nearest, shortest = np.zeros(n, dtype=np.intp), np.full(n, np.inf)
    # A few landmarks to all samples at a time: of a graph, that is one search a landmark.
    for start in range(0, len(landmarks), step):
        distances = prior.block(landmarks[start : start + step], everyone)
        place = distances.argmin(axis=0)
        found = distances[place, everyone]
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
    # More than a tenth of the pairs are identical; then only those are alike.
    positive = distances[distances > 0]
    return float(positive.min()) / 3 if len(positive) else 1.0


def scale_kernel(kernel: Floats, counts: Indices) -> tuple[Floats, Floats]:
    """Scale a kernel of strata, symmetrically, to mean 1 over the partners of every sample.

    Returns the kernel, and what the rows and columns of each stratum are multiplied by.
    """
    scale = np.ones(len(kernel))
    own = kernel.diagonal()
    for _ in range(ROUNDS):
        # A sample is no partner of its own.
        means = scale * (kernel @ (counts * scale) - own * scale) / (counts.sum() - 1)
        if np.abs(means - 1).max() < PRECISION:
            break
        scale /= np.sqrt(means)
    return kernel * scale * scale[:, None], scale
