"""Prior -> strata: groups of samples that are similar in it, each of which gets its share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import numpy as np
from threadpoolctl import threadpool_limits

from unprior._typing import Floats, Indices
from unprior.geometry import Points, SampleDistances, StoredDistances, principal_coordinates
from unprior.priors import Keep

#: Largest number of strata of a prior. If labels have more classes, small ones are merged.
MOST_STRATA = 32

#: Strata of a prior without classes: this times the fourth root of the number of samples. That is
#: 8 for 1000 samples, 15 for 10 000, 22 for 50 000 and, the maximum, 32 for 200 000.
STRATA_BY_ROOT = 1.5

#: Largest number of samples for k-means, and of principal coordinates of priors without points.
LEARN_FROM, MOST_AXES = 20_000, 20

#: Largest number of coordinates read at a time.
READ_ENTRIES = 4_000_000

#: Rows -> the points of these samples.
PointsOf: TypeAlias = Callable[[slice | Indices], Floats]


@dataclass(frozen=True, eq=False)
class Strata:
    """A stratum for every sample, and the classes that share a stratum.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,), int32
        The stratum of every sample, numbered from 0; none is empty.
    classes : ndarray of shape (n_samples,), int32
        The class of every sample whose class shares a stratum with others, else -1. For samples of
        such a class, it counts as a separate group besides the other classes of the stratum.
    keep : Keep, optional
        Kept labels: the share of a stratum is then its share within the sample's kept class, or
        among all samples if the kept label is missing.
    """

    codes: Indices
    classes: Indices
    keep: Keep | None = None

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.codes)

    @property
    def count(self) -> int:
        """Number of strata."""
        return int(self.codes.max()) + 1

    def __getitem__(self, rows: Indices) -> Strata:
        """Return the strata of the samples in ``rows``, without renumbering."""
        keep = None if self.keep is None else self.keep[rows]
        return Strata(self.codes[rows], self.classes[rows], keep)

    def sizes(self) -> Indices:
        """Return the number of samples of every stratum."""
        return np.bincount(self.codes, minlength=self.count)

    def groups(self, i: Indices, j: Indices) -> Indices:
        """Return the group of j as seen from i: its stratum, or ``count`` for i's own class."""
        same_class = (self.classes[i] == self.classes[j]) & (self.classes[i] >= 0)
        return np.where(same_class, self.count, self.codes[j])

    def shares(self) -> Floats:
        """Return the share of every group among the others of each sample.

        Shape (n_samples, count + 1); the last column is the sample's own class, if it shares a
        stratum with others.
        """
        rows = np.arange(self.n_samples)
        others = np.zeros((self.n_samples, self.count + 1), dtype=np.float32)
        others[:, :-1] = self.sizes() if self.keep is None else self.sizes_kept()[self._kept()]
        others[rows, self.codes] -= 1
        same_class = self._others_of_class()
        others[rows, self.codes] -= same_class
        others[:, -1] = same_class
        if self.keep is None:
            return others / np.float32(self.n_samples - 1)
        return others / np.maximum(others.sum(axis=1, keepdims=True), np.float32(1))

    def sizes_kept(self) -> Indices:
        """Return the number of samples by kept class and stratum; the last row is the total."""
        sizes = np.zeros((1 if self.keep is None else self.keep.count + 1, self.count), np.intp)
        if self.keep is not None:
            labeled = self.keep.labeled
            np.add.at(sizes, (self.keep.codes[labeled], self.codes[labeled]), 1)
        sizes[-1] = self.sizes()
        return sizes

    def _kept(self) -> Indices:
        """Return the kept class of every sample; -1 (all samples) if missing or without others."""
        codes, counts = cast("Keep", self.keep).codes, cast("Keep", self.keep).counts
        return np.where(counts[codes] > 1, codes, -1)

    def _others_of_class(self) -> Indices:
        """Return the number of other samples of each sample's class, if that shares a stratum."""
        of_class = self.classes + 1
        if self.keep is not None:
            # Within the same kept class; samples without one are compared with all.
            kept = self._kept()
            joint = of_class.astype(np.int64) * (self.keep.count + 1) + kept + 1
            of_kept = np.unique(joint, return_inverse=True)[1].ravel()
            within = np.bincount(of_kept)[of_kept] - 1
            among_all = np.bincount(of_class)[of_class] - 1
            others = np.where(kept >= 0, within, among_all)
        else:
            others = np.bincount(of_class)[of_class] - 1
        others[self.classes < 0] = 0
        return others


