"""New samples -> places on a fitted map, where it can place them; else a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted, validate_data

from unprior._frames import align, index_of, read_frame
from unprior._params import OneOf, check_value
from unprior._threads import compiled_threads
from unprior._typing import Floats
from unprior._validation import check_finite
from unprior.estimators._base import MapEstimator
from unprior.transform._place import NewSamples
from unprior.transform._priors import KeptPrior, read_known
from unprior.transform._tsne import Placed

#: What to do with classes that fit has not seen.
UNSEEN = OneOf("error", "mean", "fit")

#: Up to so many new samples a second thread costs more than it does.
FEW = 8


class PlacingEstimator(MapEstimator):
    """A map on which new samples can be placed."""

    # With metadata routing on, transform gets the prior as fit does.
    __metadata_request__transform: ClassVar = {"prior": True}

    n_jobs: int | None
    _new: NewSamples | str

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

        Each sample is placed by its neighbours among the fitted ones, with the prior factored out
        as in ``fit``, and then moved alone to where the map's forces on it are in balance. So a row
        gets the same place, to the last bit, alone, in any batch and in any order. What ``fit`` was
        given is placed like any other sample: ``embedding_`` holds where it was drawn.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_samples)
            Features as in ``fit``, or distances to the fitted samples if ``metric="precomputed"``.
        prior : Prior, array-like, or several of them in a list or dict
            What is known of the new samples, told as in ``fit``: labels, features, places,
            positions on a circle, maps and tables by their values; priors of distances, kernels,
            graphs and trees by distances to the fitted samples, an array of shape
            (n_new, n_samples).
        unseen : {"error", "mean", "fit"}, default="error"
            What to do with classes that ``fit`` has not seen: refuse them; take them for nothing in
            particular; or learn their mean and spread from the new samples, the one case in which
            places depend on the other rows.
        without_prior : bool, default=False
            Whether samples may come without the prior that ``fit`` had. They are then placed by
            their data alone, and show the prior.
        return_far : bool, default=False
            Whether to return, too, which samples are far from all fitted data: farther from their
            15th neighbour than 99 % of the fitted samples are from theirs. Their places say little.

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
        X, told = read_new(
            self, self._new.priors, X, prior, unseen=unseen, without_prior=without_prior
        )
        with compiled_threads(self.n_jobs if len(X) > FEW else 1):
            return self._new.place(self._views_of_new(X, told, unseen), told)

    def _views_of_new(self, X: Floats, told: Mapping[str, Any], unseen: str) -> list[Floats]:
        """Return the new samples in each view of them."""
        return [X]


def read_new(
    estimator: Any,
    kept: Mapping[str, KeptPrior],
    X: Any,
    prior: Any,
    *,
    unseen: str,
    without_prior: bool,
) -> tuple[Floats, dict[str, Any]]:
    """Read new samples, and what is known of them as far as ``fit`` has known it."""
    who = type(estimator).__name__
    prior = align(who, "prior", prior, index_of(X))
    X = read_new_data(estimator, X)
    if prior is None and kept and not without_prior:
        allows = hasattr(estimator, "embedding_")
        message = f"{who}: 'transform' needs the prior of new samples, told as in fit; call " + (
            "transform(X, prior=...), or give without_prior=True to place them by their data alone."
            if allows
            else "transform(X, prior=...)."
        )
        raise ValueError(message)
    if prior is None or not kept:
        return X, {}
    return X, read_known(who, kept, prior, len(X), unseen)


def read_new_data(estimator: Any, X: Any) -> Floats:
    """Check data of new samples: features, or distances to the fitted samples."""
    who = type(estimator).__name__
    X, _ = read_frame(who, "X", X)
    sparse = issparse(X)
    if sparse:
        validate_data(estimator, X, skip_check_array=True, reset=False)
        X = X.toarray()
    X = validate_data(
        estimator,
        X,
        reset=False,
        dtype=(np.float64, np.float32),
        ensure_all_finite=False,
        skip_check_array=False,
        estimator=who,
    )
    check_finite(who, "X", X)
    if estimator.metric == "precomputed" and (X < 0).any():
        message = (
            f"{who}: 'X' takes distances of new samples to the fitted ones; got a negative number."
        )
        raise ValueError(message)
    return X


class NoTransform:
    """Stands for ``transform`` where there is none: whoever asks for it is told what to take."""

    def __get__(self, instance: Any, owner: type) -> NoReturn:
        message = (
            f"{owner.__name__}: has no 'transform', since its objective is of all samples "
            "together; take IndependentTSNE, JEDI or Confetti to place new samples."
        )
        raise AttributeError(message)
