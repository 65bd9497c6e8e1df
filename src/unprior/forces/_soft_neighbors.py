r"""The mean similarity of soft map neighbours in a prior, and its gradient.

.. math:: L = \sum_{ij} r_{ij} \tilde k_{ij}, \qquad r_{ij} = w_{ij}^2 / \sum w^2, \qquad
          w_{ij} = 1 / (1 + |y_i - y_j|^2 / s^2)

.. math:: \frac{\partial L}{\partial y_i} = -\frac{8}{s^2} \sum_j (\tilde k_{ij} - L)\, r_{ij}
          w_{ij} (y_i - y_j)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities import Similarity

#: Pairs beyond this many times the scale are ignored; their weight is below a hundredth of the
#: largest. This changes forces on a map of 50 000 samples by a tenth.
CUTOFF = 3.0

#: Boxes per cutoff along each axis: smaller boxes approximate the circle better.
BOXES = 2

#: Up to this many samples all pairs are summed.
ALL_PAIRS = 3000

#: Samples with more partners than about this many visit only a subset, so that dense regions of a
#: map take no longer than others. Their forces are noisy; if the mean exceeds this number, as in
#: maps that have not spread yet, forces are 0.
MOST_PARTNERS = 3000

#: Largest number of boxes per sample; maps with distant outliers get larger boxes.
MOST_BOXES = 4


@dataclass(frozen=True)
class NeighborSums:
    """How similar soft map neighbours are in a prior.

    Attributes
    ----------
    level : float
        L, the mean similarity of soft map neighbours; 0 is chance.
    gradient : ndarray of shape (n_samples, 3)
        The gradient of L.
    total : float
        Σ w² over ordered pairs; 0 if no pairs were summed.
    """

    level: float
    gradient: Floats
    total: float = 0.0


@dataclass(frozen=True, eq=False)
class SoftNeighbors:
    """A prior's similarity, prepared for sums over the soft neighbours of any map.

    Attributes
    ----------
    similarity : Similarity
        k̃, in single precision.
    shuffled : ndarray of shape (n_samples,)
        The samples in random order: where only some partners are visited, they are a random subset,
        whatever the order of the data.
    """

    similarity: Similarity
    shuffled: Indices

    @classmethod
    def of(cls, similarity: Similarity, rng: np.random.RandomState) -> SoftNeighbors:
        """Prepare the sums for a similarity."""
        single = replace(
            similarity,
            table=similarity.table.astype(np.float32),
            same_class=similarity.same_class.astype(np.float32),
        )
        return cls(single, rng.permutation(similarity.n_samples))

    def sums(self, Y: Floats, scale: float, *, all_pairs: bool | None = None) -> NeighborSums:
        """Sum over the pairs of a map.

        Parameters
        ----------
        Y : ndarray of shape (n_samples, 3)
            A map, unused columns zero.
        scale : float
            s, the distance at which w falls to one half.
        all_pairs : bool, optional
            Whether to sum over all pairs; by default up to 3000 samples.
        """
        from unprior.kernels._soft_neighbors import near_sums

        n = len(Y)
        places = (Y / scale).astype(np.float32)
        if n <= ALL_PAIRS if all_pairs is None else all_pairs:
            grid = Grid.of_one_box(n)
        else:
            grid = Grid.of(places, self.shuffled)
        if grid.mean_partners > MOST_PARTNERS:
            return NeighborSums(0.0, np.zeros((n, 3)))
        k = self.similarity
        sums = near_sums(
            places[grid.order],
            grid.box,
            grid.first,
            grid.shape,
            grid.span,
            grid.cutoff,
            grid.step,
            k.strata[grid.order],
            k.table,
            k.classes[grid.order],
            k.same_class,
        )
        similar, plain = (float(sums[:, column].sum(dtype=np.float64)) for column in (6, 7))
        if not plain > 0:  # no pair within the cutoff
            return NeighborSums(0.0, np.zeros((n, 3)))
        level, gradient = similar / plain, np.empty((n, 3))
        gradient[grid.order] = -8 / (plain * scale) * (sums[:, :3] - level * sums[:, 3:6])
        return NeighborSums(level, gradient, plain)


@dataclass(frozen=True, eq=False)
class Grid:
    """Samples sorted into boxes (a cell list), so that all within a cutoff are in boxes nearby.

    Attributes
    ----------
    order : ndarray of shape (n_samples,)
        The samples, box by box.
    box : ndarray of shape (n_samples,)
        The box of each sample, in that order.
    first : ndarray of shape (n_boxes + 1,)
        Where each box begins.
    shape : tuple of int
        Boxes along each axis.
    span : int
        Boxes to either side that a cutoff reaches.
    cutoff : float
        The cutoff, in the map's unit.
    step : ndarray of shape (n_boxes,)
        Samples of a box visit every ``step``-th partner.
    mean_partners : float
        Mean number of samples in the boxes nearby; 0 for a single box.
    """

    order: Indices
    box: Indices
    first: Indices
    shape: tuple[int, int, int]
    span: int
    cutoff: float
    step: Indices
    mean_partners: float = 0.0

    @classmethod
    def of_one_box(cls, n_samples: int) -> Grid:
        """Put all samples into a single box, without a cutoff."""
        order, first = np.arange(n_samples), np.array([0, n_samples])
        box, step = np.zeros(n_samples, dtype=np.int64), np.ones(1, dtype=np.int64)
        return cls(order, box, first, (1, 1, 1), 0, np.inf, step)

    @classmethod
    def of(cls, Y: Floats, visited: Indices) -> Grid:
        """Sort the samples of a map with three columns, within boxes in the order ``visited``."""
        from unprior.kernels._soft_neighbors import find_boxes, sort_boxes

        n = len(Y)
        low = np.array([column.min() for column in Y.T], dtype=np.float64)
        extent = np.array([column.max() for column in Y.T]) - low
        # The longest axis comes last: boxes along it are contiguous.
        axes = np.argsort(extent, kind="stable")
        low, extent, side = low[axes], extent[axes], CUTOFF / BOXES
        while np.prod(np.floor(extent / side) + 1) > MOST_BOXES * n + 1:
            side *= 2
        shape = np.floor(extent / side).astype(np.int64) + 1
        box = find_boxes(Y, axes, low, side, shape)
        order, first = sort_boxes(box, int(np.prod(shape)), visited)
        span = int(np.ceil(CUTOFF / side))
        counts = np.diff(first).reshape(shape)
        partners = _around(counts, span)
        step = np.maximum(1, partners // MOST_PARTNERS).ravel()
        mean = float((counts * partners).sum()) / n
        return cls(order, box[order], first, tuple(shape.tolist()), span, CUTOFF, step, mean)


def _around(counts: Indices, span: int) -> Indices:
    """Sum the counts of all boxes within a span of each."""
    for axis in range(counts.ndim):
        size = counts.shape[axis]
        total = np.concatenate(
            (np.zeros_like(counts.take([0], axis)), counts.cumsum(axis)), axis=axis
        )
        ends = np.minimum(np.arange(size) + span + 1, size)
        starts = np.maximum(np.arange(size) - span, 0)
        counts = total.take(ends, axis) - total.take(starts, axis)
    return counts
