"""Distances between the samples of data: by a metric, or from a distance matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from unprior._typing import Floats, Indices, Metric
from unprior.geometry._base import SampleDistances, as_rows
from unprior.geometry._metric_choice import choose_metric
from unprior.geometry._row_distances import PointDistances
from unprior.geometry._stored_rows import StoredDistances
from unprior.storage import StoredRows


@dataclass(frozen=True, eq=False, repr=False)
class MatrixDistances(SampleDistances):
    """Distances from a matrix.

    Attributes
    ----------
    matrix : ndarray of shape (n_samples, n_samples)
        The distances, in their original precision.
    """

    kind: ClassVar[str] = "distances"

    matrix: Floats

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.matrix)

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        return self.matrix[np.ix_(as_rows(rows), as_rows(cols))].astype(np.float64, copy=False)

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        return self.matrix[as_rows(i), as_rows(j)].astype(np.float64, copy=False)

    def largest(self) -> float:
        """Return the largest distance between two samples."""
        return float(self.matrix.max())

    def _take(self, rows: Indices) -> Self:
        return type(self)(self.matrix[np.ix_(rows, rows)])


def data_distances(
    X: Floats | StoredRows, metric: Metric, *, who: str = "data_distances"
) -> SampleDistances:
    """Return the distances between the samples of data, computed on demand.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features) or (n_samples, n_samples), or StoredRows
        Features, or distances if the metric is "precomputed"; already checked.
    metric : str or callable
        A metric as `unprior.priors.features` takes it, or "precomputed".
    who : str, default="data_distances"
        Name that error messages start with.

    Returns
    -------
    distances : PointDistances, StoredDistances or MatrixDistances

    Examples
    --------
    >>> import numpy as np
    >>> data_distances(np.array([[0.0], [3.0]]), "euclidean").largest()
    3.0
    """
    if isinstance(metric, str) and metric == "precomputed":
        return MatrixDistances(np.asarray(X))
    rows: Any = X
    row_metric = choose_metric(who, "X", rows, metric, {})
    if isinstance(X, StoredRows):
        return StoredDistances(X, metric, row_metric)
    return PointDistances(X, metric, row_metric)
