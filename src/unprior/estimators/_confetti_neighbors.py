"""ConfettiNeighbors: the graph of nearest neighbours with the prior factored out."""

from __future__ import annotations

from typing import Any, ClassVar

from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from unprior._params import Option, Whole, check_value, describe_options
from unprior._threads import one_blas_thread
from unprior._typing import Metric
from unprior.estimators._factoring import FACTORING, NEIGHBORS, FactoringEstimator
from unprior.estimators._new_samples import UNSEEN, graph_to_fitted, read_fitted
from unprior.estimators._options import METRIC, N_JOBS, VERBOSE
from unprior.priors import Keep, Prior
from unprior.storage import fingerprint
from unprior.transform._keep import keep_neighbors
from unprior.transform._priors import keep_prior


@describe_options
class ConfettiNeighbors(FactoringEstimator):
    """Graph of nearest neighbours with prior knowledge factored out of the distances.

    The counterpart of `sklearn.neighbors.KNeighborsTransformer`: its result can be used wherever a
    precomputed graph of neighbours is accepted, such as scikit-learn's manifold learners and
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
        The operator, with "auto" resolved; it has no effect without a prior.
    strength_ : float or dict of str to float
        The strength used, by name for several priors; 0 without a prior.
    neighbor_recall_ : float
        Fraction of the true neighbours that were found: 1 if all pairs were compared, otherwise
        estimated on some samples.
    hubness_ : float
        Skewness of the number of times that a sample is a neighbour of others. Much above 1, a few
        samples are neighbours of very many.
    n_neighbors_ : int
        Number of neighbours of each sample: ``n_neighbors``, or all others if there are fewer.
    n_features_in_ : int
        Number of columns of ``X``.

    See Also
    --------
    Confetti : Also draws a map.
    unprior.factor_out : The same distances as a full matrix.

    Notes
    -----
    The balanced operator finds the nearest neighbours of each sample in each class or stratum of
    the prior, for many samples by an index, and balances them. The other operators compare all
    pairs, in tiles: no index finds their neighbours, since they prefer pairs that are close in the
    data and far apart in the prior.

    By default this tests whether groups of the prior differ in composition, such as batches that
    lack some cell types, and if so balances neighbours within clusters that the groups share, with
    a warning. Do not use ``operator="balanced"`` then, unless you give the types as ``keep``: on
    cells of 24 batches its graph scores .67 in total for batches and biology, below uncorrected
    data (.74). "quantile" (.80) often leaves more of the prior. If all batches hold the same types,
    balanced neighbours score highest: .92 on two conditions, uncorrected data .67 and "quantile"
    .74. Do not use "linear" if the prior is labels: a few samples become neighbours of very many,
    and most of none, which ``hubness_`` shows. `Confetti` has figures for priors without classes.

    scikit-learn's TSNE uses three neighbours per unit of perplexity and one more: pass
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

    # With metadata routing enabled, transform gets the prior as fit does.
    __metadata_request__transform: ClassVar = {"prior": True}

    _options: ClassVar = {
        "n_neighbors": Option(
            Whole(1), "Number of neighbours of each sample, not counting itself."
        ),
        **FACTORING,
        "neighbors": NEIGHBORS,
        "metric": METRIC,
        "n_jobs": N_JOBS,
        "verbose": VERBOSE,
    }

    graph_: csr_matrix

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

    def _fit(self, X: Any, priors: dict[str, Prior], keep: Keep | None) -> None:
        keep = self._with_clusters(X, priors, keep)
        distances, neighbors = self._find_neighbors(X, priors, keep, self.n_neighbors)
        self.graph_ = neighbors.to_sparse()
        self._fingerprint = fingerprint(X)
        self._finder = keep_neighbors(distances, self.n_neighbors_)
        self._priors = {name: keep_prior(name, one) for name, one in priors.items()}

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
            Prior knowledge; see `unprior.priors.as_prior`.
        keep : array-like of shape (n_samples,), or several of them in a list or dict
            Labels to protect, with the balanced operator: among the neighbours of a sample, each
            stratum of the prior gets its share within the sample's kept class. Samples without a
            label (None, NaN) take the one that most of their labelled neighbours have.

        Returns
        -------
        graph : csr_matrix of shape (n_samples, n_samples)
        """
        return self.fit(X, prior=prior, keep=keep).graph_

    def transform(self, X: Any, *, prior: Any = None, unseen: str = "error") -> csr_matrix:
        """Return the graph from new samples to the fitted ones.

        Rows are independent of each other, except with ``unseen="fit"``. For the data of ``fit``,
        without a prior, the result is the graph of ``fit``.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_samples)
            Features as in ``fit``, or distances to the fitted samples if ``metric="precomputed"``.
        prior : Prior, array-like, or several of them in a list or dict
            The prior of the new samples, given as in ``fit``; for distances, kernels, graphs and
            trees, distances to the fitted samples, of shape (n_new, n_samples).
        unseen : {"error", "mean", "fit"}, default="error"
            What to do with classes that ``fit`` has not seen: raise an error; treat them as samples
            of no particular class ("mean"); or, with balanced neighbours and a single prior, learn
            from the new samples how they are distributed.

        Returns
        -------
        graph : csr_matrix of shape (n_new, n_samples)
            Distances with the prior factored out, between neighbours only.
        """
        check_is_fitted(self)
        check_value("ConfettiNeighbors", "unseen", unseen, UNSEEN)
        if prior is None and fingerprint(read_fitted(self, X)) == self._fingerprint:
            return self.graph_.copy()
        with one_blas_thread():
            return graph_to_fitted(self, self._finder, self._priors, X, prior, unseen)

    @property
    def _n_features_out(self) -> int:
        return int(self.graph_.shape[1])
