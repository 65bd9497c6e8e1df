"""Data and priors -> buckets of samples that are alike in both.

Neighbours under ⊖ are close in the data and far apart in the prior: no neighbours of neighbours,
but most of them in few buckets, if a bucket is small in the data and in the prior alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from unprior._typing import Floats, Indices
from unprior.distances._factored import FactoredDistances
from unprior.distances._principal import principal_coordinates
from unprior.priors import Labels, Prior
from unprior.priors._points import points_of

#: Samples of a bucket, about.
SIZE = 400

#: Samples that stand for a bucket when it is to be found.
N_MEMBERS = 32

#: Most cells that priors which are no labels are cut into, and samples that cells are learnt from.
PRIOR_CELLS, LEARN_FROM = 64, 20_000

#: Most axes along which distances that are not those of points are cut.
MOST_AXES = 20


@dataclass(frozen=True, eq=False)
class Buckets:
    """Samples, bucket by bucket.

    Attributes
    ----------
    order : ndarray of shape (n_samples,)
        All samples, those of a bucket one after another.
    starts : ndarray of shape (n_buckets + 1,)
        Where each bucket starts in the order, and where the last one ends.
    middles : ndarray of shape (n_buckets,)
        The sample in the middle of each bucket.
    members : ndarray of shape (n_buckets, n_members)
        Some samples of each bucket, which stand for all; few ones are there repeatedly.
    """

    order: Indices
    starts: Indices
    middles: Indices
    members: Indices

    @property
    def slices(self) -> list[slice]:
        """The places of each bucket."""
        return [slice(int(a), int(b)) for a, b in zip(self.starts, self.starts[1:], strict=False)]


def make_buckets(factored: FactoredDistances) -> Buckets:
    """Cut samples into cells of the priors, and each of these into buckets of the data."""
    data = coordinates(factored.data)
    cells = _prior_cells(factored)
    parts = []
    for cell in range(cells.max() + 1):
        here = np.flatnonzero(cells == cell)
        parts += [here[part] for part in _cut(data[here], -(-len(here) // SIZE))]
    rng = np.random.default_rng(0)
    return Buckets(
        np.concatenate(parts),
        np.r_[0, np.cumsum([len(part) for part in parts])],
        np.array([part[_middle(data[part])] for part in parts]),
        np.array([np.resize(rng.permutation(part), N_MEMBERS) for part in parts]),
    )


def coordinates(source: Prior) -> Floats:
    """Points whose distances are the source's, or nearly."""
    points = points_of(source)
    if points is not None:
        return points.values
    return principal_coordinates(source, most=MOST_AXES)


def _prior_cells(factored: FactoredDistances) -> Indices:
    """Cell of each sample: its class, and where it is in the other priors."""
    n, priors = factored.n_samples, factored.priors.values()
    cells = np.zeros(n, dtype=np.intp)
    for prior in priors:
        # Classes smaller than a bucket would make buckets of next to nothing.
        if isinstance(prior, Labels) and len(prior.classes) * SIZE <= n:
            cells = np.unique(cells * len(prior.classes) + prior.codes, return_inverse=True)[1]
    places = [coordinates(prior) for prior in priors if not isinstance(prior, Labels)]
    if places:
        spread = np.hstack([place / np.sqrt(place.var(axis=0).sum()) for place in places])
        count = int(np.clip(n / SIZE / (cells.max() + 1) / 4, 1, PRIOR_CELLS))
        for number, part in enumerate(_cut(spread, count)):
            cells[part] += number * n
        cells = np.unique(cells, return_inverse=True)[1]
    return cells


def _cut(points: Floats, n_parts: int) -> list[Indices]:
    """Cut points into parts that are near each other, by k-means learnt from some of them."""
    if n_parts == 1:
        return [np.arange(len(points))]
    from sklearn.cluster import MiniBatchKMeans

    rng = np.random.default_rng(0)
    some = rng.choice(len(points), min(len(points), LEARN_FROM), replace=False)
    means = MiniBatchKMeans(n_parts, n_init=1, batch_size=4096, max_iter=20, random_state=0)
    with threadpool_limits(1):  # their number could change the last bits
        numbers = means.fit(points[some]).predict(points)
    order = np.argsort(numbers, kind="stable")
    parts = np.split(order, np.searchsorted(numbers[order], np.arange(1, n_parts)))
    return [part for part in parts if len(part)]


def _middle(points: Floats) -> int:
    """Place of the point nearest to the mean."""
    gaps = points - points.mean(axis=0)
    return int(np.einsum("ij,ij->i", gaps, gaps).argmin())
