"""Numbers for each sample, and a metric -> distances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unprior._typing import Floats, Indices, Metric
from unprior._validation import check_finite, check_numeric, refuse_large
from unprior.geometry import (
    METRICS,
    SYNONYMS,
    PointDistances,
    RowMetric,
    StoredDistances,
    choose_metric,
)
from unprior.priors._base import Prior
from unprior.priors._column_kinds import read_column
from unprior.priors._dates import as_dates, in_days
from unprior.priors._kind import Kind, Source
from unprior.priors._reader import Reader
from unprior.priors._row_names import keeps_names
from unprior.storage import StoredRows, check_stored, stored_rows

#: The metric of an array of new samples, if nothing was said about it.
METRIC_OF_FIT = "that of fit"

#: Metrics that square numbers as they come, and the precision in which all are measured.
SQUARING, MEASURED = (METRICS["euclidean"], METRICS["sqeuclidean"]), np.dtype(np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Features(PointDistances, Prior):
    """Knowledge of numbers: samples are as far apart as their rows.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_columns)
        The numbers, in the precision they came in.
    metric : str or callable
        The metric as the caller named it.
    row_metric : RowMetric
        The metric as it is computed.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.features([[0.0, 3.0], [4.0, 0.0]], metric="l1").pairs([0], [1])
    array([7.])
    """

    kind: ClassVar[str] = "features"

    def reader(self) -> FeatureReader:
        """Return what reads features of new samples, with this metric."""
        return FeatureReader(self.values.shape[1], _metric_name(self), self.row_metric)


@dataclass(frozen=True)
class FeatureReader(Reader):
    """Reads features as they are, if there are as many columns and the metric is the same."""

    reads: ClassVar[type[Features]] = Features
    width: int
    metric: str
    row_metric: RowMetric

    @property
    def n_columns(self) -> int:
        """Number of features."""
        return self.width

    def _values(self, who: str, name: str, prior: Features) -> Floats:
        if prior.values.shape[1] != self.width:
            message = (
                f"{who}: {name!r} had {self.width} columns in fit; got {prior.values.shape[1]}."
            )
            raise ValueError(message)
        metric = _metric_name(prior)
        if metric not in (self.metric, METRIC_OF_FIT):
            message = (
                f"{who}: {name!r} takes features with the metric of fit, {self.metric!r}; got "
                f"{metric!r}; make the prior of new samples with the same metric."
            )
            raise ValueError(message)
        return prior.values

    def distances(self, new: Floats, fitted: Floats) -> Floats:
        """Distances of new samples to fitted ones."""
        return self.row_metric.block(new, fitted)

    def columns(self, values: Floats) -> Floats:
        """Return the columns that the metric measures."""
        return np.asarray(self.row_metric.prepare(values), dtype=np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class StoredFeatures(StoredDistances, Prior):
    """Knowledge of numbers that are on disk or on a cluster, and stay there: see `Features`."""

    kind: ClassVar[str] = "stored features"

    def _take(self, rows: Indices) -> Features:
        return Features(self.values[rows], self.metric, self.row_metric)


class Embedding(Features):
    """Knowledge of a map: samples are as far apart as they were drawn.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.embedding([[0.0, 0.0], [3.0, 4.0]])
    <prior: embedding, 2 samples>
    """

    kind: ClassVar[str] = "embedding"


@keeps_names
def features(
    Z: Any, *, metric: Metric = "euclidean", metric_params: Mapping[str, Any] | None = None
) -> Features | StoredFeatures:
    """Make a prior of numbers for each sample.

    Parameters
    ----------
    Z : array-like of shape (n_samples,) or (n_samples, n_columns)
        Numbers, or dates, which count in days.
    metric : str or callable, default="euclidean"
        A metric by SciPy's name or a usual synonym ("l1", "manhattan", "l2"), "haversine" for
        latitude and longitude in radians, or a function of two vectors. What a metric learns from
        the data ("seuclidean", "mahalanobis"), it learns from all rows, once: a part of the prior
        keeps the distances of the whole.
    metric_params : dict, default=None
        Settings of the metric: "p" and "w" of "minkowski", "V" of "seuclidean", "VI" of
        "mahalanobis", or keyword arguments of a function.

    Returns
    -------
    prior : Features
        StoredFeatures, which read rows when they need them, of a large array on disk
        (``np.load(..., mmap_mode="r")``) or a large Dask array.

    Examples
    --------
    >>> from unprior import priors
    >>> age = priors.features([20.0, 30.0, 70.0])
    >>> age.block([0], [0, 1, 2])
    array([[ 0., 10., 50.]])
    >>> age[[0, 2]].largest()
    50.0
    """
    return read_features("features", "Z", Z, metric, metric_params)


def embedding(Y: Any) -> Embedding:
    """Make a prior of a map: show me something other than this picture.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.

    Returns
    -------
    prior : Embedding
        Euclidean distances in the map.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.embedding([[0.0, 0.0], [3.0, 4.0]]).largest()
    5.0
    """
    values = _read_values("embedding", "Y", Y)
    refuse_large("embedding", "Y", _largest(values), MEASURED)
    return Embedding(values, "euclidean", METRICS["euclidean"])


def read_features(
    who: str,
    name: str,
    Z: Any,
    metric: Metric = "euclidean",
    metric_params: Mapping[str, Any] | None = None,
) -> Features | StoredFeatures:
    """Check numbers for `who` and settle their metric; what is stored stays where it is."""
    rows = stored_rows(Z, who=who, name=name)
    if rows is None:
        values: Any = _read_values(who, name, Z)
        largest = _largest(values)
    else:
        values, largest = rows, check_stored(who, name, rows).largest
    made = _by_rows(who, name, values, metric, metric_params)
    if made.row_metric in SQUARING:
        refuse_large(who, name, largest, MEASURED)
    return made


def _by_rows(
    who: str, name: str, values: Any, metric: Metric, settings: Mapping[str, Any] | None
) -> Features | StoredFeatures:
    row_metric = choose_metric(who, name, values, metric, settings or {})
    kind = StoredFeatures if isinstance(values, StoredRows) else Features
    return kind(values, metric, row_metric)


def _read_values(who: str, name: str, Z: Any) -> Floats:
    array = check_numeric(who, name, in_days(Z))
    if array.ndim not in {1, 2} or array.shape[1:] == (0,):
        message = (
            f"{who}: {name!r} takes a number or a row of numbers for each sample; got an array of "
            f"shape {array.shape}."
        )
        raise ValueError(message)
    check_finite(who, name, array)
    return array if array.ndim == 2 else array[:, None]


def _largest(values: Floats) -> float:
    return max(float(values.max(initial=0)), -float(values.min(initial=0)))


def _metric_name(prior: Features) -> str:
    """Return the metric by its usual name; functions cannot be told apart."""
    metric = prior.metric
    return SYNONYMS.get(metric, metric) if isinstance(metric, str) else "a function"


def _make(source: Source) -> Features | StoredFeatures:
    if source.matrix is not None:
        return read_features(source.where, "matrix", source.matrix)
    parts = [
        read_features(source.where, name, read_column(as_dates(column))[1]).values
        for name, column in source.columns.items()
    ]
    return read_features(source.where, "columns", np.hstack(parts))


FEATURES = Kind("features", "age,height:features", _make, square_call="priors.features(Z)")
