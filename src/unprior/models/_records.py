"""Fitted objects as JSON and arrays: only records, functions and estimators of fixed lists.

A file names no code to run, only entries of the tables below. Any other name is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse

from unprior import estimators, priors
from unprior._projection import Projection
from unprior.affinities import Bandwidths, Similarity
from unprior.geometry import _metric_rows, _metrics, _sphere
from unprior.models._hints import fits, hints_of
from unprior.operators import _balanced_rows, _linear, _pair_bins, _quantile, _squares
from unprior.priors import _cyclic, _features, _geo, _labels, _reader
from unprior.residual import (
    _aligned,
    _clustered,
    _model,
    _principal_axes,
    _regressors,
    _smooth,
    _smoothers,
)
from unprior.residual import _linear as _linear_residual
from unprior.transform import _distances, _jedi, _place, _priors, _tsne, _umap, _views

#: Records in models, by name.
RECORDS: dict[str, Any] = {
    f"{kind.__module__.removeprefix('unprior.')}.{kind.__name__}": kind
    for kind in (
        Projection,
        Bandwidths,
        Similarity,
        _metrics.RowMetric,
        _balanced_rows.BalancedRows,
        _linear.Linear,
        _pair_bins.PairBins,
        _quantile.Quantile,
        _squares.Squares,
        _aligned.AlignStep,
        _clustered.ClusterStep,
        _principal_axes.PrincipalAxes,
        _model.NoModel,
        _model.SmoothModel,
        _model.Steps,
        _labels.ClassReader,
        _cyclic.CyclicReader,
        _reader.DistanceReader,
        _features.FeatureReader,
        _reader.NoReader,
        _geo.GeoReader,
        _regressors.Regressors,
        _smooth.SmoothStep,
        _linear_residual.LinearModel,
        _linear_residual.LinearPart,
        _distances.FittedPoints,
        _distances.FittedRows,
        _distances.Precomputed,
        _jedi.JEDIMap,
        _jedi.PriorAffinities,
        _jedi.SymmetricAffinities,
        _place.Placement,
        _place.Reach,
        _priors.FittedCombined,
        _priors.FittedDistances,
        _priors.FittedLabels,
        _priors.FittedValues,
        _tsne.ConstraintForce,
        _tsne.TSNEMap,
        _umap.UMAPMap,
        _views.FactoredRows,
        _views.FittedView,
    )
}

#: Functions that records refer to, by name.
FUNCTIONS: dict[str, Any] = {
    "numpy.asarray": np.asarray,
    **{
        f"{function.__module__.removeprefix('unprior.')}.{function.__qualname__}": function
        for function in (
            _metric_rows.as_floats,
            _metric_rows.as_booleans,
            _metric_rows.as_shares,
            _metric_rows.scaled,
            _metric_rows.mapped,
            _metric_rows.on_unit_sphere,
            _metric_rows.centered_on_unit_sphere,
            _metric_rows.on_globe,
            _metrics._half,
            _metrics._zero_where_nan,
            _sphere.arcs,
            _aligned._cell_by_distances,
            _aligned._cell_of_nearest,
            _aligned._nearest_read,
            _smoothers.ClassMeans,
            _smoothers._given_neighbor_means,
            _smoothers._new_neighbor_means,
            priors.Geo,
            priors.Cyclic,
        )
    },
}

#: Methods of records that other records refer to.
METHODS = ("block", "columns", "points")

#: Attributes of fitted estimators that are saved.
ATTRIBUTES = (
    *("embedding_", "graph_", "left_", "level_", "multiplier_", "residual_", "perplexity_"),
    *("prior_perplexity_", "learning_rate_", "solver_", "n_iter_", "operator_", "strength_"),
    *("n_neighbors_", "rank_", "kind_", "neighbor_recall_", "hubness_", "n_features_in_"),
    *("feature_names_in_", "_projection", "_new", "_finder", "_priors", "_model", "_told"),
    *("_fingerprint", "_left"),
)

#: Types of those that ``transform`` uses.
TYPES: dict[str, Any] = {
    "embedding_": NDArray[np.floating[Any]],
    "graph_": csr_matrix,
    "residual_": estimators.Residual | None,
    "n_features_in_": int,
    "_projection": Projection | None,
    "_new": _place.Placement,
    "_finder": _views.FittedView,
    "_priors": Mapping[str, _priors.FittedPrior],
    "_model": _model.NoModel | _model.SmoothModel | _linear_residual.LinearModel | None,
    "_told": Mapping[str, str],
    "_fingerprint": str,
    "_left": NDArray[np.floating[Any]],
}

#: Estimators that take new samples.
ESTIMATORS = ("IndependentTSNE", "JEDI", "Confetti", "ConfettiNeighbors", "Residual")

Arrays = dict[str, NDArray[Any]]


def encode(value: Any, arrays: Arrays) -> Any:
    """Return a value as JSON, with its arrays put into ``arrays``."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return _encode_array(value, arrays)
    if issparse(value):
        parts = [value.data, value.indices, value.indptr, value.shape]
        return {"csr": [encode(part, arrays) for part in parts]}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [encode(part, arrays) for part in value]}
    if isinstance(value, Mapping):
        pairs = [[encode(k, arrays), encode(v, arrays)] for k, v in value.items()]
        return {"dict": pairs}
    if isinstance(value, partial):
        parts = [value.func, list(value.args), dict(value.keywords)]
        return {"partial": [encode(part, arrays) for part in parts]}
    if getattr(value, "__name__", "") in METHODS and hasattr(value, "__self__"):
        return {"method": value.__name__, "of": encode(value.__self__, arrays)}
    return _encode_named(value, arrays)


