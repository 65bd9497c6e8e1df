"""Base class of ct-SNE and revised ct-SNE: their options, and ``fit`` except for one step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from unprior._params import Number, Option
from unprior._random import as_generator
from unprior._threads import compiled_threads
from unprior.affinities import data_affinities, resolve_perplexity
from unprior.estimators._base import DescentEstimator
from unprior.estimators._checkpoints import open_checkpoint, seed_of
from unprior.estimators._new_samples import NoTransform
from unprior.estimators._options import (
    CALLBACKS,
    CHECKPOINT,
    COMPONENTS,
    METRIC,
    MIN_GRAD_NORM,
    N_ITER,
    N_JOBS,
    RANDOM_STATE,
    VERBOSE,
    learning_rate,
    starts,
)
from unprior.forces import choose_repulsion
from unprior.geometry import SampleDistances, data_distances
from unprior.objectives import DataDivergence, JEDIObjective, Objective
from unprior.optimize import TwoPhases, given_start, minimize, random_start
from unprior.priors import Keep, Labels, Prior
from unprior.priors._label_sets import join_labels

#: The options of t-SNE itself.
TSNE_OPTIONS: Mapping[str, Option] = {
    "n_components": COMPONENTS,
    "perplexity": Option(
        Number(1),
        "Effective number of neighbours in the data; at most a third of the other samples.",
    ),
    "metric": METRIC,
    "init": Option(
        starts("random"),
        'Initial map: "random", or an array of shape (n_samples, n_components). Principal axes of '
        "the data, the usual choice for t-SNE, would bring the labels back.",
    ),
    "learning_rate": learning_rate("n/48, at least 50"),
    "n_iter": Option(N_ITER.takes, f"{N_ITER.meaning} The first 250 use early exaggeration."),
    "min_grad_norm": MIN_GRAD_NORM,
    "callbacks": CALLBACKS,
    "checkpoint": CHECKPOINT,
    "n_jobs": N_JOBS,
    "random_state": RANDOM_STATE,
    "verbose": VERBOSE,
}


class LabelTSNE(DescentEstimator):
    """t-SNE with labels as prior; subclasses define the objective."""

    _options: ClassVar[Mapping[str, Option]]

    transform: ClassVar = NoTransform()

    n_components: int
    perplexity: float
    init: Any
    learning_rate: Any
    n_iter: int
    min_grad_norm: float
    callbacks: Any
    checkpoint: Any
    n_jobs: int | None
    random_state: Any
    verbose: int

    perplexity_: float
    learning_rate_: float

    def _fit(self, X: Any, priors: dict[str, Prior], keep: Keep | None) -> None:
        who = type(self).__name__
        labels = join_labels(who, priors)
        self._resolve(who, len(X))
        checkpoint = open_checkpoint(self, X, prior=labels)
        with compiled_threads(self.n_jobs):
            distances = data_distances(X, self.metric, who=who)
            objective = (
                self._plain(distances) if labels is None else self._objective(distances, labels)
            )
            if isinstance(self.init, str):
                rng = as_generator(seed_of(self, checkpoint))
                start = random_start(len(X), self.n_components, rng)
            else:
                start = given_start(who, self.init, len(X), self.n_components)
            descent = minimize(
                objective,
                start,
                TwoPhases(self.n_iter, self.learning_rate_),
                min_grad_norm=self.min_grad_norm,
                callbacks=self.callbacks or (),
                title=who,
                verbose=self.verbose,
                checkpoint=checkpoint,
            )
        self._set_fitted(descent)

    @abstractmethod
    def _objective(self, distances: SampleDistances, labels: Labels) -> Objective:
        """Return the objective."""

    def _plain(self, distances: SampleDistances) -> Objective:
        """Return the objective of t-SNE, for a fit without a prior."""
        return JEDIObjective(
            self._data_divergence(distances),
            repulsion=choose_repulsion(distances.n_samples, self.n_components),
        )

    def _data_divergence(self, distances: SampleDistances) -> DataDivergence:
        """Return KL(P‖Q) with the affinities of the data."""
        return DataDivergence(
            data_affinities(
                distances, self.perplexity_, n_jobs=self.n_jobs, who=type(self).__name__
            )
        )

    def _resolve(self, who: str, n_samples: int) -> None:
        """Resolve perplexity and learning rate for this number of samples."""
        self.perplexity_ = resolve_perplexity(
            who, "perplexity", self.perplexity, n_samples, share=1 / 5
        )
        automatic = self.learning_rate == "auto"
        self.learning_rate_ = max(n_samples / 48, 50.0) if automatic else float(self.learning_rate)
