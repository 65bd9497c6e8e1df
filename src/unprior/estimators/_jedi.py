"""Data and prior -> map, by t-SNE with the prior factored out of its objective."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from unprior._memory import check_square_fits
from unprior._params import Either, Number, OneOf, Option, Whole, check_options, describe_options
from unprior._random import as_generator
from unprior._strengths import read_strengths
from unprior._threads import compiled_threads
from unprior._typing import Callback, Floats, Metric
from unprior.affinities import resolve_perplexity
from unprior.estimators._base import read_data, read_priors
from unprior.estimators._checkpoints import open_checkpoint, seed_of
from unprior.estimators._descent import DescentEstimator
from unprior.estimators._jedi_objective import (
    Known,
    Problem,
    coarse_start,
    exact_objective,
    sampled_objective,
)
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
from unprior.objectives import JEDIObjective
from unprior.optimize import Annealed, given_start, minimize, random_start, spectral_start
from unprior.transform._keep import keep_jedi

#: Up to this many samples a second thread costs more than it saves.
FEW = 1000

#: Up to this many samples "auto" visits all pairs, which takes about as long as to draw some.
MOST_EXACT = 4000

#: Factor on the strength of the priors when the descent begins; it ends at the strength itself.
EMPHASIS = 2.0


@describe_options
class JEDI(DescentEstimator, PlacingEstimator):
    r"""t-SNE with prior knowledge factored out of its objective.

    Descends :math:`\mathrm{KL}(P \| Q) - \eta\,\mathrm{pJSD}(P' \| Q)`: the map's affinities Q
    should be like the data's, P, and unlike the prior's, P'. The divergence pJSD is bounded, so
    that the second term cannot outweigh the first without limit. Without a prior this is t-SNE.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    objective_ : ndarray of shape (n_iter_,)
        The objective at every step, at the strength asked for; in the first steps with the broad
        neighbourhoods of the Notes.
    n_iter_ : int
        Steps taken.
    perplexity_, prior_perplexity_ : float
        The perplexities that were used.
    learning_rate_ : float
        The step size that was used.
    solver_ : {"exact", "sampled"}
        The solver that was used.
    n_features_in_ : int
        Columns of ``X``.

    See Also
    --------
    IndependentTSNE : t-SNE under the constraint that the map is independent of the prior.
    Confetti : Factors a prior out of the distances, before any embedder.

    Notes
    -----
    The "exact" solver visits all pairs at every step and holds an n × n array for the data and for
    each prior. The "sampled" solver draws 160 partners of every sample at every step, each with a
    weight that makes its sums right on average, and holds O(n); perplexities that are small against
    n use nearest neighbours instead. Its ``objective_`` is an estimate. Maps of both solvers score
    alike, but for weak structure, of which the sampled one may keep a little less.

    The schedule and the early stop are part of the method: the map is not a minimum of the
    objective, and at a minimum more of the prior is back. On two-factor data of 1000 samples with
    labels as prior, .18 of it is left among map neighbours after ``fit``, .24 after 500 further
    steps down the objective alone, and .30 after 1500. So do not continue a fit, for example from
    ``init=embedding_``, to remove more. `IndependentTSNE` makes removal a constraint, which holds
    at its minimum.

    The prior counts double at first, and its factor falls to ``strength`` as the steps shrink.
    Against a prior, the first fifth of the steps uses neighbourhoods of at least n/5 of the
    samples, whatever ``perplexity`` is. The last tenth follows the objective itself, and stops when
    that, smoothed, no longer falls. The start is spectral for the forces of the whole objective,
    prior included: axes of the raw data would begin with the structure that is to be removed.

    References
    ----------
    Heiter, Fischer and Vreeken, "Factoring out prior knowledge from low-dimensional embeddings",
    2021. Letters there: η is 1, α is ``symmetry``, β is ``skewness``.

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
            "Level of symmetry of pJSD (α): 0 counts pairs that are close in the map, 1 pairs that "
            "are close in the prior.",
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
            'How sums over pairs are formed: "exact" over all of them, in O(n²) a step; "sampled" '
            'over partners drawn afresh, in O(n). "auto" is exact up to 4000 samples.',
        ),
        "init": Option(
            starts("spectral", "random"),
            'Where the descent starts: "spectral" along the axes that JEDI\'s own forces, prior '
            'included, stretch first; "random"; or an array of shape (n_samples, n_components).',
        ),
        "learning_rate": learning_rate("n/12"),
        "n_iter": Option(
            Whole(1),
            "Most steps to take. The schedule stretches to this number, and what is left of the "
            "prior depends on it: it is no measure of convergence (see Notes).",
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

    def fit(self, X: Any, y: None = None, *, prior: Any = None) -> JEDI:
        """Fit the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or distances if ``metric="precomputed"``.
        y : None
            Ignored: a prior is what to remove, a target would be what to keep.
        prior : Prior, array-like, or several of them in a list or dict
            What is known; see `unprior.priors.as_prior`.

        Returns
        -------
        self : JEDI
        """
        check_options(self)
        X = read_data(self, X)
        priors = read_priors(self, prior, len(X))
        strengths = read_strengths("JEDI", self.strength, [*priors])
        self._resolve(len(X))
        given = None
        if not isinstance(self.init, str):
            given = given_start("JEDI", self.init, len(X), self.n_components)
        checkpoint = open_checkpoint(self, X, prior=priors)
        rng = as_generator(seed_of(self, checkpoint))
        with compiled_threads(self.n_jobs if len(X) > FEW else 1):
            known = [
                Known(part, strength)
                for part, strength in zip(priors.values(), strengths, strict=True)
                if strength > 0
            ]
            problem = self._problem(X, known)
            emphasis = EMPHASIS if problem.known else 1.0
            objective = self._objective(problem, rng)
            descent = minimize(
                objective,
                self._start(problem, objective, emphasis, rng) if given is None else given,
                Annealed(self.n_iter, self.learning_rate_, emphasis, gains=not problem.known),
                min_grad_norm=self.min_grad_norm,
                callbacks=self.callbacks or (),
                title="JEDI",
                verbose=self.verbose,
                checkpoint=checkpoint,
            )
            self._keep(descent)
            named = zip(priors, strengths, strict=True)
            names = [name for name, strength in named if strength > 0]
            self._new = keep_jedi(problem, objective, self.embedding_, names)
        return self

    def _resolve(self, n_samples: int) -> None:
        """Turn every "auto" into what this many samples ask for."""
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

    def _problem(self, X: Floats, known: Sequence[Known]) -> Problem:
        """Return what is to be solved."""
        return Problem(
            data_distances(X, self.metric, who="JEDI"),
            known,
            self.perplexity_,
            self.prior_perplexity_,
            self.symmetry,
            self.skewness,
        )

    def _objective(self, problem: Problem, rng: np.random.RandomState) -> JEDIObjective:
        """Return the objective by the chosen solver."""
        if self.solver_ == "sampled":
            return sampled_objective(problem, self.n_components, rng, self.n_jobs)
        check_square_fits("JEDI", problem.n_samples, n_arrays=5 + len(problem.known))
        return exact_objective(problem)

    def _start(
        self,
        problem: Problem,
        objective: JEDIObjective,
        emphasis: float,
        rng: np.random.RandomState,
    ) -> Floats:
        """Return the map to start from."""
        shape = (problem.n_samples, self.n_components)
        if self.init == "random":
            return random_start(*shape, rng)
        if self.solver_ == "exact":
            return spectral_start(objective.pulls_at_origin(emphasis), self.n_components, rng)
        return coarse_start(problem, self.n_components, rng, emphasis)
