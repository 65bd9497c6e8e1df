"""``transform`` of the estimators: reading new samples, then places on the map or a graph."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn, cast

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils.validation import check_is_fitted

from unprior._frames import align, index_of, read_frame
from unprior._params import OneOf, check_value
from unprior._sparse import check_sparse
from unprior._threads import compiled_threads
from unprior._typing import Floats
from unprior._validation import check_finite
from unprior._warnings import DataWarning, caller_level
from unprior.estimators._base import MapEstimator, PriorEstimator, read_again, validate_numbers
from unprior.residual import warn_of_small_classes
from unprior.transform._distances import blocks
from unprior.transform._place import Placement, can_learn, learn_potentials
from unprior.transform._priors import FittedPrior, NewPriors, new_classes, read_values
from unprior.transform._tsne import Placed
from unprior.transform._views import FittedView

#: What to do with classes that were not in the fitted samples.
UNSEEN = OneOf("error", "mean", "fit")

#: Up to this many new samples one thread is faster than several.
FEW = 8


class PlacingEstimator(MapEstimator):
    """A map on which new samples can be placed."""

    # With metadata routing, transform gets the prior as fit does.
    __metadata_request__transform: ClassVar = {"prior": True}

    n_jobs: int | None
    _new: Placement | str

    def transform(
        self,
        X: Any,
        *,
        prior: Any = None,
        unseen: str = "error",
        without_prior: bool = False,
        return_far: bool = False,
    ) -> Any:
        """Place new samples on the fitted map, which stays as it is.

        Each sample starts among its neighbours in the fitted data, with the prior factored out as
        in ``fit``, and then moves, alone, to a minimum of the map's objective. So a row gets the
        same place, to the last bit, alone, in any batch and in any order. Fitted samples are placed
        like any others; ``embedding_`` has the places that ``fit`` gave them.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_samples)
            Features as in ``fit``, or distances to the fitted samples if ``metric="precomputed"``.
        prior : Prior, array-like, or several of them in a list or dict
            The prior of the new samples, under the same names as in ``fit``. Labels, features,
            places on Earth, positions on a circle, maps and tables are given by value; priors of
            distances, kernels, graphs and trees by the distances to the fitted samples, an array of
            shape (n_new, n_samples).
        unseen : {"error", "mean", "fit"}, default="error"
            What to do with classes that were not in the fitted samples: refuse them; correct
            nothing for them ("mean"); or estimate their mean and spread from the new samples, the
            one case in which places depend on the other rows.
        without_prior : bool, default=False
            Place samples whose prior is not known. They are placed by their data alone, so they
            show the prior.
        return_far : bool, default=False
            Also return which samples are far from all fitted data: farther from their 15th
            neighbour than 99 % of the fitted samples are from theirs. Their places mean little.

        Returns
        -------
        embedding : ndarray of shape (n_new, n_components)
        far : ndarray of shape (n_new,), bool
            Only with ``return_far=True``.
        """
        placed, far = self._place(X, prior, unseen=unseen, without_prior=without_prior)
        return (placed.places, far) if return_far else placed.places

    def _place(
        self, X: Any, prior: Any, *, unseen: str = "error", without_prior: bool = False
    ) -> tuple[Placed, Any]:
        """Place new samples; return their places with medians, and which are far."""
        check_is_fitted(self)
        who = type(self).__name__
        check_value(who, "unseen", unseen, UNSEEN)
        if isinstance(self._new, str):
            message = f"{who}: 'transform' {self._new}"
            raise ValueError(message)
        X, values = read_new(
            self, self._new.priors, X, prior, unseen=unseen, without_prior=without_prior
        )
        if unseen == "fit":
            warn_of_new_classes(who, self._new.priors, values, learns=self._learns())
        with compiled_threads(self.n_jobs if len(X) > FEW else 1):
            views = self._views_of_new(X, values, unseen)
            return self._new.place(views, values, learn=unseen == "fit")

    def _learns(self) -> bool:
        """Whether new classes can be learnt from new samples."""
        new = cast("Placement", self._new)
        return can_learn(new.map.views[0], new.priors)

    def _views_of_new(self, X: Floats, values: Mapping[str, Any], unseen: str) -> list[Floats]:
        """Return the new samples in each view."""
        return [X]


def read_new(
    estimator: PriorEstimator,
    kept: Mapping[str, FittedPrior],
    X: Any,
    prior: Any,
    *,
    unseen: str,
    without_prior: bool,
) -> tuple[Floats, dict[str, Any]]:
    """Read new samples and their priors; no priors if ``fit`` had none."""
    who = type(estimator).__name__
    prior = align(who, "prior", prior, index_of(X))
    X = read_new_data(estimator, X)
    if prior is None and kept and not without_prior:
        allows = isinstance(estimator, MapEstimator)
        message = f"{who}: 'transform' needs the prior of new samples, as in fit; call " + (
            "transform(X, prior=...), or give without_prior=True to place them by their data alone."
            if allows
            else "transform(X, prior=...)."
        )
        raise ValueError(message)
    if prior is None or not kept:
        return X, {}
    return X, read_values(who, kept, prior, len(X), unseen)


def warn_of_new_classes(
    who: str, kept: Mapping[str, FittedPrior], values: Mapping[str, Any], *, learns: bool
) -> None:
    """Warn about new classes that cannot be learnt, or only from few samples."""
    for name, reader, codes in new_classes(kept, values):
        if learns:
            warn_of_small_classes(who, name, reader, codes)
            continue
        message = (
            f"{who}: nothing is learnt about the new classes of {name!r}, which are placed as with "
            "unseen='mean'; only residuals other than 'linear' and, for a single prior, balanced "
            "neighbours learn from new samples."
        )
        warnings.warn(message, DataWarning, stacklevel=caller_level())


def read_new_data(estimator: PriorEstimator, X: Any) -> Floats:
    """Check data of new samples: features, or distances to the fitted samples."""
    who = type(estimator).__name__
    X, _ = read_frame(who, "X", X)
    X = validate_numbers(
        estimator,
        X,
        reset=False,
        accept_sparse="csr",
        dtype=(np.float64, np.float32),
        ensure_all_finite=False,
        estimator=who,
    )
    if issparse(X):
        X = check_sparse(who, "X", X)
    else:
        check_finite(who, "X", X)
    if estimator._projection is not None:
        X = estimator._projection(X)
    elif issparse(X):
        X = X.toarray()
    if estimator.metric == "precomputed" and (X < 0).any():
        message = (
            f"{who}: 'X' takes distances of new samples to the fitted ones; got a negative number."
        )
        raise ValueError(message)
    return X


def read_fitted(estimator: PriorEstimator, X: Any) -> Any:
    """Read data as ``fit`` does, to see whether they are its own.

    Distances to fitted samples need not be symmetric or square; then they are not the data of
    ``fit``.
    """
    try:
        return read_again(estimator, X)
    except ValueError:
        if estimator.metric != "precomputed":
            raise
        return np.zeros((0, 0))


def graph_to_fitted(
    estimator: PriorEstimator,
    view: FittedView | str,
    kept: Mapping[str, FittedPrior],
    X: Any,
    prior: Any,
    unseen: str,
) -> csr_matrix:
    """Return the graph from new samples to the fitted ones."""
    if isinstance(view, str):
        message = f"{type(estimator).__name__}: 'transform' {view}"
        raise ValueError(message)
    X, values = read_new(estimator, kept, X, prior, unseen=unseen, without_prior=False)
    n_fitted, found, potentials = view.data.n_samples, [], None
    if unseen == "fit":
        who = type(estimator).__name__
        warn_of_new_classes(who, kept, values, learns=can_learn(view, kept))
        potentials = learn_potentials(view, kept, X, values)
    for rows in blocks(len(X), n_fitted):
        priors = NewPriors.of(kept, values, rows, potentials)
        found.append(view.neighbors(view.data.distances(X[rows]), priors))
    indices, lengths = (np.concatenate(parts).ravel() for parts in zip(*found, strict=True))
    starts = np.arange(0, len(X) * view.k + 1, view.k)
    return csr_matrix((lengths, indices, starts), shape=(len(X), n_fitted))


def adopt_columns(fitted: PriorEstimator, reader: PriorEstimator) -> None:
    """Let ``transform`` of an estimator take the columns that another one has read for it."""
    for name in ("n_features_in_", "feature_names_in_", "_projection"):
        if name in vars(reader):
            setattr(fitted, name, getattr(reader, name))


class NoTransform:
    """The ``transform`` of estimators that have none: names those that do."""

    def __get__(self, instance: Any, owner: type) -> NoReturn:
        message = (
            f"{owner.__name__}: there is no 'transform', since the objective is defined on all "
            "samples together; use IndependentTSNE, JEDI or Confetti to place new samples."
        )
        raise AttributeError(message)
