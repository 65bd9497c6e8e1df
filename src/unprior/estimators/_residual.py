"""`Residual`: data without what a prior explains, for any map or other method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sklearn.base import OneToOneFeatureMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from unprior._frames import align, index_of
from unprior._params import (
    Either,
    Number,
    OneOf,
    Option,
    Whole,
    describe_options,
)
from unprior._threads import one_blas_thread
from unprior._typing import Floats
from unprior.estimators._base import KeepingEstimator, read_again
from unprior.geometry import as_counted
from unprior.priors import Keep, Prior
from unprior.residual import (
    WITH_RESIDUAL,
    FittedResidual,
    Model,
    complete_labels,
    fit_residual,
    flat_priors,
    read_like_fitted,
    recognize,
    refuse_new,
    subtract,
    warn_of_more,
)
from unprior.storage import fingerprint


@describe_options
class Residual(OneToOneFeatureMixin, KeepingEstimator):
    """Remove from the data what a prior explains, before any map or other method.

    The kinds differ in what they remove. All keep the overall mean.

    * ``"linear"`` removes the least-squares fit of the data on the prior: for labels differences
      between class means, for features a linear function of them. Other priors enter through their
      principal coordinates (95 % of the positive spectrum, at most 10). Several priors are fitted
      jointly. Every column removes a direction, even if it is unrelated to the data: two random
      classes change a sixth of the 15 nearest neighbours among the 150 samples of iris, and 20
      random classes a third to two thirds among 400 samples. The other kinds do not do this.
    * ``"smooth"`` removes what the prior predicts: for labels the mean of the class, for other
      priors the mean over the neighbours in the prior, always without the sample itself. Means are
      shrunk by their noise along each principal axis, and a prior that predicts no better than
      chance leaves the data unchanged. (Of 100 unrelated priors, up to 4 are removed from data with
      one or two columns, 1 from data with ten.) Several priors are removed together: each removes
      what it predicts once the others are removed, so their order hardly matters.
    * ``"aligned"`` also removes differences in covariance: every group of the prior is given the
      pooled covariance by the smallest motion. Groups are the classes of labels; other priors are
      divided into groups of about 200 samples, at most 50. A group is moved only if its covariance
      differs by more than noise; heavy tails can be mistaken for such a difference.
    * ``"clustered"`` removes differences between groups within soft clusters that they share, as
      Harmony does: for batches of cells and other priors with classes. Groups are not moved as a
      whole, so a cell type that some batches lack stays apart. Clusters are formed by the direction
      of samples from the mean, so data with one or two columns have few.

    A table, and a prior made by `unprior.priors.combine`, count as several priors. Without a prior
    nothing is removed.

    Kept labels (``fit(X, prior=..., keep=...)``) are fitted together with the prior, and
    differences between their classes stay: classes that only some groups of the prior have are not
    moved onto others. All kinds but "linear" then also work within each kept class of 20 samples or
    more. A new sample belongs to the kept class with the nearest mean.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    kind_ : str
        The kind that was used; "none" if "auto" removed nothing, since every kind would have raised
        how much neighbours share of the prior.
    rank_ : int
        Number of directions removed by the linear kind; 0 without a prior.
    n_neighbors_ : int
        Number of prior neighbours of the other kinds.
    n_features_in_ : int
        Columns of ``X``.

    See Also
    --------
    JEDI, Confetti : Factor out in the map itself.

    References
    ----------
    Korsunsky and others, "Fast, sensitive and accurate integration of single-cell data with
    Harmony", Nature Methods 2019.

    Notes
    -----
    No n × n array is made unless one was given. With more than 5000 samples, prior neighbours are
    found among 5000 landmarks; principal coordinates use 2000. Landmarks are the same every
    time.

    Along a principal axis of the data, let m be the mean over a sample's neighbours, w the sum of
    squared weights in it, v the variance of the data, and s the variance of what the prior predicts
    (the mean product of a sample and its m). Then m times s / (s + (v - s) w) is removed. The 50
    leading axes have their own s, all others share one; alignment is on the leading axes.

    A `BalanceWarning` says if neighbours, among at most 2000 samples, share more of a prior than
    before: where groups differ in composition, "linear", "smooth" and "aligned" can tear types
    apart and separate batches.

    New samples are part of no mean, so ``transform`` has nothing to leave out. With the smooth
    kinds, the result for some of the fitted samples, passed with their prior, therefore differs
    slightly from the result for all of them.

    With ``metric="precomputed"`` the same is done with the centred Gram matrix, or with coordinates
    made from it, which takes time O(n³) for the smooth kinds. For Euclidean distances the result is
    nearly the distances between residuals; for the smooth kinds and more than 50 features it can
    differ by some hundredths. Otherwise squared distances can become negative; they count as zero.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(500, random_state=0)
    >>> up.scores.neighbor_purity(data.X, data.known) > 0.9
    True
    >>> X = up.Residual().fit_transform(data.X, prior=data.known)
    >>> up.scores.neighbor_purity(X, data.known) < 0.1
    True

    In front of another method:

    >>> from sklearn.decomposition import PCA
    >>> from sklearn.pipeline import make_pipeline
    >>> pipeline = make_pipeline(up.Residual("aligned"), PCA(2))
    >>> pipeline.fit_transform(data.X, residual__prior=data.known).shape
    (500, 2)
    """

    _options: ClassVar = {
        "kind": Option(
            OneOf("linear", "smooth", "aligned", "clustered", "auto"),
            'What is removed: "linear", the least-squares fit; "smooth", the mean over prior '
            'neighbours; "aligned", also differences in covariance; "clustered", differences '
            'between groups within the clusters that they share. "auto" is "clustered" if groups '
            'differ in composition; otherwise "aligned", and for priors with classes then also '
            "clustered, with shifts shrunk by their noise. It removes nothing if neighbours would "
            "then share more of the prior than before.",
        ),
        "strength": Option(Number(0, 1), "The fraction of it that is removed: 0 nothing, 1 all."),
        "n_neighbors": Option(
            Either(OneOf("auto"), Whole(1)),
            "Number of prior neighbours in the means of the smooth kinds, if the prior has no "
            'classes; "auto" is the square root of the number of samples, at most 71.',
        ),
        "metric": Option(
            OneOf(*WITH_RESIDUAL),
            '"euclidean" or its synonym "l2" if ``X`` holds features, "cosine" to scale rows '
            'to length 1 first, "precomputed" if it is a '
            "distance matrix; then so is the result.",
        ),
    }

    _keeps_columns: ClassVar = True
    # With metadata routing on, transform gets the prior as fit does.
    __metadata_request__transform: ClassVar = {"prior": True}

    kind_: str
    rank_: int
    n_neighbors_: int
    _model: Model | None

    def __init__(
        self,
        kind: str = "smooth",
        *,
        strength: float = 1.0,
        n_neighbors: int | str = "auto",
        metric: str = "euclidean",
    ) -> None:
        self.kind = kind
        self.strength = strength
        self.n_neighbors = n_neighbors
        self.metric = metric

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit_transform(
        self, X: Any, y: None = None, *, prior: Any = None, keep: Any = None
    ) -> Floats:
        """Learn what the prior explains and return the data without it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or distances if ``metric="precomputed"``.
        y : None
            Ignored: a prior is what to remove, a target would be what to keep.
        prior : Prior, array-like, or several of them in a list or dict
            What is known; see `unprior.priors.as_prior`.
        keep : array-like of shape (n_samples,), or several of them in a list or dict
            Labels to protect. They are fitted together with the prior, and only the prior's part is
            removed. Samples without a label (None, NaN) take the one that most of their labelled
            neighbours have.

        Returns
        -------
        residual : ndarray of the same shape as X
        """
        return self.fit(X, prior=prior, keep=keep)._left.copy()

    def transform(self, X: Any, prior: Any = None, *, unseen: str = "error") -> Floats:
        """Return data without what the prior explains.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples of ``fit``, or new ones.
        prior : Prior, array-like, or several of them in a list or dict
            The prior of new samples, in the form that ``fit`` was given: labels or features, for
            the smooth kinds also places on Earth or positions on a circle. The parts of a combined
            prior may come as a list or dict. The samples of ``fit`` need no prior. For any other
            prior (not with the linear kind), give distances from new to fitted samples, an array of
            shape (n_samples, n_fitted).
        unseen : {"error", "mean", "fit"}, default="error"
            What to do with classes that ``fit`` has not seen: refuse them; remove nothing from
            their samples; or learn their mean and spread from these samples, so the result for
            one depends on the others.

        Returns
        -------
        residual : ndarray of the same shape as X
        """
        check_is_fitted(self)
        prior = align("Residual", "prior", prior, index_of(X))
        X = as_counted("Residual", read_again(self, X), self.metric)
        if not self._told:
            return X.copy()
        fitted = fingerprint(X) == self._fingerprint
        if self._model is None or prior is None:
            return self._left.copy() if fitted else refuse_new(self.metric)
        told = read_like_fitted(self._model.readers, prior, len(X), unseen)
        if fitted and {name: fingerprint(read) for name, read in told.items()} == self._told:
            return self._left.copy()
        return self._left_of_new(X, told, learn=unseen == "fit")

    def _left_of_new(self, X: Floats, told: Mapping[str, Any], *, learn: bool = False) -> Floats:
        """Return the residual of new samples; rows are independent unless classes are learnt."""
        model: Any = self._model
        with one_blas_thread():
            return subtract(X, model.explained(X, told, learn=learn), self.strength)

    def _fit(self, X: Any, priors: dict[str, Prior], keep: Keep | None) -> None:
        X, priors = as_counted("Residual", X, self.metric), flat_priors(priors)
        keep = complete_labels("Residual", X, keep, priors, self.metric)
        fitted = fit_residual(
            X,
            priors,
            keep,
            kind=self.kind,
            metric=self.metric,
            n_neighbors=self.n_neighbors,
            strength=self.strength,
        )
        if self.kind != "auto":
            with one_blas_thread():
                warn_of_more(X, fitted.left, priors, keep, self.metric)
        self._set_fitted(X, priors, fitted)

    def _set_fitted(self, X: Floats, priors: Mapping[str, Prior], fitted: FittedResidual) -> None:
        """Store what was learnt; X and priors as they were given to `fit_residual`."""
        self.n_features_in_ = X.shape[1]
        self.kind_, self._left, self._model = fitted.kind, fitted.left, fitted.model
        self._told = {name: recognize(part) for name, part in priors.items()}
        self._fingerprint = fingerprint(X)
        for name, value in (("rank_", fitted.rank), ("n_neighbors_", fitted.n_neighbors)):
            self.__dict__.pop(name, None)  # of another kind
            if value is not None:
                setattr(self, name, value)
