"""Prior -> strata: groups of samples that are about alike in it, each of which gets its share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import numpy as np
from threadpoolctl import threadpool_limits

from unprior._typing import Floats, Indices
from unprior.geometry import Points, SampleDistances, StoredDistances, principal_coordinates
from unprior.priors import Labels
from unprior.priors._keep import Keep

#: Most strata of a prior. Of labels with more classes, small ones are put together.
MOST_STRATA = 32

#: Strata of a prior without classes: this times the fourth root of the number of samples. That is
#: 8 for 1000 samples, 15 for 10 000, 22 for 50 000 and, as there are no more, 32 for 200 000.
STRATA_BY_ROOT = 1.5

#: Samples that k-means learns strata from, and axes of distances that are not those of points.
LEARN_FROM, MOST_AXES = 20_000, 20

#: Coordinates that are read at a time.
READ_ENTRIES = 4_000_000

#: Tells points of some samples.
Place: TypeAlias = Callable[[slice | Indices], Floats]


@dataclass(frozen=True, eq=False)
class Strata:
    """A stratum for every sample, and the classes that have none of their own.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,), int32
        The stratum of every sample, from 0 on; none is empty.
    classes : ndarray of shape (n_samples,), int32
        The class of every sample that shares its stratum with other classes, else -1. To each of
        its members such a class is a stratum of its own, beside the rest of the shared one.
    keep : Keep, optional
        Kept labels: the share of a stratum is then that within the sample's kept class, and among
        all samples where its kept label is missing.
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
        """Return the strata of some samples, under the same numbers."""
        keep = None if self.keep is None else self.keep[rows]
        return Strata(self.codes[rows], self.classes[rows], keep)

    def sizes(self) -> Indices:
        """Return the number of samples of every stratum."""
        return np.bincount(self.codes, minlength=self.count)

    def groups(self, i: Indices, j: Indices) -> Indices:
        """Return the stratum that each j is of in the eyes of i; ``count`` is i's own class."""
        own = (self.classes[i] == self.classes[j]) & (self.classes[i] >= 0)
        return np.where(own, self.count, self.codes[j])

    def shares(self) -> Floats:
        """Return the share of every group among the others of each sample.

        Shape (n_samples, count + 1); the last column is the sample's own class, if it shares a
        stratum with others.
        """
        everyone = np.arange(self.n_samples)
        others = np.zeros((self.n_samples, self.count + 1), dtype=np.float32)
        others[:, :-1] = self.sizes() if self.keep is None else self.sizes_kept()[self._kept()]
        others[everyone, self.codes] -= 1
        mates = self._mates()
        others[everyone, self.codes] -= mates
        others[:, -1] = mates
        if self.keep is None:
            return others / np.float32(self.n_samples - 1)
        return others / np.maximum(others.sum(axis=1, keepdims=True), np.float32(1))

    def sizes_kept(self) -> Indices:
        """Return the number of samples of every stratum in each kept class; the last row is all."""
        sizes = np.zeros((1 if self.keep is None else self.keep.count + 1, self.count), np.intp)
        if self.keep is not None:
            labeled = self.keep.labeled
            np.add.at(sizes, (self.keep.codes[labeled], self.codes[labeled]), 1)
        sizes[-1] = self.sizes()
        return sizes

    def _kept(self) -> Indices:
        """Return the kept class of every sample; -1, for all, where nobody else has it, too."""
        codes, counts = cast("Keep", self.keep).codes, cast("Keep", self.keep).counts
        return np.where(counts[codes] > 1, codes, -1)

    def _mates(self) -> Indices:
        """Return how many others there are of every sample's class, if that shares a stratum."""
        of_class = self.classes + 1
        if self.keep is not None:
            # Those of the same kept class; those without one are compared with all.
            kept = self._kept()
            joint = of_class.astype(np.int64) * (self.keep.count + 1) + kept + 1
            of_kept = np.unique(joint, return_inverse=True)[1].ravel()
            within = np.bincount(of_kept)[of_kept] - 1
            everyone = np.bincount(of_class)[of_class] - 1
            mates = np.where(kept >= 0, within, everyone)
        else:
            mates = np.bincount(of_class)[of_class] - 1
        mates[self.classes < 0] = 0
        return mates


