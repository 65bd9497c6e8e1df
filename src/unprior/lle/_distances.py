"""Distances with a constant added within classes, for inverse supervised LLE."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import SampleDistances
from unprior.priors import Labels


@dataclass(frozen=True, eq=False)
class SupervisedDistances:
    """Data distances, with a constant added between samples of the same class.

    Made by `push_classmates`.

    Attributes
    ----------
    data : SampleDistances
        The data.
    labels : Labels
        The class of each sample.
    push : float
        The constant.
    """

    data: SampleDistances
    labels: Labels
    push: float

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.data.n_samples

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        rows, cols = np.asarray(rows), np.asarray(cols)
        pushed = self._push(self.data.block(rows, cols), self.labels.block(rows, cols))
        pushed[rows[:, None] == cols] = 0
        return pushed

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        i, j = np.asarray(i), np.asarray(j)
        pushed = self._push(self.data.pairs(i, j), self.labels.pairs(i, j))
        pushed[i == j] = 0
        return pushed

    def _push(self, data: Floats, differ: Floats) -> Floats:
        return data + self.push * (1 - differ)


def push_classmates(data: SampleDistances, labels: Labels, strength: float) -> SupervisedDistances:
    """Add a fraction of the largest distance within classes: D' = D + α max(D) [same class].

    Parameters
    ----------
    data : SampleDistances
        The data, for example from `unprior.geometry.data_distances`.
    labels : Labels
        The class of each sample.
    strength : float in [0, 1]
        The fraction α. At 1, all samples of other classes are nearer than any of the same class.

    Returns
    -------
    distances : SupervisedDistances

    Examples
    --------
    >>> from unprior import priors
    >>> data = priors.features([0.0, 1.0, 4.0])
    >>> push_classmates(data, priors.labels(["a", "a", "b"]), 0.5).block([0], [0, 1, 2])
    array([[0., 3., 4.]])
    """
    return SupervisedDistances(data, labels, strength * data.largest())
