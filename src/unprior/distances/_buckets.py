"""Data and priors -> buckets of samples that are alike in both.

Neighbours under ⊖ are close in the data and far apart in the prior: no neighbours of neighbours,
but most of them in few buckets, if a bucket is small in the data and in the prior alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.distances._factored import FactoredDistances
from unprior.distances._sample_cells import coordinates, cross_labels, cross_places, cut
from unprior.priors import Labels

#: Samples of a bucket, about.
SIZE = 400

#: Samples that stand for a bucket when it is to be found.
N_MEMBERS = 32

#: Most cells that priors which are no labels are cut into.
PRIOR_CELLS = 64

#: Most groups of buckets: the smallest cells beyond are one.
MOST_GROUPS = 64


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
    groups : ndarray of shape (n_buckets,)
        The group of each bucket: samples of a group are alike in the priors.
    """

    order: Indices
    starts: Indices
    middles: Indices
    members: Indices
    groups: Indices

    @property
    def sizes(self) -> Indices:
        """Samples of each bucket."""
        return np.diff(self.starts)

    @property
    def group_sizes(self) -> Indices:
        """Samples of each group."""
        return np.bincount(np.repeat(self.groups, self.sizes))

    @property
    def slices(self) -> list[slice]:
        """The places of each bucket."""
        return [slice(int(a), int(b)) for a, b in zip(self.starts, self.starts[1:], strict=False)]


def make_buckets(factored: FactoredDistances) -> Buckets:
    """Cut samples into cells of the priors, and each of these into buckets of the data."""
    data = coordinates(factored.data)
    cells = _prior_cells(factored)
    parts: list[Indices] = []
    groups: list[int] = []
    for cell, group in enumerate(_group_cells(np.bincount(cells))):
        here = np.flatnonzero(cells == cell)
        parts += [here[part] for part in cut(data[here], -(-len(here) // SIZE))]
        groups += [group] * (len(parts) - len(groups))
    rng = np.random.default_rng(0)
    return Buckets(
        np.concatenate(parts),
        np.r_[0, np.cumsum([len(part) for part in parts])],
        np.array([part[_middle(data[part])] for part in parts]),
        np.array([np.resize(rng.permutation(part), N_MEMBERS) for part in parts]),
        np.array(groups),
    )


def _prior_cells(factored: FactoredDistances) -> Indices:
    """Cell of each sample: its classes, and where it is in the other priors."""
    n, priors = factored.n_samples, [*factored.priors.values()]
    cells: Indices = np.zeros(n, dtype=np.intp)
    for labels in (prior for prior in priors if isinstance(prior, Labels)):
        crossed = cross_labels(cells, labels)
        # Cells smaller than a bucket would make buckets of next to nothing.
        if (crossed.max() + 1) * SIZE <= n:
            cells = crossed
    count = int(np.clip(n / SIZE / (cells.max() + 1) / 4, 1, PRIOR_CELLS))
    return cross_places(cells, priors, count)


def _group_cells(sizes: Indices) -> Indices:
    """Group of each cell: itself, the largest first, and one for all beyond the most groups."""
    groups = np.empty(len(sizes), dtype=np.intp)
    groups[np.argsort(-sizes, kind="stable")] = np.minimum(np.arange(len(sizes)), MOST_GROUPS - 1)
    return groups


def _middle(points: Floats) -> int:
    """Place of the point nearest to the mean."""
    gaps = points - points.mean(axis=0)
    return int(np.einsum("ij,ij->i", gaps, gaps).argmin())
