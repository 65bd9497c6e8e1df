"""Data and prior -> data without what the prior explains, for any map to follow."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from unprior._params import Number, OneOf, Option, check_options, describe_options
from unprior._typing import Floats
from unprior.estimators._base import (
    PriorEstimator,
    fingerprint,
    read_again,
    read_data,
    read_priors,
)
from unprior.estimators._linear_part import LinearPart, span, squared_residual
from unprior.estimators._regressors import Regressors, learn_regressors, single_priors
from unprior.priors import parts_of


@describe_options
class Residual(OneToOneFeatureMixin, PriorEstimator):
    """Take out of the data what a prior explains, before any map or other method.

    The linear kind regresses the data on the prior and keeps what remains, with the overall mean:
    of labels it removes the differences between class means, of features the least-squares fit. All
    other priors enter through their principal coordinates (as many as hold 95 % of the positive
    spectrum, at most 10). Several priors are regressed out jointly; what `unprior.priors.combine`
    or a table made counts as its parts. Without a prior the data pass as they are.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    rank_ : int
        Number of directions that were taken out; 0 without a prior.
    n_features_in_ : int
        Columns of ``X``.

    See Also
    --------
    JEDI, Confetti : Factor out also what is not linear, in the map itself.

    Notes
    -----
    Principal coordinates of more than 2000 samples are those of 2000 landmarks, by which the others
    are placed; no n × n array is made unless one was given.

    With ``metric="precomputed"`` the regression works on the centred Gram matrix. If the distances
    are those of points, the result is the distances between the points' residuals. Otherwise some
    squared distances can come out negative; they count as zero.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(200, random_state=0)
    >>> X = up.Residual().fit_transform(data.X, prior=data.known)
    >>> means = [X[data.known == name].mean(axis=0) for name in ("A1", "A2", "A3", "A4")]
    >>> bool(abs(means - data.X.mean(axis=0)).max() < 1e-9)
    True

    In front of another method:

    >>> from sklearn.decomposition import PCA
    >>> from sklearn.pipeline import make_pipeline
    >>> pipeline = make_pipeline(up.Residual(), PCA(2))
    >>> pipeline.fit_transform(data.X, residual__prior=data.known).shape
    (200, 2)
    """

    _options: ClassVar = {
        "kind": Option(OneOf("linear"), 'What is taken out: "linear", the least-squares fit.'),
        "strength": Option(Number(0, 1), "The share of it that is taken out: 0 nothing, 1 all."),
        "metric": Option(
            OneOf("euclidean", "precomputed"),
            '"euclidean" if ``X`` holds features, "precomputed" if it is a distance matrix; then '
            "so is the result.",
        ),
    }

    # With metadata routing on, transform gets the prior as fit does.
    __metadata_request__transform: ClassVar = {"prior": True}

    rank_: int

    def __init__(
        self, kind: str = "linear", *, strength: float = 1.0, metric: str = "euclidean"
    ) -> None:
        self.kind = kind
        self.strength = strength
        self.metric = metric

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: None = None, *, prior: Any = None) -> Residual:
        """Learn what the prior explains.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or distances if ``metric="precomputed"``.
        y : None
            Ignored: a prior is what to remove, a target would be what to keep.
        prior : Prior, array-like, or several of them in a list or dict
            What is known; see `unprior.priors.as_prior`.

        Returns
        -------
        self : Residual
        """
        self._learn(X, prior)
        return self

    def fit_transform(self, X: Any, y: None = None, *, prior: Any = None) -> Floats:
        """Learn what the prior explains and return the data without it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or distances if ``metric="precomputed"``.
        y : None
            Ignored: a prior is what to remove, a target would be what to keep.
        prior : Prior, array-like, or several of them in a list or dict
            What is known; see `unprior.priors.as_prior`.

        Returns
        -------
        residual : ndarray of the same shape as X
        """
        X = self._learn(X, prior)
        return self._residual(X, None if self._part is None else self._part.basis)

    def transform(self, X: Any, prior: Any = None) -> Floats:
        """Return data without what the prior explains.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples of ``fit``, or new ones.
        prior : Labels, Features, array-like, or several of them in a list or dict
            What is known of new samples, told as in ``fit``: only labels and features can tell it.
            The samples of ``fit`` need none.

        Returns
        -------
        residual : ndarray of the same shape as X
        """
        check_is_fitted(self)
        X = read_again(self, X)
        if self._part is None:
            return self._residual(X, None)
        if prior is None or self.metric == "precomputed":
            self._check_fitted_samples(X)
            return self._residual(X, self._part.basis)
        return self._residual(X, self._part.directions(self._columns_of_new(prior, len(X))))

    def _learn(self, X: Any, prior: Any) -> Floats:
        """Fit, and return the data as they were read."""
        check_options(self)
        X = read_data(self, X)
        told = {
            name: learn_regressors(part)
            for name, part in single_priors(read_priors(self, prior, len(X)))
        }
        self._regressors: dict[str, Regressors] = {name: how for name, (how, _) in told.items()}
        self._part: LinearPart | None = None
        if told:
            self._part = span(np.hstack([columns for _, columns in told.values()]))
        self.rank_ = 0 if self._part is None else self._part.basis.shape[1]
        if self.rank_ >= len(X) - 1:
            message = (
                f"Residual: the prior has {self.rank_} independent columns, which explain any "
                f"{len(X)} samples in full; give fewer columns or more samples."
            )
            raise ValueError(message)
        if self._part is not None and self.metric != "precomputed":
            self._coefficients = self._part.basis.T @ (X - X.mean(axis=0, dtype=np.float64))
        self._fingerprint = fingerprint(X)
        return X

    def _residual(self, X: Floats, directions: Floats | None) -> Floats:
        """Take what these directions explain out of the data, in the data's precision."""
        if directions is None:
            return X.copy()
        if self.metric == "precomputed":
            squared = squared_residual(np.square(X, dtype=np.float64), directions, self.strength)
            return np.sqrt(np.maximum(squared, 0)).astype(X.dtype)
        return (X - self.strength * directions @ self._coefficients).astype(X.dtype)

    def _columns_of_new(self, prior: Any, n_samples: int) -> Floats:
        parts = dict(single_priors(parts_of(prior, n_samples, who="Residual")))
        if parts.keys() != self._regressors.keys():
            message = (
                f"Residual: 'prior' takes what fit was given, {[*self._regressors]}; got "
                f"{[*parts]}."
            )
            raise ValueError(message)
        return np.hstack(
            [how.of_new("Residual", name, parts[name]) for name, how in self._regressors.items()]
        )

    def _check_fitted_samples(self, X: Floats) -> None:
        if fingerprint(X) != self._fingerprint:
            message = (
                "Residual: 'transform' of distances knows only the samples it was fitted to; fit "
                "to all samples together."
                if self.metric == "precomputed"
                else "Residual: 'transform' needs the prior of new samples; call transform(X, "
                "prior=...)."
            )
            raise ValueError(message)
