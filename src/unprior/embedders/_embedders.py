"""The embedders: UMAP, t-SNE, and any estimator that takes distances."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

import joblib
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from unprior._random import as_generator
from unprior._threads import compiled_threads
from unprior._typing import Floats
from unprior._warnings import UnpriorWarning, caller_level
from unprior.geometry import SampleDistances
from unprior.neighbors import KNNGraph
from unprior.operators import FactoredDistances
from unprior.optimize import Checkpoint
from unprior.optimize._graph_start import graph_start

#: Distances of the data, plain or with priors factored out.
Distances: TypeAlias = SampleDistances | FactoredDistances

#: Usual number of neighbours.
N_NEIGHBORS = 15

#: t-SNE's usual perplexity, and its number of neighbours per unit of perplexity.
PERPLEXITY, PER_PERPLEXITY = 30, 3

#: Standard deviation of the initial map of t-SNE.
SPREAD = 1e-4

#: Up to this many samples an estimator gets all distances, beyond them the graph of neighbours.
MAX_DENSE = 10_000


class Embedder(Protocol):
    """Draws a map from distances and their nearest neighbours."""

    @property
    def neighbors_wanted(self) -> int:
        """Default number of neighbours of each sample."""

    def embed(
        self, neighbors: KNNGraph, distances: Distances, random_state: Any
    ) -> tuple[Any, Floats]:
        """Return the fitted embedder and its map."""


@dataclass(frozen=True)
class UMAP:
    """UMAP with given neighbours and an initial map from their graph, without the raw data."""

    n_components: int
    params: Mapping[str, Any]
    n_jobs: int | None
    verbose: int
    checkpoint: Checkpoint | None = None

    reserved: ClassVar = ("metric", "n_components", "n_neighbors", "precomputed_knn")
    extra: ClassVar = ("callbacks", "callbacks_every_iters")
    neighbors_wanted: ClassVar[int] = N_NEIGHBORS - 1  # umap-learn counts the sample itself

    @staticmethod
    def model() -> Any:
        """Return umap-learn's class, with this library's layout."""
        from unprior.embedders._umap_model import UMAP as Model

        return Model

    def embed(
        self, neighbors: KNNGraph, distances: Distances, random_state: Any
    ) -> tuple[Any, Floats]:
        """Return the fitted umap.UMAP and its map."""
        seeded, rng = random_state is not None, as_generator(random_state)
        params, ours = dict(self.params), has_own_layout(self.params)
        n_jobs, own_seed = params.pop("n_jobs", self.n_jobs), params.pop("random_state", None)
        callbacks = params.pop("callbacks", None) or ()
        layout = {
            "n_jobs": n_jobs,
            "callbacks": [callbacks] if callable(callbacks) else callbacks,
            "every": params.pop("callbacks_every_iters", CALLBACKS_EVERY),
            "progress": self.verbose,
            "checkpoint": self.checkpoint,
        }
        # The bits of umap-learn's own loops depend on the number of threads: one with a seed.
        with (
            warnings.catch_warnings(),
            compiled_threads(1 if seeded or ours else n_jobs) as n_threads,
        ):
            for message in EXPECTED:
                warnings.filterwarnings("ignore", message, UserWarning)
            seed = rng.randint(2**31 - 1) if n_threads == 1 else None
            params = {
                "n_jobs": n_threads,
                "random_state": seed if own_seed is None else own_seed,
                "verbose": bool(self.verbose) and not ours,
                **params,
            }
            if "init" not in params:
                params["init"] = graph_start(neighbors, distances, self.n_components, rng)
            fitted = self.model()(
                neighbors.k + 1,
                self.n_components,
                precomputed_knn=neighbors.with_self(),
                **params,
            ).fit(np.zeros((neighbors.n_samples, 1)), **layout)
        return fitted, fitted.embedding_


#: Epochs between calls of a callback, as in openTSNE.
CALLBACKS_EVERY = 50

#: Warnings of umap-learn about neighbours instead of data, which are intended here.
EXPECTED = (
    r"precomputed_knn\[2\] \(knn_search_index\) is not an NNDescent object",
    "n_neighbors is larger than the dataset size",
)


@dataclass(frozen=True)
class TSNE:
    """openTSNE with given neighbours and an initial map from their graph."""

    n_components: int
    params: Mapping[str, Any]
    n_jobs: int | None
    verbose: int

    reserved: ClassVar = ("metric", "metric_params", "n_components", "neighbors")
    extra: ClassVar = ()

    @staticmethod
    def model() -> Any:
        """Return openTSNE's class."""
        from openTSNE import TSNE as Model

        return Model

    @property
    def perplexity(self) -> float:
        """Effective number of neighbours."""
        return float(self.params.get("perplexity", PERPLEXITY))

    @property
    def neighbors_wanted(self) -> int:
        """Default number of neighbours of each sample."""
        return int(PER_PERPLEXITY * self.perplexity)

    def _perplexity_for(self, neighbors: KNNGraph) -> float:
        """Return the perplexity, or the largest for this number of neighbours."""
        if neighbors.k >= self.neighbors_wanted:
            return self.perplexity
        most = neighbors.k / PER_PERPLEXITY
        if "perplexity" in self.params:  # otherwise only n_neighbors was given
            message = self._too_large(neighbors, most)
            warnings.warn(message, UnpriorWarning, stacklevel=caller_level())
        return most

    def _too_large(self, neighbors: KNNGraph, most: float) -> str:
        """Return the warning: which perplexity is used instead, and what to change."""
        n, k = neighbors.n_samples, neighbors.k
        if k == n - 1:
            few, remedy = f"{n} samples", "lower it"
        else:
            wanted = min(self.neighbors_wanted, n - 1)
            few, remedy = f"'n_neighbors' of {k}", f"lower it, or set n_neighbors={wanted}"
        return (
            f"Confetti: the 'perplexity' of {self.perplexity:g} in 'embedder_params' is too large "
            f"for {few}; {most:.3g} is used instead; {remedy}."
        )

    def embed(
        self, neighbors: KNNGraph, distances: Distances, random_state: Any
    ) -> tuple[Any, Floats]:
        """Return openTSNE's TSNEEmbedding and the map in it."""
        from openTSNE.affinity import PerplexityBasedNN
        from openTSNE.nearest_neighbors import PrecomputedNeighbors

        rng = as_generator(random_state)
        params = {
            # Not the cores of a cluster.
            "n_jobs": min(joblib.effective_n_jobs(self.n_jobs), joblib.cpu_count()),
            "random_state": rng.randint(2**31 - 1),
            "verbose": bool(self.verbose),
            # Interpolation, its default for many samples, supports two dimensions only.
            "negative_gradient_method": "bh" if self.n_components > 2 else "auto",
            **self.params,
            "perplexity": self._perplexity_for(neighbors),
        }
        if "initialization" not in params:
            start = graph_start(neighbors, distances, self.n_components, rng)
            params["initialization"] = SPREAD * start
        affinities = PerplexityBasedNN(
            perplexity=params["perplexity"],
            knn_index=PrecomputedNeighbors(neighbors.indices, neighbors.distances),
            n_jobs=params["n_jobs"],
        )
        fitted = self.model()(self.n_components, **params).fit(affinities=affinities)
        return fitted, np.array(fitted)


