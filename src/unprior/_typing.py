"""Types of arrays, metrics, callbacks, and the interface of distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]
Indices: TypeAlias = NDArray[np.integer[Any]]

#: A metric by name (as in SciPy, or "precomputed"), or a function of two vectors.
Metric: TypeAlias = str | Callable[[Floats, Floats], float]

#: Called as ``callback(iteration, objective, embedding)``; a true return value stops the descent.
Callback: TypeAlias = Callable[[int, float, Floats], Any]


class PairwiseDistances(Protocol):
    """Distances between samples on demand: of data, of priors, or with priors factored out."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
