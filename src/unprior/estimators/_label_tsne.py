"""What both kinds of conditional t-SNE share: their options, and all of fit but one step."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from unprior._params import Either, Kind, Number, OneOf, Option, Whole, check_options
from unprior._threads import compiled_threads
from unprior._typing import Floats
from unprior._warnings import InterruptedFitWarning
from unprior.affinities import data_affinities, resolve_perplexity
from unprior.estimators._base import MapEstimator, read_data, read_priors
from unprior.estimators._options import COMPONENTS, METRIC, N_JOBS, RANDOM_STATE, VERBOSE
from unprior.objectives import DataDivergence, JEDIObjective, Objective
from unprior.optimize import Descent, TwoPhases, given_start, minimize, random_start
from unprior.priors import Combined, Labels, Prior, data_distances
from unprior.repulsion import choose_repulsion


def _are_callbacks(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(callable(c) for c in value)


#: The options of t-SNE itself.
TSNE_OPTIONS: Mapping[str, Option] = {
    "n_components": COMPONENTS,
    "perplexity": Option(
        Number(1),
        "Effective number of neighbours in the data; at most a third of the other samples.",
    ),
    "metric": METRIC,
    "init": Option(
        Either(OneOf("random"), Kind("an array", lambda v: not isinstance(v, str))),
        'Where the descent starts: "random", or an array of shape (n_samples, n_components). '
        "Principal axes of the data, the usual start of t-SNE, would bring the labels back in.",
    ),
    "learning_rate": Option(
        Either(OneOf("auto"), Number(0, open_low=True)), 'Step size; "auto" is n/48, at least 50.'
    ),
    "n_iter": Option(Whole(1), "Most steps to take; the first 250 exaggerate attraction."),
    "min_grad_norm": Option(
        Number(0), "The descent stops early when the norm of the gradient falls to this."
    ),
    "callbacks": Option(
        Either(Kind("None", lambda v: v is None), Kind("a list of functions", _are_callbacks)),
        "Called before every step as ``callback(iteration, objective, embedding)``; a true answer "
        "stops.",
    ),
    "n_jobs": N_JOBS,
    "random_state": RANDOM_STATE,
    "verbose": VERBOSE,
}


class LabelTSNE(MapEstimator):
    """t-SNE that is told labels; what it makes of them is for each method to say."""

    _options: ClassVar[Mapping[str, Option]]

    n_components: int
    perplexity: float
    init: Any
    learning_rate: Any
    n_iter: int
    min_grad_norm: float
    callbacks: Any
    n_jobs: int | None
    random_state: Any
    verbose: int

    objective_: Floats
    n_iter_: int
    perplexity_: float
    learning_rate_: float

    def fit(self, X: Any, y: None = None, *, prior: Any = None) -> Self:
        """Fit the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or distances if ``metric="precomputed"``.
        y : None
            Ignored: a prior is what to remove, a target would be what to keep.
        prior : Labels, array-like of labels, or several of them in a list or dict
            What is known. Of several, also as a table, samples have the same label if they agree
            in all of them.

        Returns
        -------
        self : estimator
        """
        check_options(self)
        who = type(self).__name__
        X = read_data(self, X)
        labels = join_labels(who, read_priors(self, prior, len(X)))
        self._resolve(who, len(X))
        with compiled_threads(self.n_jobs):
            distances = data_distances(X, self.metric, who=who)
            objective = (
                self._plain(distances) if labels is None else self._objective(distances, labels)
            )
            descent = self._descend(who, objective, self._start(who, len(X)))
        self._keep(who, descent)
        return self

    @abstractmethod
    def _objective(self, distances: Prior, labels: Labels) -> Objective:
        """Return what to minimise."""

    def _plain(self, distances: Prior) -> Objective:
        """Return the objective of t-SNE, for when nothing is known."""
        return JEDIObjective(
            DataDivergence(data_affinities(distances, self.perplexity_)),
            repulsion=choose_repulsion(distances.n_samples, self.n_components),
        )

    def _resolve(self, who: str, n_samples: int) -> None:
        """Settle what depends on the number of samples."""
        self.perplexity_ = resolve_perplexity(
            who, "perplexity", self.perplexity, n_samples, share=1 / 5
        )
        automatic = self.learning_rate == "auto"
        self.learning_rate_ = max(n_samples / 48, 50.0) if automatic else float(self.learning_rate)

    def _start(self, who: str, n_samples: int) -> Floats:
        """Return the map to start from."""
        if not isinstance(self.init, str):
            return given_start(who, self.init, n_samples, self.n_components)
        return random_start(n_samples, self.n_components, check_random_state(self.random_state))

    def _descend(self, who: str, objective: Objective, start: Floats) -> Descent:
        """Minimise the objective; refuse to return a map that flew apart."""
        diverged = (
            f"{who}: the descent diverged (learning rate {self.learning_rate_:g}); use a smaller "
            "'learning_rate'."
        )
        try:
            descent = minimize(
                objective,
                start,
                TwoPhases(self.n_iter, self.learning_rate_),
                min_grad_norm=self.min_grad_norm,
                callbacks=self.callbacks or (),
                title=who,
                verbose=self.verbose,
            )
        except ZeroDivisionError as error:  # all samples so far apart that every w vanished
            raise FloatingPointError(diverged) from error
        if not np.isfinite(descent.embedding).all():
            raise FloatingPointError(diverged)
        return descent

    def _keep(self, who: str, descent: Descent) -> None:
        """Set the fitted attributes, whatever stopped the descent."""
        self.embedding_ = descent.embedding
        self.objective_ = descent.history
        self.n_iter_ = descent.n_iter
        if descent.stopped_by == "keyboard":
            warnings.warn(
                f"{who}: stopped from the keyboard after {descent.n_iter} of {self.n_iter} steps; "
                "the map so far is kept in embedding_.",
                InterruptedFitWarning,
                stacklevel=3,
            )


def join_labels(who: str, priors: Mapping[str, Prior]) -> Labels | None:
    """Return the labels, of several priors the joint ones; None if there is no prior."""
    parts = [*_each_labels(who, priors)]
    if len(parts) <= 1:
        return parts[0] if parts else None
    classes, codes = np.unique(
        np.column_stack([part.codes for part in parts]), axis=0, return_inverse=True
    )
    joint = Labels(codes.ravel().astype(np.intp, copy=False), np.arange(len(classes)))
    if joint.is_constant():
        message = (
            f"{who}: all labels of 'prior' taken together say nothing: "
            f"{joint.describe_constant()}. Leave some out."
        )
        raise ValueError(message)
    return joint


def _each_labels(who: str, priors: Mapping[str, Prior]) -> Iterator[Labels]:
    for name, prior in priors.items():
        if isinstance(prior, Combined):
            yield from _each_labels(who, prior.parts)
        elif isinstance(prior, Labels):
            yield prior
        else:
            message = (
                f"{who}: {name!r} takes labels; got a prior of {prior.kind}. Use JEDI or Confetti, "
                "which take any prior."
            )
            raise ValueError(message)
