"""Data and a metric -> distances between samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from unprior._typing import Floats, Metric
from unprior.geometry._base import SampleDistances
from unprior.geometry._matrix import MatrixDistances
from unprior.geometry._metric_choice import choose_metric
from unprior.geometry._row_distances import PointDistances
from unprior.geometry._stored_rows import StoredDistances
from unprior.storage import StoredRows


def data_distances(
    X: Floats | StoredRows, metric: Metric, *, who: str = "data_distances"
) -> SampleDistances:
    """Return data as distances on demand.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features) or (n_samples, n_samples), or StoredRows
        Features, or distances if the metric is "precomputed"; checked before.
    metric : str or callable
        A metric as `unprior.priors.features` takes it, or "precomputed".
    who : str, default="data_distances"
        Whose name begins the error messages.

    Returns
    -------
    distances : PointDistances, StoredDistances or MatrixDistances

    Examples
    --------
    >>> from typing import Any

    import numpy as np
    >>> data_distances(np.array([[0.0], [3.0]]), "euclidean").largest()
    3.0
    """
    if isinstance(metric, str) and metric == "precomputed":
        return MatrixDistances(np.asarray(X))
    rows: Any = X  # the metric is settled for both alike
    row_metric = choose_metric(who, "X", rows, metric, {})
    if isinstance(X, StoredRows):
        return StoredDistances(X, metric, row_metric)
    return PointDistances(X, metric, row_metric)
