"""Choosing a metric by name or function, checking its parameters and the data it is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from unprior._params import Either, Kind, Number, OneOf, check_value
from unprior._typing import Floats, Metric
from unprior.geometry._metric_rows import as_floats, check_rows, mapped, scaled
from unprior.geometry._metrics import METRICS, SYNONYMS, RowMetric, check_returned


def choose_metric(
    who: str, name: str, Z: Floats, metric: Metric, settings: Mapping[str, Any]
) -> RowMetric:
    """Return the metric, with parameters that depend on the data estimated from all rows of Z."""
    if isinstance(metric, str) and metric == "precomputed":
        message = f"{who}: metric='precomputed' is for distances; use priors.distances(D) instead."
        raise ValueError(message)
    check_value(who, "metric", metric, TAKES)
    if not isinstance(metric, str):
        returned = partial(check_returned, who=who)
        return RowMetric(metric, finish=returned, settings=dict(settings))
    metric = SYNONYMS.get(metric, metric)
    takes, make = WITH_SETTINGS.get(metric, ((), None))
    unknown = [key for key in settings if key not in takes]
    if unknown:
        message = (
            f"{who}: 'metric_params' takes {' and '.join(map(repr, takes)) or 'nothing'} with "
            f"metric={metric!r}; got {unknown[0]!r}."
        )
        raise ValueError(message)
    check_rows(who, name, Z, metric)
    return METRICS[metric] if make is None else make(who, Z, **settings)


def _minkowski(who: str, Z: Floats, p: float = 2, w: Any = None) -> RowMetric:
    check_value(who, "p", p, POWER)
    if w is not None:
        return RowMetric("minkowski", settings={"p": p, "w": _positive(who, "w", w, Z)})
    same = {1: "cityblock", 2: "euclidean", np.inf: "chebyshev"}
    return METRICS[same[p]] if p in same else RowMetric("minkowski", settings={"p": p})


def _standardized(who: str, Z: Floats, V: Any = None) -> RowMetric:
    """Return the Euclidean metric of columns scaled to variance one; constant ones are unscaled."""
    if V is not None:
        spread = np.sqrt(_positive(who, "V", V, Z))
    else:
        spread = as_floats(Z).std(axis=0, ddof=min(1, len(Z) - 1))
        spread = np.where(spread > 0, spread, 1)
    return RowMetric("euclidean", partial(scaled, scale=spread))


def _mahalanobis(who: str, Z: Floats, VI: Any = None) -> RowMetric:
    """Return the Euclidean metric after a map W, with W Wᵀ = VI or the inverse covariance."""
    d = Z.shape[1]
    if VI is not None:
        VI = np.asarray(VI, dtype=np.float64)
        symmetric = VI.shape == (d, d) and np.allclose(VI, VI.T)
        if not symmetric or np.linalg.eigvalsh(VI)[0] <= 0:
            message = f"{who}: 'VI' takes a positive definite matrix of shape ({d}, {d})."
            raise ValueError(message)
        return RowMetric("euclidean", partial(mapped, matrix=np.linalg.cholesky(VI)))
    centered = as_floats(Z) - as_floats(Z).mean(axis=0)
    covariance = centered.T @ centered / max(1, len(Z) - 1)
    if np.linalg.matrix_rank(covariance, hermitian=True) < d:
        message = (
            f"{who}: metric='mahalanobis' needs an invertible covariance matrix; the {d} columns "
            f"over {len(Z)} rows are linearly dependent. Reduce them first, for example with PCA."
        )
        raise ValueError(message)
    inverse_root = np.linalg.inv(np.linalg.cholesky(covariance)).T
    return RowMetric("euclidean", partial(mapped, matrix=inverse_root))


def _positive(who: str, name: str, values: Any, Z: Floats) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (Z.shape[1],) or not (array > 0).all() or not np.isfinite(array).all():
        message = f"{who}: {name!r} takes {Z.shape[1]} positive numbers, one for each column."
        raise ValueError(message)
    return array


#: Metrics with parameters: their names, and the function that makes the metric.
WITH_SETTINGS: dict[str, tuple[tuple[str, ...], Callable[..., RowMetric]]] = {
    "mahalanobis": (("VI",), _mahalanobis),
    "minkowski": (("p", "w"), _minkowski),
    "seuclidean": (("V",), _standardized),
}


class _MetricName(OneOf):
    """The name of a metric; there are too many to list."""

    def __str__(self) -> str:
        return "the name of a metric as SciPy spells it"


TAKES = Either(
    _MetricName(*METRICS, *WITH_SETTINGS, *SYNONYMS), Kind("a function of two vectors", callable)
)
POWER = Kind("a number above 0", lambda p: p == np.inf or Number(0, open_low=True).accepts(p))
