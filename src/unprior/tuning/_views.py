"""What an estimator returns → distances between samples that scores can look at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, issparse

from unprior.estimators._base import MapEstimator
from unprior.geometry import SampleDistances
from unprior.priors import Distances, Prior
from unprior.scores._distances import read_map

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices


@dataclass(frozen=True, eq=False, repr=False)
class Linked(Prior):
    """A sparse graph of neighbours: samples without an edge are infinitely far apart.

    Attributes
    ----------
    edges : csr_array of shape (n_samples, n_samples)
        Lengths of the edges plus one, as an edge may be of length zero.
    """

    kind: ClassVar[str] = "neighbours"

    edges: csr_array

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.edges.shape[0])

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        return _lengths(self.edges[rows][:, cols].toarray())

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        return _lengths(np.asarray(self.edges[i, j]).ravel())

    def _take(self, rows: Indices) -> Linked:
        return replace(self, edges=self.edges[rows][:, rows])


def _lengths(edges: Floats) -> Floats:
    return np.where(edges == 0, np.inf, edges - 1)


def read_result(who: str, estimator: Any, result: Any) -> SampleDistances:
    """Read a map, data, distances, or a sparse graph of neighbours."""
    if issparse(result):
        edges = csr_array(result, dtype=np.float64, copy=True)
        edges.data += 1
        return Linked(edges)
    if estimator.metric == "precomputed" and not isinstance(estimator, MapEstimator):
        return Distances(np.asarray(result))
    return read_map(who, result)