def _encode_array(value: NDArray[Any], arrays: Arrays) -> Any:
    if value.dtype.kind not in "biufU":
        return {"list": [encode(part, arrays) for part in value.tolist()]}
    name = f"a{len(arrays)}"
    arrays[name] = value
    return {"array": name}


def _encode_named(value: Any, arrays: Arrays) -> Any:
    for name, function in FUNCTIONS.items():
        if value is function:
            return {"function": name}
    for name, kind in RECORDS.items():
        if is_dataclass(value) and type(value) is kind:
            held = {f.name: encode(getattr(value, f.name), arrays) for f in fields(value)}
            return {"record": name, "fields": held}
    name = type(value).__name__
    if name in ESTIMATORS and type(value) is getattr(estimators, name):
        return encode_estimator(value, arrays)
    message = (
        f"save_model: cannot write {value!r} into a file: it takes metrics by name, and classes "
        "that are text, numbers or booleans."
    )
    raise TypeError(message)


def encode_estimator(estimator: Any, arrays: Arrays) -> Any:
    """Return a fitted estimator as JSON: its options, and what new samples need."""
    options = {}
    for name, option in estimator.get_params(deep=False).items():
        if name not in ("callbacks", "init", "verbose", "embedder_params"):
            plain = option is None or isinstance(option, bool | int | float | str | list | dict)
            options[name] = encode(option if plain or name == "metric" else None, arrays)
    held = {
        name: encode(getattr(estimator, name), arrays)
        for name in ATTRIBUTES
        if name in vars(estimator)
    }
    return {"estimator": type(estimator).__name__, "options": options, "attributes": held}


def decode(value: Any, arrays: Arrays) -> Any:
    """Return the object of JSON and arrays; raises ValueError or KeyError for unknown entries."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if not isinstance(value, dict) or not value:
        message = f"an entry is {type(value).__name__}"
        raise ValueError(message)
    kind, held = next(iter(value.items()))
    return _DECODERS[kind](value, held, arrays)


def _decode_record(value: Any, name: Any, arrays: Arrays) -> Any:
    held = {str(key): decode(part, arrays) for key, part in value["fields"].items()}
    kind = RECORDS[name]
    if {*held} != {f.name for f in fields(kind)}:
        message = f"{name} has other fields"
        raise ValueError(message)
    for key, part in held.items():
        if not fits(part, hints_of(kind)[key]):
            message = f"{key!r} of {name} is of another type"
            raise ValueError(message)
    return kind(**held)


def _decode_estimator(value: Any, name: Any, arrays: Arrays) -> Any:
    if name not in ESTIMATORS:
        raise KeyError(name)
    options = {key: decode(part, arrays) for key, part in value["options"].items()}
    estimator = getattr(estimators, name)(**options)
    for key, part in value["attributes"].items():
        if key not in ATTRIBUTES:
            raise KeyError(key)
        value = decode(part, arrays)
        if not fits(value, TYPES.get(key, Any)):
            message = f"{key!r} of {name} is of another type"
            raise ValueError(message)
        setattr(estimator, key, value)
    if hasattr(estimator, "feature_names_in_"):
        estimator.feature_names_in_ = np.array(estimator.feature_names_in_, dtype=object)
    return estimator


def _decode_partial(value: Any, held: Any, arrays: Arrays) -> Any:
    function, positional, named = (decode(part, arrays) for part in held)
    return partial(function, *positional, **named)


def _decode_method(value: Any, name: Any, arrays: Arrays) -> Any:
    if name not in METHODS:
        raise KeyError(name)
    return getattr(decode(value["of"], arrays), name)


def _decode_csr(value: Any, held: Any, arrays: Arrays) -> Any:
    data, indices, indptr, shape = (decode(part, arrays) for part in held)
    graph = csr_matrix((data, indices, indptr), shape=shape)
    graph.check_format(full_check=True)
    return graph


_DECODERS: dict[str, Any] = {
    "array": lambda value, name, arrays: arrays[name],
    "list": lambda value, held, arrays: [decode(part, arrays) for part in held],
    "tuple": lambda value, held, arrays: tuple(decode(part, arrays) for part in held),
    "dict": lambda value, held, arrays: {decode(k, arrays): decode(v, arrays) for k, v in held},
    "function": lambda value, name, arrays: FUNCTIONS[name],
    "partial": _decode_partial,
    "method": _decode_method,
    "csr": _decode_csr,
    "record": _decode_record,
    "estimator": _decode_estimator,
}
