"""JEDI: t-SNE with the prior factored out of its objective."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from unprior._memory import check_square_fits
from unprior._params import Either, Number, OneOf, Option, Whole, describe_options
from unprior._random import as_generator
from unprior._strengths import read_strengths
from unprior._threads import compiled_threads
from unprior._typing import Callback, Floats, Metric
from unprior.affinities import resolve_perplexity
from unprior.estimators._base import DescentEstimator
from unprior.estimators._checkpoints import open_checkpoint, seed_of
from unprior.estimators._new_samples import PlacingEstimator
from unprior.estimators._options import (
    CALLBACKS,
    CHECKPOINT,
    COMPONENTS,
    METRIC,
    MIN_GRAD_NORM,
    N_JOBS,
    RANDOM_STATE,
    STRENGTHS,
    VERBOSE,
    learning_rate,
    starts,
)
from unprior.geometry import data_distances
from unprior.objectives import (
    JEDIObjective,
    Problem,
    WeightedPrior,
    exact_objective,
    sampled_objective,
)
from unprior.optimize import (
    Annealed,
    Schedule,
    coarse_start,
    given_start,
    minimize,
    random_start,
    spectral_start,
)
from unprior.priors import Keep, Prior
from unprior.transform._keep import keep_jedi

#: Up to this many samples one thread is faster than several.
FEW = 1000

#: Up to this many samples "auto" is exact, which takes about as long as sampling.
MOST_EXACT = 4000

#: Factor on the strength of the priors at the first step; it decreases to 1.
EMPHASIS = 2.0


@describe_options
class JEDI(DescentEstimator, PlacingEstimator):
    r"""t-SNE with prior knowledge factored out of its objective.

    Minimises :math:`\mathrm{KL}(P \| Q) - \eta\,\mathrm{pJSD}(P' \| Q)`: the map's affinities Q
    should be similar to the data's, P, and dissimilar to the prior's, P'. The divergence pJSD is
    bounded, so that the second term cannot dominate without limit. Without a prior this is t-SNE.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    objective_ : ndarray of shape (n_iter_,)
        The objective at each step, at the final strength; in the first steps with the broad
        neighbourhoods described in the Notes.
    n_iter_ : int
        Number of steps taken.
    perplexity_, prior_perplexity_ : float
        The perplexities used.
    learning_rate_ : float
        The step size used.
    solver_ : {"exact", "sampled"}
        The solver used.
    n_features_in_ : int
        Number of columns of ``X``.

    See Also
    --------
    IndependentTSNE : t-SNE under the constraint that the map is independent of the prior.
    Confetti : Factors a prior out of the distances, before any embedder.

    Notes
    -----
    The "exact" solver sums over all pairs at each step and stores an n × n array for the data and
    for each prior. The "sampled" solver draws 160 partners of each sample at each step, with
    weights that make the sums unbiased, in O(n) memory; perplexities that are small relative to n
    use nearest neighbours instead. Its ``objective_`` is an estimate. Maps of both solvers score
    alike, except that the sampled one may keep a little less of weak structure.

    The schedule and the early stop are part of the method: the map is not a minimum of the
    objective, and at a minimum more of the prior is left. On two-factor data of 1000 samples with
    labels as prior, .18 of it is left among map neighbours after ``fit``, .24 after 500 further
    steps on the objective itself, and .30 after 1500. So do not continue a fit, for example from
    ``init=embedding_``, to remove more. `IndependentTSNE` makes removal a constraint, which holds
    at its minimum.

    The prior starts with twice its strength, which decreases to ``strength`` with the step size.
    With a prior, the first fifth of the steps uses neighbourhoods of at least n/5 of the samples,
    whatever the ``perplexity``. The last tenth follows the objective itself, and stops early when
    its moving average no longer decreases. The initial map is spectral for the forces of the whole
    objective, prior included: axes of the raw data would begin with the structure to be removed.

    References
    ----------
    Heiter, Fischer and Vreeken, "Factoring out prior knowledge from low-dimensional embeddings",
    2021. In its notation α is ``symmetry`` and β is ``skewness``; η is 1.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(200, random_state=0)
    >>> jedi = up.JEDI(n_iter=100, random_state=0)
    >>> jedi.fit_transform(data.X, prior=up.priors.labels(data.known)).shape
    (200, 2)
    >>> jedi.perplexity_
    40.0
    """

    _options: ClassVar = {
        "n_components": COMPONENTS,
        "strength": Option(
            STRENGTHS,
            "How strongly the prior is factored out (η): 1 in the paper, 0 is plain t-SNE, more "
            "removes more. With several priors, one number for all or one for each.",
        ),
        "symmetry": Option(
            Number(0, 1),
            "Level of symmetry of pJSD (α): 0 weights pairs that are close in the map, 1 pairs "
            "that are close in the prior.",
        ),
        "skewness": Option(
            Number(0, 1, open_low=True, open_high=True),
            "Level of skewness of pJSD (β), which bounds it by −log(1−β).",
        ),
        "perplexity": Option(
            Either(OneOf("auto"), Number(1)),
            'Effective number of neighbours in the data; "auto" is n/5, as in the paper.',
        ),
        "prior_perplexity": Option(
            Either(OneOf("auto"), Number(1)),
            'Effective number of neighbours in the prior; "auto" is n/10, as in the paper. Labels '
            "need none: all samples of a class are neighbours.",
        ),
        "metric": METRIC,
        "solver": Option(
            OneOf("auto", "exact", "sampled"),
            'How sums over pairs are computed: "exact" over all of them, in O(n²) per step; '
            '"sampled" over partners drawn at each step, in O(n). "auto" is exact up to 4000 '
            "samples.",
        ),
        "init": Option(
            starts("spectral", "random"),
            'Initial map: "spectral", along the axes that JEDI\'s own forces, prior included, '
            'stretch first; "random"; or an array of shape (n_samples, n_components).',
        ),
        "learning_rate": learning_rate("n/12"),
        "n_iter": Option(
            Whole(1),
            "Maximum number of steps. The schedule scales with it, and how much of the prior is "
            "left depends on it (see Notes).",
        ),
        "min_grad_norm": MIN_GRAD_NORM,
        "callbacks": CALLBACKS,
        "checkpoint": CHECKPOINT,
        "n_jobs": N_JOBS,
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
    }

    perplexity_: float
    prior_perplexity_: float
    learning_rate_: float
    solver_: str

    def __init__(
        self,
        n_components: int = 2,
        *,
        strength: Any = 1.0,
        symmetry: float = 0.0,
        skewness: float = 0.99,
        perplexity: Any = "auto",
        prior_perplexity: Any = "auto",
        metric: Metric = "euclidean",
        solver: str = "auto",
        init: Any = "spectral",
        learning_rate: Any = "auto",
        n_iter: int = 500,
        min_grad_norm: float = 1e-7,
        callbacks: Sequence[Callback] | None = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.strength = strength
        self.symmetry = symmetry
        self.skewness = skewness
        self.perplexity = perplexity
        self.prior_perplexity = prior_perplexity
        self.metric = metric
        self.solver = solver
        self.init = init
        self.learning_rate = learning_rate
        self.n_iter = n_iter
        self.min_grad_norm = min_grad_norm
        self.callbacks = callbacks
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Any, priors: dict[str, Prior], keep: Keep | None) -> None:
        strengths = read_strengths("JEDI", self.strength, [*priors])
        self._resolve(len(X))
        given = None
        if not isinstance(self.init, str):
            given = given_start("JEDI", self.init, len(X), self.n_components)
        checkpoint = open_checkpoint(self, X, prior=priors)
        rng = as_generator(seed_of(self, checkpoint))
        with compiled_threads(self.n_jobs if len(X) > FEW else 1):
            removed = {
                name: WeightedPrior(part, strength)
                for (name, part), strength in zip(priors.items(), strengths, strict=True)
                if strength > 0
            }
            problem = Problem(
                data_distances(X, self.metric, who="JEDI"),
                [*removed.values()],
                self.perplexity_,
                self.prior_perplexity_,
                self.symmetry,
                self.skewness,
            )
            emphasis = EMPHASIS if removed else 1.0
            objective = self._objective(problem, rng)
            descent = minimize(
                objective,
                self._start(problem, objective, emphasis, rng) if given is None else given,
                self._schedule(emphasis),
                min_grad_norm=self.min_grad_norm,
                callbacks=self.callbacks or (),
                title="JEDI",
                verbose=self.verbose,
                checkpoint=checkpoint,
            )
            self._set_fitted(descent)
            self._new = keep_jedi(problem, objective, self.embedding_, [*removed])

    def _resolve(self, n_samples: int) -> None:
        """Resolve every "auto" for this number of samples."""
        automatic = "exact" if n_samples <= MOST_EXACT else "sampled"
        self.solver_ = automatic if self.solver == "auto" else self.solver
        self.perplexity_ = resolve_perplexity(
            "JEDI", "perplexity", self.perplexity, n_samples, share=1 / 5
        )
        self.prior_perplexity_ = resolve_perplexity(
            "JEDI", "prior_perplexity", self.prior_perplexity, n_samples, share=1 / 10
        )
        rate = n_samples / 12 if self.learning_rate == "auto" else self.learning_rate
        self.learning_rate_ = float(rate)

    def _objective(self, problem: Problem, rng: np.random.RandomState) -> JEDIObjective:
        """Return the objective of the chosen solver."""
        if self.solver_ == "sampled":
            return sampled_objective(problem, self.n_components, rng, self.n_jobs)
        check_square_fits("JEDI", problem.n_samples, n_arrays=5 + len(problem.priors))
        return exact_objective(problem)

    def _schedule(self, emphasis: float) -> Schedule:
        """Return the steps; ``emphasis`` is 1 without a prior."""
        return Annealed(self.n_iter, self.learning_rate_, emphasis, gains=emphasis == 1)

    def _start(
        self,
        problem: Problem,
        objective: JEDIObjective,
        emphasis: float,
        rng: np.random.RandomState,
    ) -> Floats:
        """Return the initial map."""
        shape = (problem.n_samples, self.n_components)
        if self.init == "random":
            return random_start(*shape, rng)
        if self.solver_ == "exact":
            return spectral_start(objective.pulls_at_origin(emphasis), self.n_components, rng)
        return coarse_start(problem, self.n_components, rng, emphasis)