def strata_of(prior: SampleDistances, keep: Keep | None = None) -> Strata:
    """Return the strata of a prior: its classes, or groups, more of them for more samples.

    Numbers are divided into bins of equal counts, other priors by k-means of their points.

    Examples
    --------
    >>> from unprior.priors import labels
    >>> strata_of(labels(["b", "a", "a", "b", "b"])).codes
    array([0, 1, 1, 0, 0], dtype=int32)
    """
    if prior.class_codes is not None:
        return replace(_of_classes(_by_first_sample(prior.class_codes)), keep=keep)
    n, points_of = prior.n_samples, _points_of(prior)
    count = min(MOST_STRATA, max(2, round(STRATA_BY_ROOT * n**0.25)))
    if points_of(slice(0, 1)).shape[1] == 1:
        codes = _bins(points_of(slice(0, n))[:, 0], count)
    else:
        codes = _clusters(points_of, n, count)
    return Strata(_numbered(codes), np.full(n, -1, dtype=np.int32), keep)


def _of_classes(codes: Indices) -> Strata:
    sizes = np.bincount(codes)
    if len(sizes) <= MOST_STRATA:
        return Strata(_numbered(codes), np.full(len(codes), -1, dtype=np.int32))
    # Classes of at least an equal share get a stratum each; the others share strata of that size.
    by_size = np.argsort(-sizes, kind="stable")
    n_whole = int((sizes * MOST_STRATA >= len(codes)).sum())
    stratum = np.empty(len(sizes), dtype=np.intp)
    stratum[by_size[:n_whole]] = np.arange(n_whole)
    small = by_size[n_whole:]
    n_shared = max(
        1, min(MOST_STRATA - n_whole, -(-int(sizes[small].sum()) * MOST_STRATA // len(codes)))
    )
    # Dealt out in descending order, back and forth, so that strata have about equal sizes.
    turn = np.arange(len(small)) % (2 * n_shared)
    stratum[small] = n_whole + np.minimum(turn, 2 * n_shared - 1 - turn)
    alone = np.ones(len(sizes), dtype=bool)
    alone[small] = False
    classes = np.where(alone[codes], -1, codes)
    return Strata(_numbered(stratum[codes]), classes.astype(np.int32))


def _by_first_sample(codes: Indices) -> Indices:
    """Number classes in the order of their first samples, so that their names do not matter."""
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes.ravel()]


def _numbered(codes: Indices) -> Indices:
    """Renumber the strata in use from 0."""
    return np.unique(codes, return_inverse=True)[1].ravel().astype(np.int32)


def _bins(values: Floats, count: int) -> Indices:
    """Divide numbers into bins of equal counts; equal numbers are in the same bin.

    That is the bin of their middle rank, so that two distinct numbers never fill a single bin.
    """
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(sizes) - sizes / 2
    return np.asarray((middle * count / len(values)).astype(np.intp)[group.ravel()])


def _clusters(points_of: PointsOf, n: int, count: int) -> Indices:
    """Divide points into clusters, by k-means of a random subset."""
    from sklearn.cluster import MiniBatchKMeans

    rng = np.random.default_rng(0)
    subset = points_of(rng.choice(n, min(n, LEARN_FROM), replace=False))
    mean = subset.mean(axis=0, dtype=np.float64)  # far from zero, k-means would lose digits
    count = min(count, len(np.unique(subset, axis=0)))
    means = MiniBatchKMeans(count, n_init=1, batch_size=4096, max_iter=20, random_state=0)
    step = max(1, READ_ENTRIES // subset.shape[1])
    with threadpool_limits(1):  # the number of threads could change the last bits
        means.fit(subset - mean)
        found = [means.predict(points_of(slice(at, at + step)) - mean) for at in range(0, n, step)]
    return np.concatenate(found)


def _points_of(prior: SampleDistances) -> PointsOf:
    """Return access to points whose distances are, at least nearly, the prior's."""
    if isinstance(prior, StoredDistances) and prior[:1].points() is not None:
        return lambda rows: cast("Points", prior[rows].points()).values
    points = prior.points()
    if points is not None:
        return points.values.__getitem__
    coordinates = principal_coordinates(prior, most=MOST_AXES)
    if not coordinates.shape[1]:
        # All landmarks are identical; other samples differ from the first one.
        coordinates = prior.block(np.arange(prior.n_samples), np.arange(1))
    return coordinates.__getitem__
