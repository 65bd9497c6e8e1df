"""Base classes of the estimators, and the checks of data, priors and kept labels."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_array
from sklearn.utils.validation import validate_data

from unprior._forms import is_pandas
from unprior._frames import align, read_frame
from unprior._params import Option, check_options
from unprior._projection import Projection
from unprior._remarks import warn_of_data
from unprior._sparse import reduce_data
from unprior._typing import Floats
from unprior._validation import check_distances, check_finite, check_squares, refuse_large
from unprior._warnings import (
    DataWarning,
    InterruptedFitWarning,
    PriorMissingWarning,
    caller_level,
)
from unprior.geometry import StoredDistances
from unprior.optimize import Descent
from unprior.optimize._minimize import SMALLER
from unprior.priors import Keep, Prior, parts_of, read_keep
from unprior.storage import StoredRows, check_stored, stored_rows

#: Smallest number of samples with meaningful neighbourhoods.
MIN_SAMPLES = 4

#: Squares of smaller numbers are too small for single precision.
SMALL = 1e-15


class PriorEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """An estimator whose ``fit`` takes a prior: ``fit(X, y=None, *, prior=None)``."""

    _options: ClassVar[Mapping[str, Option]]

    #: Whether data may stay on disk or on a cluster: the estimator needs only blocks of distances.
    _reads_rows_on_demand: ClassVar[bool] = False

    #: Whether the result has the columns of the data, so that none may be dropped.
    _keeps_columns: ClassVar[bool] = False

    # With metadata routing enabled, a pipeline passes the prior on without a request.
    __metadata_request__fit: ClassVar = {"prior": True}

    metric: Any
    checkpoint: Any  # of maps that can be resumed
    random_state: Any  # of maps

    #: How data were reduced before the fit, for new samples; None if they were not.
    _projection: Projection | None = None

    def _removes_something(self) -> bool:
        """Whether the options ask for a prior, so that to warn if there is none."""
        return True

    @abstractmethod
    def _fit(self, X: Any, priors: dict[str, Prior], keep: Keep | None) -> None:
        """Fit to checked inputs, those of `read_inputs`."""

    def fit(self, X: Any, y: None = None, *, prior: Any = None) -> Self:
        """Fit to data and a prior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or distances if ``metric="precomputed"``.
        y : None
            Ignored: a prior is what to remove, a target would be what to keep.
        prior : Prior, array-like, or several of them in a list or dict
            Prior knowledge; see `unprior.priors.as_prior`.

        Returns
        -------
        self : estimator
        """
        check_options(self)
        self._fit(*read_inputs(self, X, prior))
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = _takes_distances(self)
        tags.input_tags.sparse = not _takes_distances(self)
        tags.transformer_tags.preserves_dtype = []
        return tags


class KeepingEstimator(PriorEstimator):
    """An estimator whose ``fit`` also takes labels to protect."""

    __metadata_request__fit: ClassVar = {"keep": True}

    def fit(self, X: Any, y: None = None, *, prior: Any = None, keep: Any = None) -> Self:
        """Fit to data, a prior and labels to protect.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or distances if ``metric="precomputed"``.
        y : None
            Ignored: a prior is what to remove, a target would be what to keep.
        prior : Prior, array-like, or several of them in a list or dict
            Prior knowledge; see `unprior.priors.as_prior`.
        keep : array-like of shape (n_samples,), or several of them in a list or dict
            Labels to protect: the prior is removed within each of their classes, and of several
            within each combination. Samples without a label (None, NaN) take that of most labelled
            neighbours.

        Returns
        -------
        self : estimator
        """
        check_options(self)
        self._fit(*read_inputs(self, X, prior, keep))
        return self


class MapEstimator(PriorEstimator):
    """An estimator whose result is a map, ``embedding_``."""

    embedding_: Floats

    def fit_transform(
        self, X: Any, y: None = None, *, prior: Any = None, keep: Any = None
    ) -> Floats:
        """Fit the map and return it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, also sparse, or distances if ``metric="precomputed"``.
        y : None
            Ignored: a prior is what to remove, a target would be what to keep.
        prior : Prior, array-like, or several of them in a list or dict
            Prior knowledge; see `unprior.priors.as_prior`.
        keep : array-like of shape (n_samples,), or several of them in a list or dict
            Labels to protect, for methods whose ``fit`` takes them.

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
        """
        return self.fit(X, prior=prior, **keep_for(self, keep)).embedding_

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


class DescentEstimator(MapEstimator):
    """An estimator whose map is found by gradient descent."""

    n_iter: int
    objective_: Floats
    n_iter_: int
    learning_rate_: float

    def _set_fitted(self, descent: Descent) -> None:
        """Set the fitted attributes, whatever stopped the descent."""
        self.embedding_ = descent.embedding
        self.objective_ = descent.history
        self.n_iter_ = descent.n_iter
        self.learning_rate_ *= SMALLER**descent.n_restarts
        if descent.stopped_by == "keyboard":
            warnings.warn(
                f"{type(self).__name__}: stopped from the keyboard after {descent.n_iter} of "
                f"{max(self.n_iter, descent.n_iter)} steps; the map so far is kept in embedding_.",
                InterruptedFitWarning,
                stacklevel=caller_level(),
            )


def read_inputs(
    estimator: PriorEstimator,
    X: Any,
    prior: Any,
    keep: Any = None,
    *,
    who: str | None = None,
) -> tuple[Any, dict[str, Prior], Keep | None]:
    """Check what ``fit`` is given; return data, priors by name, and kept labels if there are any.

    Data are an array, or `StoredRows` of a large one on disk or on a cluster if the estimator
    supports them. Rows of priors and kept labels are matched with those of X by name, if all have
    names. ``who`` is the name in messages, by default the estimator's.
    """
    who = who or type(estimator).__name__
    X, index = read_frame(who, "X", X)
    X = _read_data(estimator, X, who)
    kept = _read_kept(who, keep, index, len(X))
    if prior is None and not estimator._removes_something():
        return X, {}, kept
    return X, _read_priors(estimator, prior, index, len(X), who), kept


def _read_data(estimator: PriorEstimator, X: Any, who: str) -> Any:
    """Check X: features, or distances if the metric is "precomputed"."""
    warns = isinstance(estimator, MapEstimator)  # the residual of such data is correct
    rows = _stored(estimator, X)
    if rows is None:
        X = _read(estimator, X, who, reset=True, ensure_min_samples=MIN_SAMPLES)
        same = not X.any() if _takes_distances(estimator) else bool((X[0] == X).all())
    else:
        X, same = rows, _check_stored(estimator, rows, who, reset=True)
    if same:
        message = f"{who}: all {len(X)} rows of 'X' are identical; there is nothing to map."
        raise ValueError(message)
    if warns and rows is None and not _takes_distances(estimator):
        warn_of_data(who, X, getattr(estimator, "feature_names_in_", None))
    return X


def read_again(estimator: PriorEstimator, X: Any) -> Any:
    """Check X for a fitted estimator, as `read_inputs` does for ``fit``."""
    who = type(estimator).__name__
    X, _ = read_frame(who, "X", X)
    rows = _stored(estimator, X)
    if rows is None:
        return _read(estimator, X, who, reset=False)
    _check_stored(estimator, rows, who, reset=False)
    return rows


def _read(estimator: PriorEstimator, X: Any, who: str, **checks: Any) -> Floats:
    # The name for scikit-learn's messages: the estimator may only read data for a function.
    checks |= {"dtype": (np.float64, np.float32), "ensure_all_finite": False, "estimator": who}
    if checks["reset"]:
        estimator._projection = None
    if issparse(X) and not _takes_distances(estimator):
        validate_data(estimator, X, skip_check_array=True, reset=checks["reset"])
        metric, keeps = estimator.metric, estimator._keeps_columns
        X, projection = reduce_data(who, "X", X, metric, keeps_columns=keeps)
        if checks["reset"]:
            estimator._projection = projection
        return check_array(X, **{k: v for k, v in checks.items() if k != "reset"})
    if issparse(X):
        message = (
            f"{who}: 'X' is sparse; metric=\"precomputed\" takes all distances as a dense array, "
            "such as X.toarray()."
        )
        raise TypeError(message)
    if is_pandas(X) and not X.size:
        X = np.empty(X.shape)  # pandas has no dtype without columns
    X = validate_numbers(estimator, X, **checks)
    if _takes_distances(estimator):
        D = check_distances(who, "X", X)
        refuse_large(who, "X", float(D.max(initial=0)), np.dtype(np.float64))
        return D
    check_finite(who, "X", X)
    check_squares(who, "X", X)
    if X.dtype == np.float32 and np.abs(X).max() < SMALL and isinstance(estimator, MapEstimator):
        return X.astype(np.float64)
    return X


def validate_numbers(estimator: Any, X: Any, /, **checks: Any) -> Any:
    """Check data as scikit-learn does, but say in a sentence that they are text."""
    try:
        return validate_data(estimator, X, **checks)
    except ValueError as error:
        if not str(error).startswith("could not convert"):
            raise
        message = f"{checks['estimator']}: 'X' takes numbers; got something else ({error})."
        raise ValueError(message) from error


def _stored(estimator: PriorEstimator, X: Any) -> StoredRows | None:
    """Return X as rows on demand, if it is stored and the estimator supports that."""
    who = type(estimator).__name__
    rows = stored_rows(X, who=who) if _leaves_stored(estimator) else None
    return rows if rows is not None and len(rows) >= MIN_SAMPLES else None


def _check_stored(estimator: PriorEstimator, rows: StoredRows, who: str, *, reset: bool) -> bool:
    """Check rows on demand, and return whether all are the same."""
    validate_data(estimator, rows, skip_check_array=True, reset=reset)
    found = check_stored(who, "X", rows)
    refuse_large(who, "X", found.largest, rows.dtype)
    return found.same


def _leaves_stored(estimator: PriorEstimator) -> bool:
    """Whether data and priors stay where they are stored."""
    return estimator._reads_rows_on_demand and not _takes_distances(estimator)


def _takes_distances(estimator: PriorEstimator) -> bool:
    return isinstance(estimator.metric, str) and estimator.metric == "precomputed"


def _read_priors(
    estimator: PriorEstimator, prior: Any, index: Any, n_samples: int, who: str
) -> dict[str, Prior]:
    """Check the priors and return them by name; without any, warn and return an empty dict."""
    if prior is None:
        warnings.warn(
            f"{who} was fitted without a prior: nothing is factored out. Pass what you know as "
            "prior=....",
            PriorMissingWarning,
            stacklevel=caller_level(),
        )
        return {}
    if isinstance(prior, str):
        message = (
            f"{who}: 'prior' takes what is known of the samples; got the name {prior!r}. Give the "
            f"values, prior=X[{prior!r}], and leave that column out of X; embed does both for you."
        )
        raise TypeError(message)
    priors = parts_of(align(who, "prior", prior, index), n_samples, who=who)
    if not _leaves_stored(estimator):
        priors = {name: _in_memory(part) for name, part in priors.items()}
    for name, part in priors.items():
        if part.is_constant():
            which = f" {name!r}" if len(priors) > 1 else ""
            message = (
                f"{who}: the prior{which} says nothing: all samples are equally far apart in it "
                f"({part.describe_constant()}). Leave it out."
            )
            raise ValueError(message)
        if isinstance(estimator, MapEstimator):
            for remark in part.remarks():
                message = f"{who}: of {name!r}, {remark}"
                warnings.warn(message, DataWarning, stacklevel=caller_level())
    return priors


def keep_for(estimator: PriorEstimator, keep: Any, who: str | None = None) -> dict[str, Any]:
    """Return kept labels as an argument of ``fit``; refuse them for methods that take none."""
    name = type(estimator).__name__
    if keep is None:
        return {}
    if not isinstance(estimator, KeepingEstimator):
        message = (
            f"{who or name}: 'keep' is not taken by {name}, which has no chance level "
            "within kept labels; use IndependentTSNE, Confetti, ConfettiNeighbors or Residual."
        )
        raise TypeError(message)
    return {"keep": keep}


def _read_kept(who: str, keep: Any, index: Any, n_samples: int) -> Keep | None:
    """Check the kept labels; None if there are none."""
    if isinstance(keep, str):
        message = (
            f"{who}: 'keep' takes one label for each sample; got the name {keep!r}. Give the "
            f"values, keep=X[{keep!r}], and leave that column out of X; embed does both for you."
        )
        raise TypeError(message)
    return read_keep(who, align(who, "keep", keep, index), n_samples)


def _in_memory(prior: Prior) -> Prior:
    return prior[:] if isinstance(prior, StoredDistances) else prior
