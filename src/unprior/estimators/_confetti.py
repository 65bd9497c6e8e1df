"""Data and prior -> map: the prior is factored out of the distances, then any embedder draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from unprior._params import Either, Kind, OneOf, Option, Whole, check_options, describe_options
from unprior._threads import one_blas_thread
from unprior._typing import Callback, Floats, Metric
from unprior.embedders._choose import (
    NAMED,
    add_callbacks,
    choose_embedder,
    keep_layout,
    takes_distances,
)
from unprior.estimators._base import read_data, read_kept, read_priors
from unprior.estimators._checkpoints import open_checkpoint, seed_of
from unprior.estimators._factoring import (
    DEFAULT_OPERATOR,
    FACTORING,
    NEIGHBORS,
    factored_data,
    search_neighbors,
)
from unprior.estimators._new_samples import PlacingEstimator
from unprior.estimators._options import (
    CALLBACKS,
    CHECKPOINT,
    METRIC,
    N_JOBS,
    NONE,
    RANDOM_STATE,
    VERBOSE,
)
from unprior.operators import FactoredDistances
from unprior.transform._keep import keep_confetti, keep_neighbors


@describe_options
class Confetti(PlacingEstimator):
    r"""A map of distances from which prior knowledge has been factored out, by any embedder.

    Replaces data distances by :math:`D^X \ominus D^Z` (see `unprior.factor_out`), finds the nearest
    neighbours in these, and gives them to UMAP, t-SNE, PaCMAP or another embedder. Nothing of the
    data but these distances reaches the embedder: its start, too, is made from them. Without a
    prior this is the plain embedder.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    embedder_ : object
        The fitted embedder: a ``umap.UMAP`` (of a class of this library that differs from it in the
        layout alone; its ``graph_`` holds UMAP's weights), openTSNE's ``TSNEEmbedding``,
        ``PaCMAP``, or a fitted copy of the estimator that was given.
    operator_ : str
        The operator, once "auto" is resolved; without a prior it has nothing to do.
    strength_ : float or dict of str to float
        The strength that was used, by name for several priors; 0 without a prior.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        Distances with the prior factored out, between neighbours only; symmetric, with a zero
        diagonal. Made when it is first asked for.
    neighbor_recall_ : float
        Share of the true neighbours that were found: 1 if all pairs were looked at, else measured
        on some samples.
    hubness_ : float
        Skewness of how often a sample is another's neighbour. Much above 1, a few samples are
        neighbours of very many.
    n_neighbors_ : int
        Neighbours found for each sample.
    n_features_in_ : int
        Columns of ``X``.

    See Also
    --------
    ConfettiNeighbors : Stops at the graph of neighbours.
    JEDI : Factors a prior out of t-SNE's objective instead of the distances.

    Notes
    -----
    No search for neighbours holds an n × n array; see `ConfettiNeighbors` for how they are found.

    With "umap", umap-learn weighs the graph and this library lays it out: by the forces, epochs and
    settings of umap-learn, with edges in an order that gives the same map for a seed on any number
    of threads. umap-learn's own layout, on one thread with a seed and different every time without,
    draws what only it can: with ``embedder_params`` that hold densmap, output_dens, a list as
    n_epochs or another output_metric, and with an ``umap.UMAP`` as ``embedder``. Ctrl-C keeps the
    map so far, with a warning.

    `transform` places new samples on maps of UMAP and t-SNE. It keeps the data in single precision,
    the map, and what the operator has learnt of every fitted sample.

    References
    ----------
    Heiter, Fischer and Vreeken, "Factoring out prior knowledge from low-dimensional embeddings",
    2021. Letters there: λ is ``strength`` of the linear operator; its experiments use λ = 2 with
    t-SNE at perplexity 50. The other operators are this library's.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(200, random_state=0)
    >>> confetti = up.Confetti(embedder="tsne", random_state=0)
    >>> confetti.fit_transform(data.X, prior=up.priors.features(data.X[:, :8])).shape
    (200, 2)
    >>> confetti.operator_, confetti.n_neighbors_
    ('balanced', 90)

    The paper's way:

    >>> paper = up.Confetti(strength=2.0, operator="linear", embedder="tsne")
    """

    _reads_rows_on_demand: ClassVar[bool] = True
    _takes_keep: ClassVar = True

    __metadata_request__fit: ClassVar = {"keep": True}

    _options: ClassVar = {
        "n_components": Option(
            Whole(1),
            'Dimensions of the map: up to 3 to look at (and with "tsne"), more to cluster in.',
        ),
        "strength": FACTORING["strength"],
        "operator": FACTORING["operator"],
        "embedder": Option(
            Either(OneOf(*NAMED), Kind('an estimator with metric="precomputed"', takes_distances)),
            'What draws the map: "umap" (umap-learn, with a layout of ours), "tsne" (openTSNE), '
            '"pacmap" (PaCMAP, which ``pip install "unprior[pacmap]"`` brings), or any estimator '
            "that takes distances, as a copy. The latter gets all distances of up to 10 000 "
            'samples, and the sparse graph of neighbours of more; an ``init`` of "pca", which '
            'distances do not have, becomes the start of "tsne".',
        ),
        "embedder_params": Option(
            Either(NONE, Kind("a dict", lambda v: isinstance(v, Mapping))),
            "Further settings of the embedder, under its own names: perplexity, min_dist, ... "
            "UMAP, too, takes openTSNE's callbacks_every_iters (50), and callbacks that are called "
            "as ``callback(epoch, map)``.",
        ),
        "scale": FACTORING["scale"],
        "neighbors": NEIGHBORS,
        "n_neighbors": Option(
            Either(OneOf("auto"), Whole(1)),
            'Neighbours of each sample, itself not counted; "auto" is 14 for UMAP, whose usual 15 '
            "count the sample, for t-SNE three for each unit of perplexity, for PaCMAP 50 more "
            "than its own n_neighbors (10), which it chooses among them, and else 15.",
        ),
        "metric": METRIC,
        "callbacks": Option(
            CALLBACKS.takes,
            'Of embedder="umap" and "tsne": called every 50 steps (``callbacks_every_iters`` in '
            "``embedder_params``) as ``callback(iteration, objective, embedding)``; a true answer "
            "stops. UMAP's layout has no objective, and NaN stands for it. Later steps overwrite "
            "the embedding: copy what you keep.",
        ),
        "checkpoint": Option(
            CHECKPOINT.takes,
            f'{CHECKPOINT.meaning} Of embedder="umap" alone; neighbours are found anew.',
        ),
        "n_jobs": N_JOBS,
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
    }

    embedder_: Any
    operator_: str
    strength_: float | dict[str, float]
    neighbor_recall_: float
    hubness_: float
    n_neighbors_: int

    def __init__(
        self,
        n_components: int = 2,
        *,
        strength: Any = 1.0,
        operator: str = "auto",
        embedder: Any = "umap",
        embedder_params: Mapping[str, Any] | None = None,
        scale: str = "max",
        neighbors: str = "auto",
        n_neighbors: Any = "auto",
        metric: Metric = "euclidean",
        callbacks: Sequence[Callback] | None = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.strength = strength
        self.operator = operator
        self.embedder = embedder
        self.embedder_params = embedder_params
        self.scale = scale
        self.neighbors = neighbors
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.callbacks = callbacks
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: None = None, *, prior: Any = None, keep: Any = None) -> Confetti:
        """Fit the map.

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
        self : Confetti
        """
        check_options(self)
        X = read_data(self, X)
        kept = read_kept(self, keep, len(X))
        priors = read_priors(self, prior, len(X))
        embedder = choose_embedder(
            self.embedder,
            add_callbacks(self.embedder, self.embedder_params, self.callbacks, "Confetti"),
            n_samples=len(X),
            n_components=self.n_components,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            who="Confetti",
        )
        checkpoint = open_checkpoint(self, X, prior=priors, keep=kept)
        if checkpoint is not None:
            embedder = keep_layout(embedder, checkpoint)
        self.operator_ = DEFAULT_OPERATOR if self.operator == "auto" else self.operator
        wanted = embedder.neighbors_wanted if self.n_neighbors == "auto" else self.n_neighbors
        self.n_neighbors_ = min(wanted, len(X) - 1)
        with one_blas_thread():
            distances, self.strength_ = factored_data(self, X, priors, self.n_neighbors_, kept)
            neighbors, self.neighbor_recall_ = search_neighbors(self, distances, self.n_neighbors_)
        self._neighbors, self.hubness_ = neighbors, neighbors.hubness
        self.__dict__.pop("graph_", None)  # that of an earlier fit
        # A seed for the embedder alone would leave its start to chance.
        seeds = (seed_of(self, checkpoint), (self.embedder_params or {}).get("random_state"))
        random_state = next((seed for seed in seeds if seed is not None), None)
        with one_blas_thread():
            fitted, embedding = embedder.embed(neighbors, distances, random_state)
        _check_embedding(embedding)
        self.embedder_, self.embedding_ = fitted, embedding
        finder = keep_neighbors(distances, self.n_neighbors_)
        data = distances.data if isinstance(distances, FactoredDistances) else distances
        far = neighbors.distances[:, -1]
        self._new = keep_confetti(embedder, fitted, embedding, finder, far, priors, data)
        return self

    @cached_property
    def graph_(self) -> csr_matrix:
        """Distances with the prior factored out, between neighbours only."""
        check_is_fitted(self, "_neighbors")
        return self._neighbors.to_sparse()


def _check_embedding(embedding: Floats) -> None:
    """Refuse a map with holes."""
    if not np.isfinite(embedding).all():
        lost = int((~np.isfinite(embedding).all(axis=1)).sum())
        message = (
            f"Confetti: the embedder left {lost} of {len(embedding)} samples without a "
            "place (NaN or infinity); try more neighbours, or milder 'embedder_params'."
        )
        raise FloatingPointError(message)
