"""The priors of numbers: features with a metric, in memory or stored, and earlier maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unprior._remarks import Advice, remarks_on_codes
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
from unprior.priors._base import Kind, Prior, Source
from unprior.priors._columns import as_dates, in_days, read_column
from unprior.priors._reader import Reader
from unprior.priors._row_names import keeps_names
from unprior.storage import StoredRows, check_stored, stored_rows

#: Stands for the metric of ``fit`` where new samples come without a metric.
METRIC_OF_FIT = "that of fit"

#: Metrics that square the numbers without scaling them, and the precision of all distances.
SQUARING, MEASURED = (METRICS["euclidean"], METRICS["sqeuclidean"]), np.dtype(np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Features(PointDistances, Prior):
    """Numbers as a prior: distances between rows by a metric.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_columns)
        The numbers, in their original precision.
    metric : str or callable
        The metric as given by the caller.
    row_metric : RowMetric
        The implementation of the metric.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.features([[0.0, 3.0], [4.0, 0.0]], metric="l1").pairs([0], [1])
    array([7.])
    """

    kind: ClassVar[str] = "features"

    def reader(self) -> FeatureReader:
        """Return the reader of features of new samples, with the same metric."""
        return FeatureReader(self.values.shape[1], _metric_name(self), self.row_metric)

    def column(self) -> tuple[Any, None] | None:
        """Return the numbers if there is one for each sample."""
        return (self.values[:, 0], None) if self.values.shape[1] == 1 else None

    def remarks(self, advice: Advice | None = None) -> Iterator[str]:
        """Yield warnings about numbers that may be codes for missing values."""
        for remark in remarks_on_codes(self.values, None, advice):
            single = self.values.shape[1] == 1
            yield remark.replace("column 0", "the value", 1) if single else remark


@dataclass(frozen=True)
class FeatureReader(Reader):
    """Reads features with the same number of columns and the same metric."""

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
        """Return distances of new samples to fitted ones."""
        return self.row_metric.block(new, fitted)

    def columns(self, values: Floats) -> Floats:
        """Return the columns as the metric compares them."""
        return np.asarray(self.row_metric.prepare(values), dtype=np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class StoredFeatures(StoredDistances, Prior):
    """Numbers that are read from disk or a cluster on demand, as a prior; see `Features`."""

    kind: ClassVar[str] = "stored features"

    def _take(self, rows: Indices) -> Features:
        return Features(self.values[rows], self.metric, self.row_metric)


class Embedding(Features):
    """An earlier map as a prior: Euclidean distances between its coordinates.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.embedding([[0.0, 0.0], [3.0, 4.0]])
    <prior: embedding, 2 samples>
    """

    kind: ClassVar[str] = "embedding"

    def remarks(self, advice: Advice | None = None) -> Iterator[str]:
        """Yield nothing: coordinates of a map are not codes."""
        yield from ()


@keeps_names
def features(
    Z: Any, *, metric: Metric = "euclidean", metric_params: Mapping[str, Any] | None = None
) -> Features | StoredFeatures:
    """Make a prior from one or more numbers for each sample.

    Parameters
    ----------
    Z : array-like of shape (n_samples,) or (n_samples, n_columns)
        Numbers, or dates, which are converted to days.
    metric : str or callable, default="euclidean"
        A metric by SciPy's name or a usual synonym ("l1", "manhattan", "l2"), "haversine" for
        latitude and longitude in radians, or a function of two vectors. Parameters that a metric
        estimates from the data ("seuclidean", "mahalanobis") are estimated once, from all rows:
        selecting samples does not change their distances.
    metric_params : dict, default=None
        Parameters of the metric: "p" and "w" of "minkowski", "V" of "seuclidean", "VI" of
        "mahalanobis", or keyword arguments of a function.

    Returns
    -------
    prior : Features
        StoredFeatures, which read rows on demand, for a large array on disk
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
    """Make a prior from an earlier map, to see something that it does not show.

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
    """Check numbers and their metric for `who`; stored arrays are not loaded."""
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
    """Return the usual name of the metric; all functions share one name."""
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
