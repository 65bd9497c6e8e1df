"""Confetti: a map by any embedder of distances from which the prior is factored out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from unprior._params import Either, Kind, OneOf, Option, Whole, describe_options
from unprior._threads import one_blas_thread
from unprior._typing import Callback, Floats, Metric
from unprior.embedders import (
    NAMED,
    add_callbacks,
    choose_embedder,
    takes_distances,
    with_checkpoint,
)
from unprior.estimators._checkpoints import open_checkpoint, seed_of
from unprior.estimators._factoring import FACTORING, NEIGHBORS, FactoringEstimator
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
from unprior.priors import Keep, Prior
from unprior.transform._keep import keep_confetti, keep_neighbors


@describe_options
class Confetti(FactoringEstimator, PlacingEstimator):
    r"""A map of distances from which prior knowledge has been factored out, by any embedder.

    Replaces data distances by :math:`D^X \ominus D^Z` (see `unprior.factor_out`), finds the nearest
    neighbours in these, and passes them to UMAP, t-SNE, PaCMAP or another embedder. The embedder
    gets nothing else of the data: its initial map, too, is computed from these distances. Without a
    prior this is the plain embedder.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    embedder_ : object
        The fitted embedder: a ``umap.UMAP`` (a subclass with this library's layout; its ``graph_``
        holds UMAP's weights), openTSNE's ``TSNEEmbedding``, ``PaCMAP``, or a fitted copy of the
        given estimator.
    operator_ : str
        The operator, with "auto" resolved; it has no effect without a prior.
    strength_ : float or dict of str to float
        The strength used, by name for several priors; 0 without a prior.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        Distances with the prior factored out, between neighbours only; symmetric, with a zero
        diagonal. Computed on first access.
    neighbor_recall_ : float
        Fraction of the true neighbours that were found: 1 if all pairs were compared, otherwise
        estimated on some samples.
    hubness_ : float
        Skewness of the number of times that a sample is a neighbour of others. Much above 1, a few
        samples are neighbours of very many.
    n_neighbors_ : int
        Number of neighbours of each sample.
    n_features_in_ : int
        Number of columns of ``X``.

    See Also
    --------
    ConfettiNeighbors : Stops at the graph of neighbours.
    JEDI : Factors a prior out of t-SNE's objective instead of the distances.

    Notes
    -----
    The search for neighbours never stores an n × n array; see `ConfettiNeighbors`.

    By default this tests, as `embed` does, whether groups of the prior differ in composition, and
    if so balances neighbours within clusters that the groups share, with a warning. Do not use
    ``operator="balanced"`` for such groups, unless you give the types as ``keep``: it gives every
    sample neighbours from every group, so a cell whose type a batch lacks gets neighbours of other
    types. On cells of 24 batches the purity of types among map neighbours is then .61, in a plain
    UMAP .99. "quantile" keeps types apart, and often leaves more of the prior. Do not use "linear"
    if the prior is labels: a few samples become neighbours of very many, and most of none. If the
    prior has no classes and is not associated with what you are looking for, the default leaves
    least: .04 on average of 12 benchmark cases, where plain UMAP leaves .61, and "linear" (λ = 1)
    and "quantile" .24.

    With "umap", umap-learn computes the weights of the graph and this library its layout: with the
    forces, epochs and settings of umap-learn, but an order of edges that gives the same map for a
    seed on any number of threads. umap-learn's own layout (on one thread with a seed, different
    each time without) is used for what only it supports: densmap, output_dens, a list as n_epochs
    or another output_metric in ``embedder_params``, and a ``umap.UMAP`` as ``embedder``. Ctrl-C
    keeps the map so far, with a warning.

    `transform` places new samples on maps of UMAP and t-SNE. For this, the data in single
    precision, the map, and the operator's parameters of each fitted sample are stored.

    References
    ----------
    Heiter, Fischer and Vreeken, "Factoring out prior knowledge from low-dimensional embeddings",
    2021. In its notation λ is ``strength`` of the linear operator; its experiments use λ = 2 with
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

    _options: ClassVar = {
        "n_components": Option(
            Whole(1),
            'Dimensions of the map: up to 3 for plots (and with "tsne"), more for clustering.',
        ),
        "strength": FACTORING["strength"],
        "operator": FACTORING["operator"],
        "embedder": Option(
            Either(OneOf(*NAMED), Kind('an estimator with metric="precomputed"', takes_distances)),
            'The embedder: "umap" (umap-learn, with this library\'s layout), "tsne" (openTSNE), '
            '"pacmap" (PaCMAP; ``pip install "unprior[pacmap]"``), or any estimator that takes '
            "distances, which is copied. The latter gets all distances up to 10 000 samples, and "
            'the sparse graph of neighbours beyond; an ``init`` of "pca", which needs data, is '
            'replaced by the initial map of "tsne".',
        ),
        "embedder_params": Option(
            Either(NONE, Kind("a dict", lambda v: isinstance(v, Mapping))),
            "Further settings of the embedder, by its own names: perplexity, min_dist, ... UMAP "
            "also takes openTSNE's callbacks_every_iters (50), and callbacks that are called as "
            "``callback(epoch, map)``.",
        ),
        "scale": FACTORING["scale"],
        "neighbors": NEIGHBORS,
        "n_neighbors": Option(
            Either(OneOf("auto"), Whole(1)),
            'Number of neighbours of each sample, not counting itself; "auto" is 14 for UMAP (15 '
            "with the sample itself), three per unit of perplexity for t-SNE, 50 more than its own "
            "n_neighbors (10) for PaCMAP, which chooses among them, and otherwise 15.",
        ),
        "metric": METRIC,
        "callbacks": Option(
            CALLBACKS.takes,
            'For embedder="umap" and "tsne": called every 50 steps (``callbacks_every_iters`` in '
            "``embedder_params``) as ``callback(iteration, objective, embedding)``; a true return "
            "value stops. For UMAP the objective is NaN. Later steps overwrite the embedding: copy "
            "it if you need it.",
        ),
        "checkpoint": Option(
            CHECKPOINT.takes,
            f'{CHECKPOINT.meaning} Only for embedder="umap"; neighbours are found again.',
        ),
        "n_jobs": N_JOBS,
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
    }

    embedder_: Any

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

    def _fit(self, X: Any, priors: dict[str, Prior], keep: Keep | None) -> None:
        keep = self._with_clusters(X, priors, keep)
        embedder = choose_embedder(
            self.embedder,
            add_callbacks(self.embedder, self.embedder_params, self.callbacks, "Confetti"),
            n_samples=len(X),
            n_components=self.n_components,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            who="Confetti",
        )
        checkpoint = open_checkpoint(self, X, prior=priors, keep=keep)
        if checkpoint is not None:
            embedder = with_checkpoint(embedder, checkpoint)
        wanted = embedder.neighbors_wanted if self.n_neighbors == "auto" else self.n_neighbors
        distances, self._neighbors = self._find_neighbors(X, priors, keep, wanted)
        self.__dict__.pop("graph_", None)  # cached by an earlier fit
        # A seed in embedder_params also seeds the initial map.
        seeds = (seed_of(self, checkpoint), (self.embedder_params or {}).get("random_state"))
        random_state = next((seed for seed in seeds if seed is not None), None)
        with one_blas_thread():
            fitted, embedding = embedder.embed(self._neighbors, distances, random_state)
        _check_embedding(embedding)
        self.embedder_, self.embedding_ = fitted, embedding
        finder = keep_neighbors(distances, self.n_neighbors_)
        data = distances.data if isinstance(distances, FactoredDistances) else distances
        far = self._neighbors.distances[:, -1]
        self._new = keep_confetti(embedder, fitted, embedding, finder, far, priors, data)

    @cached_property
    def graph_(self) -> csr_matrix:
        """Distances with the prior factored out, between neighbours only."""
        check_is_fitted(self, "_neighbors")
        return self._neighbors.to_sparse()


def _check_embedding(embedding: Floats) -> None:
    """Refuse a map with NaN or infinity."""
    if not np.isfinite(embedding).all():
        lost = int((~np.isfinite(embedding).all(axis=1)).sum())
        message = (
            f"Confetti: the embedder left {lost} of {len(embedding)} samples without a "
            "place (NaN or infinity); try more neighbours, or other 'embedder_params'."
        )
        raise FloatingPointError(message)
