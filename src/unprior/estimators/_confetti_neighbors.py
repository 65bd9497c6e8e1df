"""Data and prior -> the graph of nearest neighbours once the prior is factored out."""

from __future__ import annotations

from typing import Any, ClassVar

from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from unprior._params import (
    OneOf,
    Option,
    Whole,
    check_options,
    check_value,
    describe_options,
)
from unprior._threads import one_blas_thread
from unprior._typing import Metric
from unprior.estimators._base import (
    PriorEstimator,
    read_data,
    read_kept,
    read_priors,
)
from unprior.estimators._factoring import (
    DEFAULT_OPERATOR,
    FACTORING,
    NEIGHBORS,
    factored_data,
    search_neighbors,
)
from unprior.estimators._new_samples import graph_to_fitted, read_fitted
from unprior.estimators._options import METRIC, N_JOBS, VERBOSE
from unprior.storage._fingerprint import fingerprint
from unprior.transform._keep import keep_neighbors
from unprior.transform._priors import keep_prior


@describe_options
class ConfettiNeighbors(PriorEstimator):
    """Graph of nearest neighbours with prior knowledge factored out of the distances.

    What `sklearn.neighbors.KNeighborsTransformer` is for plain distances: its result goes wherever
    a precomputed graph of neighbours is taken, such as scikit-learn's manifold learners and
    clusterers, umap-learn, or scanpy.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    graph_ : csr_matrix of shape (n_samples, n_samples)
        Distances with the prior factored out, between neighbours only; symmetric, with a zero
        diagonal.
    operator_ : str
        The operator, once "auto" is resolved; without a prior it has nothing to do.
    strength_ : float or dict of str to float
        The strength that was used, by name for several priors; 0 without a prior.
    neighbor_recall_ : float
        Share of the true neighbours that were found: 1 if all pairs were looked at, else measured
        on some samples.
    hubness_ : float
        Skewness of how often a sample is another's neighbour. Much above 1, a few samples are
        neighbours of very many.
    n_neighbors_ : int
        Neighbours found for each sample: ``n_neighbors``, or as many as there are.
    n_features_in_ : int
        Columns of ``X``.

    See Also
    --------
    Confetti : Goes on to draw a map.
    unprior.factor_out : The same distances as a full matrix.

    Notes
    -----
    The balanced operator finds the nearest of every sample in each class or stratum of the prior,
    which are ordinary neighbours, and balances them. Many samples are looked up in an index. The
    other operators look at all pairs, a tile at a time: no index finds their neighbours, since the
    pairs they prefer are close in the data and far apart in the prior.

    scikit-learn's TSNE looks at three neighbours for each unit of perplexity and one more: give it
    ``n_neighbors=3 * perplexity + 1``.

    References
    ----------
    Heiter, Fischer and Vreeken, "Factoring out prior knowledge from low-dimensional embeddings",
    2021.

    Examples
    --------
    >>> from sklearn.manifold import Isomap
    >>> from sklearn.pipeline import make_pipeline
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(200, random_state=0)
    >>> pipeline = make_pipeline(
    ...     up.ConfettiNeighbors(n_neighbors=100), Isomap(n_neighbors=100, metric="precomputed")
    ... )
    >>> known = up.priors.labels(data.known)
    >>> pipeline.fit_transform(data.X, confettineighbors__prior=known).shape
    (200, 2)
    """

    _reads_rows_on_demand: ClassVar[bool] = True
    _takes_keep: ClassVar = True

    __metadata_request__fit: ClassVar = {"keep": True}

    # With metadata routing on, transform gets the prior as fit does.
    __metadata_request__transform: ClassVar = {"prior": True}

    _options: ClassVar = {
        "n_neighbors": Option(Whole(1), "Neighbours of each sample, itself not counted."),
        **FACTORING,
        "neighbors": NEIGHBORS,
        "metric": METRIC,
        "n_jobs": N_JOBS,
        "verbose": VERBOSE,
    }

    graph_: csr_matrix
    operator_: str
    strength_: float | dict[str, float]
    neighbor_recall_: float
    hubness_: float
    n_neighbors_: int

    def __init__(
        self,
        n_neighbors: int = 15,
        *,
        strength: Any = 1.0,
        operator: str = "auto",
        scale: str = "max",
        neighbors: str = "auto",
        metric: Metric = "euclidean",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.strength = strength
        self.operator = operator
        self.scale = scale
        self.neighbors = neighbors
        self.metric = metric
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, X: Any, y: None = None, *, prior: Any = None, keep: Any = None
    ) -> ConfettiNeighbors:
        """Find the neighbours.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or distances if ``metric="precomputed"``.
        y : None
            Ignored: a prior is what to remove, a target would be what to keep.
        prior : Prior, array-like, or several of them in a list or dict
            What is known; see `unprior.priors.as_prior`.
        keep : array-like of shape (n_samples,), or several of them in a list or dict
            Labels to protect: of the neighbours of a sample, each stratum of the prior gets the
            share it has within the sample's kept class. Missing labels (None, NaN) are allowed.

        Returns
        -------
        self : ConfettiNeighbors
        """
        check_options(self)
        X = read_data(self, X)
        kept = read_kept(self, keep, len(X))
        priors = read_priors(self, prior, len(X))
        self.operator_ = DEFAULT_OPERATOR if self.operator == "auto" else self.operator
        self.n_neighbors_ = min(self.n_neighbors, len(X) - 1)
        with one_blas_thread():
            distances, self.strength_ = factored_data(self, X, priors, self.n_neighbors_, kept)
            neighbors, self.neighbor_recall_ = search_neighbors(self, distances, self.n_neighbors_)
        self.graph_, self.hubness_ = neighbors.to_sparse(), neighbors.hubness
        self._fingerprint = fingerprint(X)
        self._finder = keep_neighbors(distances, self.n_neighbors_)
        self._priors = {name: keep_prior(name, one) for name, one in priors.items()}
        return self

    def fit_transform(
        self, X: Any, y: None = None, *, prior: Any = None, keep: Any = None
    ) -> csr_matrix:
        """Find the neighbours and return their graph.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or distances if ``metric="precomputed"``.
        y : None
            Ignored: a prior is what to remove, a target would be what to keep.
        prior : Prior, array-like, or several of them in a list or dict
            What is known; see `unprior.priors.as_prior`.
        keep : array-like of shape (n_samples,), or several of them in a list or dict
            Labels to protect: of the neighbours of a sample, each stratum of the prior gets the
            share it has within the sample's kept class. Missing labels (None, NaN) are allowed.

        Returns
        -------
        graph : csr_matrix of shape (n_samples, n_samples)
        """
        return self.fit(X, prior=prior, keep=keep).graph_

    def transform(self, X: Any, *, prior: Any = None, unseen: str = "error") -> csr_matrix:
        """Return the graph from new samples to the fitted ones.

        Every row is by itself: it is the same alone, in any batch and in any order. What ``fit``
        was given gives the graph of ``fit`` if it comes without a prior.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_samples)
            Features as in ``fit``, or distances to the fitted samples if ``metric="precomputed"``.
        prior : Prior, array-like, or several of them in a list or dict
            What is known of the new samples, told as in ``fit``; distances, kernels, graphs and
            trees by distances to the fitted samples, of shape (n_new, n_samples).
        unseen : {"error", "mean"}, default="error"
            What to do with classes that ``fit`` has not seen: refuse them, or take them for nothing
            in particular.

        Returns
        -------
        graph : csr_matrix of shape (n_new, n_samples)
            Distances with the prior factored out, between neighbours only.
        """
        check_is_fitted(self)
        check_value("ConfettiNeighbors", "unseen", unseen, OneOf("error", "mean"))
        if prior is None and fingerprint(read_fitted(self, X)) == self._fingerprint:
            return self.graph_.copy()
        with one_blas_thread():
            return graph_to_fitted(self, self._finder, self._priors, X, prior, unseen)

    @property
    def _n_features_out(self) -> int:
        return int(self.graph_.shape[1])