@dataclass(frozen=True)
class Estimator:
    """Any estimator that embeds a distance matrix."""

    estimator: BaseEstimator

    @property
    def neighbors_wanted(self) -> int:
        """Default number of neighbours of each sample."""
        params = self.estimator.get_params()
        if "perplexity" in params:
            return int(PER_PERPLEXITY * params["perplexity"]) + 1
        return int(params.get("n_neighbors") or N_NEIGHBORS)

    def check_size(self, n_samples: int, who: str) -> None:
        """Refuse more than MAX_DENSE samples if only dense distances are accepted."""
        if n_samples > MAX_DENSE and _takes_dense_only(self.estimator):
            name = type(self.estimator).__name__
            message = (
                f"{who}: 'embedder' {name} takes only dense distances, which {who} computes up to "
                f"{MAX_DENSE} samples; got {n_samples}; use a subset of the samples, or an "
                "embedder that takes sparse distances."
            )
            raise ValueError(message)

    def embed(
        self, neighbors: KNNGraph, distances: Distances, random_state: Any
    ) -> tuple[Any, Floats]:
        """Return the fitted estimator and its map."""
        rng = as_generator(random_state)
        params = self.estimator.get_params()
        if params.get("random_state", 0) is None:
            self.estimator.set_params(random_state=rng.randint(2**31 - 1))
        if isinstance(params.get("init"), str) and params["init"] == "pca":
            # The default of scikit-learn's TSNE, which needs data.
            start = graph_start(neighbors, distances, params.get("n_components", 2), rng)
            self.estimator.set_params(init=SPREAD * start)
        few = neighbors.n_samples <= MAX_DENSE
        X = distances.to_array() if few else neighbors.to_sparse()
        return self.estimator, np.asarray(self.estimator.fit_transform(X))


def _takes_dense_only(estimator: BaseEstimator) -> bool:
    """Whether an estimator's tags say that it takes distances, but no sparse ones."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return False
    tags = get_tags(estimator).input_tags
    # Estimators without the pairwise tag, such as umap-learn, have set no tags at all.
    return tags.pairwise and not tags.sparse


def has_own_layout(params: Mapping[str, Any]) -> bool:
    """Whether this library's layout supports these settings of umap-learn."""
    return (
        not params.get("densmap")
        and not params.get("output_dens")
        and params.get("output_metric", "euclidean") in ("euclidean", "l2")
        and isinstance(params.get("n_epochs"), int | None)
    )
