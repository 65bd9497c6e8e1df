"""A map together with its prior, for tools that pass on data alone."""

from __future__ import annotations

from typing import Any

import joblib
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from unprior._params import Kind, check_value
from unprior._typing import Floats
from unprior.estimators._new_samples import PlacingEstimator

#: Estimators that place new samples.
PLACING = Kind(
    "an IndependentTSNE, JEDI or Confetti", lambda value: isinstance(value, PlacingEstimator)
)


class WithPrior(TransformerMixin, BaseEstimator):
    """A map together with its prior, for tools that call ``fit(X)`` and ``transform(X)``.

    Such as BERTopic, with its ``umap_model``, and pipelines without metadata routing.

    Parameters
    ----------
    estimator : IndependentTSNE, JEDI or Confetti
        How the map is drawn; ``fit`` fits a copy.
    prior : Prior, array-like, or several of them in a list or dict
        The prior of the samples that ``fit`` is given.
    new_prior : Prior, array-like, or several of them in a list or dict, optional
        The prior of the samples that ``transform`` is given next: set this attribute before each
        call.
    without_prior : bool, default=False
        Whether samples without a ``new_prior`` are placed by their data alone, so that they show
        the prior, instead of being refused.

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
        new_prior: Any = None,
        without_prior: bool = False,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.new_prior = new_prior
        self.without_prior = without_prior

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
        self.estimator_ = clone(self.estimator).fit(X, prior=self.prior)
        self._fitted_to = joblib.hash(X)
        return self

    @property
    def embedding_(self) -> Floats:
        """The map."""
        found: Floats = self.estimator_.embedding_
        return found

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
        if joblib.hash(X) == self._fitted_to:
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
