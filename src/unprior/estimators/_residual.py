"""Data and prior -> data without what the prior explains, for any map to follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
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
    check_options,
    check_value,
    describe_options,
)
from unprior._threads import one_blas_thread
from unprior._typing import Floats
from unprior.estimators._base import (
    PriorEstimator,
    read_again,
    read_data,
    read_kept,
    read_priors,
)
from unprior.estimators._residual_check import shared_before_and_after, warn_of_more
from unprior.geometry import as_counted
from unprior.priors import Labels, Prior
from unprior.priors._keep import Keep
from unprior.residual._linear import learn_linear, linear_distances
from unprior.residual._model import NoModel, learn_smooth, smooth_distances
from unprior.residual._new_samples import Model, own_names, recognize
from unprior.residual._regressors import single_priors
from unprior.residual._smoothers import reference_rows
from unprior.residual._told import read_told, refuse_new
from unprior.storage._rows import fingerprint

#: What neighbours share may rise by so much by chance.
NOISE = 0.02


@describe_options
class Residual(OneToOneFeatureMixin, PriorEstimator):
    """Take out of the data what a prior explains, before any map or other method.

    The kinds differ in what they take out. The overall mean stays with all of them.

    * ``"linear"``, the least-squares fit of the data on the prior: of labels what class means
      differ by, of features a linear function of them. All other priors enter through their
      principal coordinates (as many as hold 95 % of the positive spectrum, at most 10). Several
      priors are regressed out jointly. Every column takes a direction away, even if it has nothing
      to do with the data, and of few samples even one column takes something: of the 15 nearest
      neighbours, two random classes change a sixth on average among the 150 samples of iris, and
      20 classes a third to two thirds among 400. The other kinds do not do so.
    * ``"smooth"``, whatever the prior foretells: of labels the mean of the class, of all other
      priors the mean over the neighbours in the prior, the sample itself always left out. Means are
      shrunk by the noise in them, along each principal axis of the data, and a prior that foretells
      no more than chance would leaves the data as they were. (Of 100 unrelated priors, up to 4 are
      taken for more in data of one or two columns, 1 in data of ten.) Of several priors, each takes
      out what it foretells of the data without what the others do, so that their order hardly
      matters, even if they mostly agree.
    * ``"aligned"``, the same, and how the data scatter: every group of the prior then gets the
      covariance that all groups have on average, by the least motion. The groups of labels are the
      classes; any other prior is cut into cells of about 200 samples, at most 50 cells. A group
      moves only as far as its covariance differs by more than noise; heavy tails can be taken for
      such a difference.
    * ``"clustered"``, what the groups of the prior differ by within soft clusters that they share,
      as in Harmony: a kind for batches of cells and other priors with classes. Groups are not
      moved onto each other as a whole, so that a type of cell that some batches lack stays apart.
      Clusters are of the directions of the samples from the mean: data of one or two columns have
      few.

    A table, or what `unprior.priors.combine` made, is its parts. Without a prior nothing is done.

    Kept labels (``fit(X, prior=..., keep=...)``) are fitted together with the prior, and what their
    classes differ by stays. So classes that only some groups of the prior have are not moved onto
    others. The smooth kinds then also take out what the prior foretells within each kept class of
    20 samples or more, and align there; of new samples, the class whose mean is nearest counts.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    kind_ : str
        The kind that was taken; "none" if "auto" found none that does not raise what neighbours
        share of the prior.
    rank_ : int
        Of the linear kind, the number of directions that were taken out; 0 without a prior.
    n_neighbors_ : int
        Of the other kinds, the number of neighbours.
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
    No n × n array is made unless one was given. Neighbours are sought among 5000 samples, drawn at
    random, if there are more; principal coordinates are those of 2000 landmarks. The draws are the
    same every time.

    Along a principal axis of the data, let m be the mean over a sample's neighbours and w the sum
    of squared weights in it, v the variance of the data, and s that of what the prior foretells
    (the mean product of a sample and its m). Then m times s / (s + (v - s) w) is taken out. The 50
    leading axes have an s each, all others one in common; alignment is on the leading axes.

    A `BalanceWarning` says so if neighbours, of 2000 samples at most, then share more of a prior
    with classes than before: where groups differ in composition, "linear", "smooth" and "aligned"
    can tear types apart and set batches apart.

    New samples are not in any mean, so ``transform`` leaves nobody out. The smooth kinds therefore
    give a little less when samples of ``fit`` come again one by one, with their prior, than when
    they come all together.

    With ``metric="precomputed"`` the same is done to the centred Gram matrix, or to the coordinates
    that have it, which takes time O(n³) for the smooth kinds. If the distances are those of points,
    the result is nearly the distances between the points' residuals: of the smooth kinds, axes are
    approximate beyond some 50 features, and it can differ by some hundredths. Otherwise some
    squared distances can come out negative; they count as zero.

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
            'What is taken out: "linear", the least-squares fit; "smooth", the mean over prior '
            'neighbours; "aligned", also what the prior tells of the covariance; "clustered", '
            'what its groups differ by within the clusters that they share. "auto" is "clustered" '
            'where groups differ in composition, else "aligned"; it takes nothing out if '
            "neighbours would then share more of the prior than before.",
        ),
        "strength": Option(Number(0, 1), "The share of it that is taken out: 0 nothing, 1 all."),
        "n_neighbors": Option(
            Either(OneOf("auto"), Whole(1)),
            "Prior neighbours that the smooth kinds take means over, where the prior has no "
            'classes; "auto" is the square root of the number of samples, at most 71.',
        ),
        "metric": Option(
            OneOf("euclidean", "l2", "cosine", "precomputed"),
            '"euclidean" or its synonym "l2" if ``X`` holds features, "cosine" if only their '
            'directions count, so that rows are scaled to length 1 first, "precomputed" if it is a '
            "distance matrix; then so is the result.",
        ),
    }

    _keeps_columns: ClassVar = True
    _takes_keep: ClassVar = True

    __metadata_request__fit: ClassVar = {"keep": True}

    # With metadata routing on, transform gets the prior as fit does.
    __metadata_request__transform: ClassVar = {"prior": True}

    rank_: int
    n_neighbors_: int

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

    def fit(self, X: Any, y: None = None, *, prior: Any = None, keep: Any = None) -> Residual:
        """Learn what the prior explains.

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
            taken out. Missing labels (None, NaN) are allowed.

        Returns
        -------
        self : Residual
        """
        self._learn(X, prior, keep, checks=True)
        return self

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
            taken out. Missing labels (None, NaN) are allowed.

        Returns
        -------
        residual : ndarray of the same shape as X
        """
        self._learn(X, prior, keep, checks=True)
        return self._left.copy()

    def transform(self, X: Any, prior: Any = None, *, unseen: str = "error") -> Floats:
        """Return data without what the prior explains.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples of ``fit``, or new ones.
        prior : Prior, array-like, or several of them in a list or dict
            What is known of new samples, told as in ``fit``: as labels or features, to the smooth
            kinds also as places or positions on a circle. What was combined for ``fit`` may come as
            the list or dict of its parts. The samples of ``fit`` need none. All other priors (but
            to the linear kind) are told by distances from new to fitted samples, an array of shape
            (n_samples, n_fitted).
        unseen : {"error", "mean", "fit"}, default="error"
            What to do with classes that ``fit`` has not seen: refuse them; take nothing out of
            their samples; or learn their mean and spread from these samples, so that what is taken
            out of one depends on the others.

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
        told = read_told(self._model.readers, prior, len(X), unseen)
        if fitted and {name: fingerprint(read) for name, read in told.items()} == self._told:
            return self._left.copy()
        return self._left_of_new(X, told, learn=unseen == "fit")

    def _left_of_new(self, X: Floats, told: Mapping[str, Any], *, learn: bool = False) -> Floats:
        """Return what is left of new samples, every row by itself unless classes are learnt."""
        model: Any = self._model
        with one_blas_thread():
            return self._without(X, model.explained(X, told, learn=learn))

    def _fit_residual(self, X: Any, prior: Any, keep: Any = None) -> Floats:
        """Do as ``fit_transform``, for a map that looks at what is left of the prior itself.

        The result is an array whatever output scikit-learn is set to.
        """
        self._learn(X, prior, keep)
        return self._left.copy()

    def _learn(self, X: Any, prior: Any, keep: Any, *, checks: bool = False) -> None:
        """Learn what the priors explain, and keep what is left of the fitted samples."""
        check_options(self)
        X = as_counted("Residual", read_data(self, X), self.metric)
        kept = read_kept(self, keep, len(X))
        priors = own_names(dict(single_priors(read_priors(self, prior, len(X)))))
        self._model: Model | None = None
        self._told = {name: recognize(part) for name, part in priors.items()}
        self._fingerprint = fingerprint(X)
        for of_another_kind in ("rank_", "n_neighbors_"):
            self.__dict__.pop(of_another_kind, None)
        self.kind_ = "aligned" if self.kind == "auto" else self.kind
        if self.kind_ == "linear":
            self.rank_ = 0
        else:
            self.n_neighbors_ = self._count_neighbors(len(X))
        if not priors:
            self._left = X.copy()
            return
        with one_blas_thread():
            self._left = self._take_out(X, priors, kept)
            if self.kind == "auto":
                self._left = self._choose(X, priors, kept)
            elif checks:
                warn_of_more(X, self._left, priors, kept, self.metric)

    def _take_out(self, X: Floats, priors: Mapping[str, Prior], keep: Keep | None) -> Floats:
        """Return the data without what the priors explain, by the kind at hand."""
        take_out = self._regress_out if self.kind_ == "linear" else self._smooth_out
        return take_out(X, priors, keep)

    def _choose(self, X: Floats, priors: Mapping[str, Prior], keep: Keep | None) -> Floats:
        """Go from the aligned kind, at hand, to the clustered one or to none where it does harm."""
        from unprior.estimators._composition import differ, shared_clusters  # made of residuals

        classes = all(isinstance(prior, Labels) for prior in priors.values())
        composed = classes and keep is None and self.metric != "precomputed"
        if composed and differ(self._left, priors):
            aligned, model, self.kind_ = self._left, self._model, "clustered"
            self._left = self._take_out(X, priors, keep)
            if shared_clusters(self._left, priors) is None:
                self._left, self._model, self.kind_ = aligned, model, "aligned"
        found = shared_before_and_after(X, self._left, priors, keep, self.metric)
        if any(then > max(before, 0.0) + NOISE for before, then in found.values()):
            self.kind_, self._model = "none", NoModel({n: p.reader() for n, p in priors.items()})
            return X.copy()
        return self._left

    def _regress_out(self, X: Floats, priors: Mapping[str, Prior], keep: Keep | None) -> Floats:
        if self.metric == "precomputed":
            self.rank_, left = linear_distances(X, priors, self.strength, keep)
            return left.astype(X.dtype)
        model, explained = learn_linear(X, priors, keep)
        self._model, self.rank_ = model, model.rank
        return self._without(X, explained)

    def _smooth_out(self, X: Floats, priors: Mapping[str, Prior], keep: Keep | None) -> Floats:
        k, kind = self.n_neighbors_, self.kind_
        if self.metric == "precomputed":
            left = smooth_distances(X, priors, k, self.strength, kind=kind, keep=keep)
            return left.astype(X.dtype)
        self._model, explained = learn_smooth(X, priors, k, kind=kind, keep=keep)
        return self._without(X, explained)

    def _count_neighbors(self, n_samples: int) -> int:
        most = len(reference_rows(n_samples)) - 1
        if self.n_neighbors == "auto":
            return round(np.sqrt(most))
        check_value("Residual", "n_neighbors", self.n_neighbors, Whole(1, most))
        return int(self.n_neighbors)

    def _without(self, X: Floats, explained: Floats) -> Floats:
        """Take a share out of the data, in the data's precision."""
        return (X - self.strength * explained).astype(X.dtype)
