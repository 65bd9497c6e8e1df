"""Data and prior -> map, by t-SNE with the prior factored out of its objective."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from unprior._memory import check_square_fits
from unprior._params import (
    Either,
    Kind,
    Number,
    OneOf,
    Option,
    Whole,
    check_options,
    describe_options,
)
from unprior._threads import compiled_threads
from unprior._typing import Callback, Floats, Metric
from unprior._warnings import InterruptedFitWarning
from unprior.affinities import data_affinities, prior_affinities, resolve_perplexity
from unprior.estimators._base import MapEstimator, read_data, read_priors, read_strengths
from unprior.estimators._options import (
    COMPONENTS,
    METRIC,
    N_JOBS,
    RANDOM_STATE,
    STRENGTHS,
    VERBOSE,
)
from unprior.objectives import DataDivergence, JEDIObjective, PriorDivergence
from unprior.optimize import Descent, Schedule, given_start, minimize, random_start, spectral_start
from unprior.priors import data_distances


def _are_callbacks(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(callable(c) for c in value)


@describe_options
class JEDI(MapEstimator):
    r"""t-SNE with prior knowledge factored out of its objective.

    Minimises :math:`\mathrm{KL}(P \| Q) - \eta\,\mathrm{pJSD}(P' \| Q)`: the map's affinities Q are
    to be like the data's, P, and unlike the prior's, P'. The divergence pJSD is bounded, so that
    the second wish cannot drown the first. Without a prior this is t-SNE.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    objective_ : ndarray of shape (n_iter_,)
        The objective at every step: its true value, also while attraction is exaggerated.
    n_iter_ : int
        Steps taken.
    perplexity_, prior_perplexity_ : float
        The perplexities that were used.
    learning_rate_ : float
        The step size that was used.
    solver_ : str
        The solver that was used.
    n_features_in_ : int
        Columns of ``X``.

    See Also
    --------
    Confetti : Factors a prior out of the distances, before any embedder.

    Notes
    -----
    The "exact" solver visits all pairs at every step and holds an n × n array for the data and for
    each prior: it is meant for up to about ten thousand samples.

    Principal or spectral axes of the raw data, the usual starts of t-SNE, begin with the very
    structure that a prior is there to remove. The default start is spectral for the forces of the
    whole objective instead, in which data and prior have met already.

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
            "Level of symmetry of pJSD (α): 0 minds where the map puts samples together, 1 where "
            "the prior does.",
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
            OneOf("auto", "exact"), 'How sums over pairs are formed; "exact" sums all.'
        ),
        "init": Option(
            Either(OneOf("spectral", "random"), Kind("an array", lambda v: not isinstance(v, str))),
            'Where the descent starts: "spectral" along the axes that JEDI\'s own forces, prior '
            'included, stretch first; "random"; or an array of shape (n_samples, n_components).',
        ),
        "learning_rate": Option(
            Either(OneOf("auto"), Number(0, open_low=True)), 'Step size; "auto" is n/12.'
        ),
        "n_iter": Option(Whole(1), "Most steps to take; the first third exaggerates attraction."),
        "min_grad_norm": Option(
            Number(0), "The descent stops early when the norm of the gradient falls to this."
        ),
        "callbacks": Option(
            Either(Kind("None", lambda v: v is None), Kind("a list of functions", _are_callbacks)),
            "Called before every step as ``callback(iteration, objective, embedding)``; a true "
            "answer stops.",
        ),
        "n_jobs": N_JOBS,
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
    }

    objective_: Floats
    n_iter_: int
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
        n_iter: int = 750,
        min_grad_norm: float = 1e-7,
        callbacks: Sequence[Callback] | None = None,
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
        check_square_fits("JEDI", len(X), n_arrays=2 + len(priors))
        with compiled_threads(self.n_jobs):
            data = data_affinities(data_distances(X, self.metric, who="JEDI"), self.perplexity_)
            known = [prior_affinities(p, self.prior_perplexity_) for p in priors.values()]
            objective = JEDIObjective(
                DataDivergence(data),
                [
                    PriorDivergence(affinities, strength, self.symmetry, self.skewness)
                    for affinities, strength in zip(known, strengths, strict=True)
                ],
            )
            descent = minimize(
                objective,
                self._start(objective, len(X)),
                Schedule(self.n_iter, self.learning_rate_),
                min_grad_norm=self.min_grad_norm,
                callbacks=self.callbacks or (),
                title="JEDI",
                verbose=self.verbose,
            )
        self._keep(descent)
        return self

    def _resolve(self, n_samples: int) -> None:
        """Turn every "auto" into what this many samples ask for."""
        self.solver_ = "exact"
        self.perplexity_ = resolve_perplexity(
            "JEDI", "perplexity", self.perplexity, n_samples, share=1 / 5
        )
        self.prior_perplexity_ = resolve_perplexity(
            "JEDI", "prior_perplexity", self.prior_perplexity, n_samples, share=1 / 10
        )
        automatic = self.learning_rate == "auto"
        self.learning_rate_ = n_samples / 12 if automatic else float(self.learning_rate)

    def _start(self, objective: JEDIObjective, n_samples: int) -> Floats:
        """Return the map to start from."""
        if not isinstance(self.init, str):
            return given_start("JEDI", self.init, n_samples, self.n_components)
        rng = check_random_state(self.random_state)
        if self.init == "random":
            return random_start(n_samples, self.n_components, rng)
        return spectral_start(objective, n_samples, self.n_components, rng)

    def _keep(self, descent: Descent) -> None:
        """Set the fitted attributes, whatever stopped the descent."""
        self.embedding_ = descent.embedding
        self.objective_ = descent.history
        self.n_iter_ = descent.n_iter
        if descent.stopped_by == "keyboard":
            warnings.warn(
                f"JEDI: stopped from the keyboard after {descent.n_iter} of {self.n_iter} steps; "
                "the map so far is kept in embedding_.",
                InterruptedFitWarning,
                stacklevel=3,
            )
        if not np.isfinite(self.embedding_).all():
            message = (
                f"JEDI: the descent diverged (learning rate {self.learning_rate_:g}); "
                "use a smaller 'learning_rate'."
            )
            raise FloatingPointError(message)
