"""Checks of a model that was read from a file, before compiled loops index its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from unprior._projection import Projection
from unprior.operators import BalancedRows
from unprior.transform._distances import FittedPoints, FittedRows, Precomputed
from unprior.transform._jedi import JEDIMap
from unprior.transform._place import Placement
from unprior.transform._priors import FittedCombined, FittedLabels, FittedValues
from unprior.transform._tsne import TSNEMap
from unprior.transform._umap import UMAPMap
from unprior.transform._views import FittedView


def check_model(estimator: Any) -> None:
    """Refuse arrays whose shapes or codes do not fit together."""
    new = getattr(estimator, "_new", None)
    if new is not None:
        _need(isinstance(new, Placement), "the map is missing")
        _check_map(new)
        _need(estimator.embedding_.ndim == 2, "the map has the wrong number of dimensions")
    if estimator._projection is not None:
        _check_projection(estimator._projection, estimator.n_features_in_)
    if "_finder" in vars(estimator):
        _check_view(estimator._finder, estimator._finder.data.n_samples)
        _check_priors(estimator._priors, estimator._finder.data.n_samples)


def _need(fits: Any, what: str) -> None:
    if not fits:
        raise ValueError(what)


def _check_map(new: Placement) -> None:
    fitted = new.map
    n_fitted = fitted.n_fitted
    _need(
        fitted.places.dtype == np.float32 and fitted.places.ndim == 2,
        "the places have the wrong type or shape",
    )
    _need(np.isfinite(fitted.places).all() and n_fitted > 0, "places are not finite")
    _need(
        isinstance(fitted, UMAPMap) or len(fitted.places) == 3,
        "the places have the wrong type or shape",
    )
    _need(len(fitted.views) > 0, "it has no data")
    _need(0 < new.reach.rank <= n_fitted, "a rank is out of range")
    for view in fitted.views:
        _check_view(view, n_fitted)
    _check_priors(new.priors, n_fitted)
    if isinstance(fitted, UMAPMap):
        edges = fitted.rhos, fitted.sigmas, fitted.reach
        _need(all(array.shape == (n_fitted,) for array in edges), "edges are too few")
    if isinstance(fitted, JEDIMap):
        parts = [fitted.affinities, *(prior.affinities for prior in fitted.priors)]
        bandwidths = [part.bandwidths for part in parts if part is not None and part.bandwidths]
        arrays = [array for each in bandwidths for array in each.arrays]
        _need(all(array.shape == (n_fitted,) for array in arrays), "bandwidths are too few")
        _need(fitted.slopes.shape == (n_fitted, 3), "slopes are too few")
        _need(np.isfinite(fitted.slopes).all(), "slopes are not finite")
    if isinstance(fitted, TSNEMap):
        _need(len(fitted.weights) == len(fitted.views), "weights are too few")
        groups = fitted.groups
        if groups is not None:
            _need(groups.shape == (n_fitted,), "kept classes are too few")
            _check_codes(groups + 1, n_fitted + 1)
        for constraint in fitted.constraints:
            k = constraint.similarity
            _need(k.strata.shape == k.classes.shape == (n_fitted,), "strata are too few")
            _need(
                k.table.ndim == 2 and k.table.shape[0] == k.table.shape[1], "a table is not square"
            )
            _check_codes(k.strata, len(k.table))
            _check_codes(k.classes, len(k.same_class))


def _check_projection(projection: Any, n_columns: int) -> None:
    _need(isinstance(projection, Projection), "a projection is missing")
    shape = (n_columns,)
    _need(
        projection.center.shape == projection.scale.shape == shape,
        "a projection has the wrong shape",
    )
    axes = projection.axes
    _need(
        axes is None or (axes.ndim == 2 and len(axes) == n_columns),
        "a projection has the wrong shape",
    )


def _check_view(view: Any, n_fitted: int) -> None:
    _need(isinstance(view, FittedView), "a view is missing")
    _check_data(view.data, n_fitted)
    _need(0 < view.k <= n_fitted, "neighbours are out of range")
    factor = view.factor
    if isinstance(factor, BalancedRows):
        n_priors = len(factor.names)
        shape = (n_priors, n_fitted)
        _need(factor.codes.shape == factor.classes.shape == shape, "strata are too few")
        _need(factor.counts.shape == (n_priors,), "strata are not counted")
        _need(factor.potentials.shape[:2] == shape, "potentials are too few")
        _need(factor.potentials.shape[2] > factor.counts.max(), "potentials are too few")
        groups, wanted = factor.groups, factor.wanted
        _need(groups is None or groups.shape == (n_fitted,), "kept classes are too few")
        if groups is not None:
            _check_codes(groups + 1, n_fitted + 1)
        _need(wanted is None or wanted.shape == factor.potentials.shape, "shares are too few")
        for codes, classes, count in zip(factor.codes, factor.classes, factor.counts, strict=True):
            _check_codes(codes, count)
            _check_codes(classes + 1, n_fitted + 1)


def _check_data(data: Any, n_fitted: int) -> None:
    _need(isinstance(data, FittedPoints | FittedRows | Precomputed), "data are missing")
    _need(data.n_samples == n_fitted, "data are too few")
    if isinstance(data, FittedPoints):
        _need(
            data.values.dtype == np.float32 and data.values.ndim == 2,
            "the data have the wrong type or shape",
        )
        _need(data.center.shape == data.values.shape[1:], "the centre does not match the data")


def _check_priors(priors: Any, n_fitted: int) -> None:
    for kept in priors.values():
        if isinstance(kept, FittedCombined):
            _check_priors(kept.parts, n_fitted)
        elif isinstance(kept, FittedLabels):
            _need(kept.codes.shape == (n_fitted,), "labels are too few")
            _check_codes(kept.codes, len(kept.reader.classes))
        elif isinstance(kept, FittedValues):
            _check_data(kept.data, n_fitted)


def _check_codes(codes: Any, count: int) -> None:
    _need(codes.dtype.kind in "iu" and codes.size > 0, "codes are not whole numbers")
    _need(codes.min() >= 0 and codes.max() < count, "codes are out of range")