def strata_of(prior: SampleDistances, keep: Keep | None = None) -> Strata:
    """Return the strata of a prior: its classes, or as many groups as the number of samples allows.

    Numbers are cut into bins of equal counts, other priors by k-means of their points.

    Examples
    --------
    >>> from unprior.priors import labels
    >>> strata_of(labels(["b", "a", "a", "b", "b"])).codes
    array([1, 0, 0, 1, 1], dtype=int32)
    """
    if isinstance(prior, Labels):
        return replace(_of_classes(prior.codes), keep=keep)
    n, place = prior.n_samples, _place(prior)
    count = min(MOST_STRATA, max(2, round(STRATA_BY_ROOT * n**0.25)))
    if place(slice(0, 1)).shape[1] == 1:
        codes = _bins(place(slice(0, n))[:, 0], count)
    else:
        codes = _clusters(place, n, count)
    return Strata(_numbered(codes), np.full(n, -1, dtype=np.int32), keep)


def _of_classes(codes: Indices) -> Strata:
    sizes = np.bincount(codes)
    if len(sizes) <= MOST_STRATA:
        return Strata(_numbered(codes), np.full(len(codes), -1, dtype=np.int32))
    # Classes of an equal share or more stay whole; the others fill strata of about that share.
    by_size = np.argsort(-sizes, kind="stable")
    n_whole = int((sizes * MOST_STRATA >= len(codes)).sum())
    stratum = np.empty(len(sizes), dtype=np.intp)
    stratum[by_size[:n_whole]] = np.arange(n_whole)
    small = by_size[n_whole:]
    n_shared = max(
        1, min(MOST_STRATA - n_whole, -(-int(sizes[small].sum()) * MOST_STRATA // len(codes)))
    )
    # From large to small and back again, so that all get about the same number.
    turn = np.arange(len(small)) % (2 * n_shared)
    stratum[small] = n_whole + np.minimum(turn, 2 * n_shared - 1 - turn)
    alone = np.ones(len(sizes), dtype=bool)
    alone[small] = False
    classes = np.where(alone[codes], -1, codes)
    return Strata(_numbered(stratum[codes]), classes.astype(np.int32))


def _numbered(codes: Indices) -> Indices:
    """Number the strata that there are."""
    return np.unique(codes, return_inverse=True)[1].ravel().astype(np.int32)


def _bins(values: Floats, count: int) -> Indices:
    """Cut numbers into bins with equal counts; equal numbers stay together.

    They go where the middle of them belongs, so that two different numbers are never all in one.
    """
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(sizes) - sizes / 2
    return np.asarray((middle * count / len(values)).astype(np.intp)[group.ravel()])


def _clusters(place: Place, n: int, count: int) -> Indices:
    """Cut points into groups that are near each other, by k-means learnt from some of them."""
    from sklearn.cluster import MiniBatchKMeans

    rng = np.random.default_rng(0)
    some = place(rng.choice(n, min(n, LEARN_FROM), replace=False))
    middle = some.mean(axis=0, dtype=np.float64)  # far from zero, k-means would lose digits
    count = min(count, len(np.unique(some, axis=0)))
    means = MiniBatchKMeans(count, n_init=1, batch_size=4096, max_iter=20, random_state=0)
    step = max(1, READ_ENTRIES // some.shape[1])
    with threadpool_limits(1):  # their number could change the last bits
        means.fit(some - middle)
        found = [means.predict(place(slice(at, at + step)) - middle) for at in range(0, n, step)]
    return np.concatenate(found)


def _place(prior: SampleDistances) -> Place:
    """Points whose distances are the prior's, or nearly; stored ones stay where they are."""
    if isinstance(prior, StoredDistances) and prior[:1].points() is not None:
        return lambda rows: cast("Points", prior[rows].points()).values
    points = prior.points()
    if points is not None:
        return points.values.__getitem__
    placed = principal_coordinates(prior, most=MOST_AXES)
    if not placed.shape[1]:
        # No landmark differs from the others: whoever does is away from the first.
        placed = prior.block(np.arange(prior.n_samples), np.arange(1))
    return placed.__getitem__
