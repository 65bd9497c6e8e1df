"""Data and labels -> distances that push samples of one class apart: inverse supervised LLE."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import SampleDistances
from unprior.priors import Labels


@dataclass(frozen=True, eq=False)
class SupervisedDistances:
    """Data distances, with a constant added for every two samples of one class.

    Made by `push_classmates`.

    Attributes
    ----------
    data : Prior
        The data as distances.
    labels : Labels
        The class of each sample.
    push : float
        What is added within a class.
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

    def _push(self, data: Floats, apart: Floats) -> Floats:
        return data + self.push * (1 - apart)


def push_classmates(data: SampleDistances, labels: Labels, strength: float) -> SupervisedDistances:
    """Add a share of the largest data distance within each class: D' = D + α max(D) [same class].

    Parameters
    ----------
    data : Prior
        The data as distances, for example from `unprior.geometry.data_distances`.
    labels : Labels
        The class of each sample.
    strength : float in [0, 1]
        The share α. From 1 on, every sample of another class is nearer than any of the same.

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
