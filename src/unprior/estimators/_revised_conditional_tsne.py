"""Revised ct-SNE: t-SNE of affinities from which labels are factored out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from unprior._params import Number, Option, describe_options
from unprior._typing import Callback, Metric
from unprior.affinities import conditional_affinities
from unprior.estimators._label_tsne import TSNE_OPTIONS, LabelTSNE
from unprior.forces import choose_repulsion
from unprior.geometry import SampleDistances
from unprior.objectives import DataDivergence, JEDIObjective
from unprior.priors import Labels


@describe_options
class RevisedConditionalTSNE(LabelTSNE):
    """Revised ct-SNE: t-SNE that takes half of each sample's neighbours from other labels.

    Affinities to neighbours with the same label are scaled down, those to the others up; the rest
    is t-SNE. While ct-SNE pushes samples with the same label apart, here samples with different
    labels attract each other, even if the labels separate the data completely. Without a
    prior this is t-SNE.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    objective_ : ndarray of shape (n_iter_,)
        The divergence of the map's affinities from the scaled ones at each step, without
        exaggeration.
    n_iter_ : int
        Number of steps taken.
    perplexity_ : float
        The perplexity used.
    learning_rate_ : float
        The step size used.
    n_features_in_ : int
        Number of columns of ``X``.

    See Also
    --------
    ConditionalTSNE : Conditions the map's side of t-SNE instead.
    JEDI : Takes any prior.

    Notes
    -----
    With several label sets, also as a table, samples have the same label if they agree in all.

    Half of the neighbours have other labels whatever the weight: with ``same_label_weight=1`` this
    is t-SNE only if all samples are neighbours.

    References
    ----------
    Heiter, Kang, Seurinck and Lijffijt, "Revised conditional t-SNE: looking beyond the nearest
    neighbors", Intelligent Data Analysis, 2023. In its notation ``same_label_weight`` is α; the
    weight of pairs with different labels, β, follows from it.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(200, random_state=0)
    >>> revised = up.RevisedConditionalTSNE(n_iter=100, random_state=0)
    >>> revised.fit_transform(data.X, prior=up.priors.labels(data.known)).shape
    (200, 2)
    """

    _options: ClassVar = {
        **TSNE_OPTIONS,
        "same_label_weight": Option(
            Number(0, 1, open_low=True),
            "Weight of pairs with the same label in the data (α); pairs with different labels "
            "weigh more, so that the mean over all pairs is 1. Less removes more of the labels.",
        ),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        same_label_weight: float = 0.1,
        perplexity: float = 30.0,
        metric: Metric = "euclidean",
        init: Any = "random",
        learning_rate: Any = "auto",
        n_iter: int = 750,
        min_grad_norm: float = 1e-7,
        callbacks: Sequence[Callback] | None = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.same_label_weight = same_label_weight
        self.perplexity = perplexity
        self.metric = metric
        self.init = init
        self.learning_rate = learning_rate
        self.n_iter = n_iter
        self.min_grad_norm = min_grad_norm
        self.callbacks = callbacks
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _objective(self, distances: SampleDistances, labels: Labels) -> JEDIObjective:
        affinities = conditional_affinities(
            distances, labels, self.perplexity_, self.same_label_weight, n_jobs=self.n_jobs
        )
        return JEDIObjective(
            DataDivergence(affinities),
            repulsion=choose_repulsion(distances.n_samples, self.n_components),
        )
