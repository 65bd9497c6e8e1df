"""ct-SNE: t-SNE whose repulsion depends on labels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from unprior._params import Number, Option, describe_options
from unprior._typing import Callback, Metric
from unprior.affinities import PairWeights
from unprior.estimators._label_tsne import TSNE_OPTIONS, LabelTSNE
from unprior.forces import choose_repulsion
from unprior.geometry import SampleDistances
from unprior.objectives import ConditionalObjective
from unprior.priors import Labels


@describe_options
class ConditionalTSNE(LabelTSNE):
    r"""ct-SNE: t-SNE conditioned on labels, an alternative to JEDI for priors that are labels.

    Minimises :math:`\mathrm{KL}(P \| T)`, with T the map's affinities given the labels: pairs with
    the same label get a larger weight, pairs with different labels a smaller one. Samples with the
    same label then repel each other more strongly than others, and need not lie together. Without a
    prior this is t-SNE.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    objective_ : ndarray of shape (n_iter_,)
        KL(P‖T) at each step, without exaggeration.
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
    RevisedConditionalTSNE : Conditions the data's side of t-SNE instead.
    JEDI : Takes any prior.

    Notes
    -----
    With several label sets, also as a table, samples have the same label if they agree in all.

    The repulsion is summed over all pairs up to a few thousand samples. Beyond that, the repulsion
    of all samples and of each large class is interpolated on a grid or, in three dimensions, summed
    over a tree.

    References
    ----------
    Kang, García García, Lijffijt, Santos-Rodríguez and De Bie, "Conditional t-SNE: more informative
    t-SNE embeddings", Machine Learning, 2021. In its notation ``other_label_weight`` is β'; the
    weight of pairs with the same label, α', follows from it.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(200, random_state=0)
    >>> ctsne = up.ConditionalTSNE(n_iter=100, random_state=0)
    >>> ctsne.fit_transform(data.X, prior=up.priors.labels(data.known)).shape
    (200, 2)
    """

    _options: ClassVar = {
        **TSNE_OPTIONS,
        "other_label_weight": Option(
            Number(0, 1, open_low=True),
            "Weight of pairs with different labels in the map (β'); pairs with the same label "
            "weigh more, so that the mean is 1. At 1 this is t-SNE; less removes more of the "
            "labels.",
        ),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        other_label_weight: float = 1e-5,
        perplexity: float = 30.0,
        metric: Metric = "euclidean",
        init: Any = "random",
        learning_rate: Any = "auto",
        n_iter: int = 1000,
        min_grad_norm: float = 1e-7,
        callbacks: Sequence[Callback] | None = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.other_label_weight = other_label_weight
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

    def _objective(self, distances: SampleDistances, labels: Labels) -> ConditionalObjective:
        return ConditionalObjective(
            self._data_divergence(distances),
            labels,
            PairWeights.from_other(labels, self.other_label_weight),
            partial(choose_repulsion, n_components=self.n_components),
        )
