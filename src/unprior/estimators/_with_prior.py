"""A map together with its prior, for tools that pass on data alone."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from unprior._params import Kind, check_value
from unprior._typing import Floats
from unprior.estimators._base import PriorEstimator, keep_for
from unprior.estimators._new_samples import PlacingEstimator, read_fitted
from unprior.storage import fingerprint

#: Estimators that place new samples.
PLACING = Kind(
    "an IndependentTSNE, JEDI or Confetti", lambda value: isinstance(value, PlacingEstimator)
)


class WithPrior(TransformerMixin, BaseEstimator):
    """A map together with its prior, for tools that call ``fit(X)`` and ``transform(X)``.

    BERTopic does, with its ``umap_model``, and so do pipelines without metadata routing.

    Parameters
    ----------
    estimator : IndependentTSNE, JEDI or Confetti
        How the map is drawn; ``fit`` fits a copy.
    prior : Prior, array-like, or several of them in a list or dict
        The prior of the samples that ``fit`` is given.
    keep : array-like of shape (n_samples,), or several of them in a list or dict, optional
        Labels of these samples to protect, for estimators whose ``fit`` takes them.
    new_prior : Prior, array-like, or several of them in a list or dict, optional
        The prior of the samples that ``transform`` is given next: set this attribute before each
        call.
    without_prior : bool, default=False
        Whether samples without a ``new_prior`` are placed by their data alone, and so show the
        prior, instead of being refused.

    Attributes
    ----------
    estimator_ : estimator
        The fitted copy.
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(150, random_state=0)
    >>> reducer = up.WithPrior(up.Confetti(5, random_state=0), data.known[:120])
    >>> reducer.fit(data.X[:120]).transform(data.X[:120]).shape
    (120, 5)
    >>> reducer.new_prior = data.known[120:]
    >>> reducer.transform(data.X[120:]).shape
    (30, 5)
    """

    def __init__(
        self,
        estimator: Any,
        prior: Any,
        *,
        keep: Any = None,
        new_prior: Any = None,
        without_prior: bool = False,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.keep = keep
        self.new_prior = new_prior
        self.without_prior = without_prior

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if isinstance(self.estimator, PlacingEstimator):
            tags.input_tags = get_tags(self.estimator).input_tags
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: Any, y: Any = None) -> WithPrior:
        """Fit a copy of the estimator, with the prior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.
        y : array-like, optional
            Ignored, since tools pass on what they have.

        Returns
        -------
        self : WithPrior
        """
        check_value("WithPrior", "estimator", self.estimator, PLACING)
        kept = keep_for(self.estimator, self.keep, who="WithPrior")
        self.estimator_ = clone(self.estimator).fit(X, prior=self.prior, **kept)
        self._fitted_to = _identify(self.estimator_, X)
        return self

    @property
    def embedding_(self) -> Floats:
        """The map."""
        found: Floats = self.estimator_.embedding_
        return found

    @property
    def n_features_in_(self) -> int:
        """Number of features that ``fit`` was given."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the features that ``fit`` was given, if all are text."""
        return np.asarray(self.estimator_.feature_names_in_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the map's axes.

        Parameters
        ----------
        input_features : array-like of str, optional
            Ignored.

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.get_feature_names_out(input_features))

    def transform(self, X: Any) -> Floats:
        """Place new samples on the map; for the data of ``fit``, return the map itself.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            The data.

        Returns
        -------
        embedding : ndarray of shape (n_new, n_components)
        """
        check_is_fitted(self, "estimator_")
        if _identify(self.estimator_, X) == self._fitted_to:
            return self.embedding_.copy()
        if self.new_prior is None and not self.without_prior:
            message = (
                "WithPrior: 'transform' needs the prior of new samples; set 'new_prior' before the "
                "call, or without_prior=True to place them by their data alone."
            )
            raise ValueError(message)
        without = self.new_prior is None
        places: Floats = self.estimator_.transform(X, prior=self.new_prior, without_prior=without)
        return places


def _identify(estimator: PriorEstimator, X: Any) -> str:
    """Return a hash of data that is the same whatever holds them: a list, an array, a table."""
    if issparse(X):  # reading it would reduce it once more
        rows = csr_array(X)
        return str(joblib.hash([rows.shape, rows.data, rows.indices, rows.indptr]))
    return fingerprint(read_fitted(estimator, X))
