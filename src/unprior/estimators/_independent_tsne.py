"""IndependentTSNE: t-SNE under the constraint that the map is independent of the prior."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from unprior._params import Either, Number, OneOf, Option, describe_options
from unprior._random import as_generator
from unprior._strengths import read_strengths
from unprior._threads import compiled_threads
from unprior._typing import Callback, Floats, Metric
from unprior._warnings import InterruptedFitWarning
from unprior.affinities import resolve_perplexity, similarity_within
from unprior.estimators._base import DescentEstimator, KeepingEstimator
from unprior.estimators._checkpoints import open_checkpoint, seed_of
from unprior.estimators._new_samples import PlacingEstimator
from unprior.estimators._options import (
    CALLBACKS,
    CHECKPOINT,
    COMPONENTS,
    METRIC,
    N_ITER,
    N_JOBS,
    NONE,
    RANDOM_STATE,
    SHARES,
    VERBOSE,
    learning_rate,
    starts,
)
from unprior.estimators._residual import Residual
from unprior.forces import SoftNeighbors, choose_repulsion
from unprior.geometry import as_counted
from unprior.objectives import IndependenceObjective, View, attraction, broad_perplexity
from unprior.optimize import Annealed, given_start, minimize_constrained, random_start
from unprior.optimize._constraints import (
    Constraint,
    PlainMap,
    fair_view,
    find_constraints,
    first_multipliers,
    make_ascent,
    measure_left,
    multipliers_of,
    warn_of_misses,
)
from unprior.priors import Keep, Prior
from unprior.residual import (
    WITH_RESIDUAL,
    complete_labels,
    find_shared,
    fit_residual,
    flat_priors,
    transfer_labels,
)
from unprior.transform._keep import keep_tsne, keep_views, view_weights
from unprior.transform._priors import residual_of_new

#: Up to this many samples one thread is faster than several.
FEW = 1000


@describe_options
class IndependentTSNE(DescentEstimator, PlacingEstimator, KeepingEstimator):
    r"""t-SNE whose map is independent of a prior.

    Minimises :math:`\mathrm{KL}(P \| Q)`, t-SNE's objective, under a constraint for each prior: map
    neighbours are no more similar in the prior than random samples. The multiplier of each
    constraint is found during the descent (dual ascent), from how much of the prior the 15 nearest
    map neighbours share. If the prior is unrelated to the data, the multiplier stays near 0 and the
    map is t-SNE's.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    left_ : dict of str to float
        By prior, how much of it the 15 nearest map neighbours share: 0 is chance, 1 is all. With
        kept labels, chance is what random samples of the neighbour's kept class share; ``level_``
        says which chance level is used. Below 46 samples a third of the others count as neighbours;
        above 10 000, the neighbours of 10 000 samples are measured.
    level_ : {"all samples", "kept classes", "shared clusters"}
        Where the map is made independent of the prior, and ``left_`` is measured: among all
        samples, within kept classes, or within clusters that groups of different composition share.
    multiplier_ : dict of str to float
        By prior, the multiplier of its constraint; negative if the map would otherwise place
        samples together that differ in the prior.
    residual_ : Residual or None
        The fitted residual whose neighbours attract in addition to those in the data, or None.
    objective_ : ndarray of shape (n_iter_,)
        :math:`\mathrm{KL}(P \| Q)` plus each multiplier times its constraint, at each step; in the
        first fifth of the steps with the affinities of broad neighbourhoods.
    n_iter_ : int
        Number of steps taken.
    perplexity_, learning_rate_ : float
        The perplexity and the step size used.
    n_features_in_ : int
        Number of columns of ``X``.

    See Also
    --------
    embed : The same as a function, with a report on the map.
    JEDI : Rewards a map for being dissimilar to the prior, as in the paper.
    Confetti : Factors a prior out of the distances, before any embedder.

    Notes
    -----
    Let k be the similarity of two samples in the prior, scaled to a mean of 1 over the partners of
    each sample (for labels: 1 / share of the class if both have the same class, else 0; otherwise a
    Gaussian kernel). The constraint is on :math:`L = \sum_{ij} r_{ij} (k_{ij} - 1)`, with
    :math:`r_{ij} \propto w_{ij}^2` soft map neighbours. L is 0 by chance, for classes of any sizes.

    Sums run over all pairs up to 3000 samples and over near pairs beyond, without sampling; time
    and memory of a step are O(n).

    With kept labels (``keep``), k has mean 1 over the partners of every kept class. Then kept
    classes may have different shares of the prior, such as cell types that some batches lack, and
    only what differs within them is removed. Without them, or if they are not associated with any
    prior, if ``residual`` is "auto" and all priors have classes, groups are aligned and moved
    together within clusters. If they still have different shares of coarse clusters (Cramér's V of
    .12 or more), they differ in composition: a `ConfoundingWarning` says so, and clusters that the
    groups share take the place of kept labels. If kept labels are associated with a prior, groups
    are compared, and such clusters found, within kept classes.

    For `transform`, the data and their residual are stored in single precision, with the map and
    the prior of each fitted sample.

    The constraint costs less if what the prior predicts (`unprior.Residual`, kind "aligned") is
    removed from the data first. So neighbours in the residual attract as much as those in the data,
    if the prior is visible among the data's own neighbours.

    References
    ----------
    van der Maaten and Hinton, "Visualizing data using t-SNE", 2008.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(300, random_state=0)
    >>> tsne = up.IndependentTSNE(random_state=0).fit(data.X, prior=data.known)
    >>> abs(tsne.left_["prior"]) < 0.05
    True
    >>> up.scores.neighbor_purity(tsne.embedding_, data.hidden) > 0.9
    True
    """

    _options: ClassVar = {
        "n_components": COMPONENTS,
        "strength": Option(
            SHARES,
            "How much of the prior is removed: 0 leaves it in, 1 removes it, 0.5 leaves half of "
            "what a plain map shows (which is then computed first). With several priors, one "
            "number for all or one for each.",
        ),
        "residual": Option(
            Either(NONE, OneOf("auto", "aligned", "clustered", "smooth", "linear")),
            "The kind of `unprior.Residual` whose neighbours attract in addition to those in the "
            'data, or None; "auto" is "aligned" if the prior is visible among neighbours in the '
            'data, "clustered" if its groups also differ in composition (within kept classes that '
            'are associated with them), else None. Metrics other than "euclidean", "l2", "cosine" '
            'and "precomputed" have none.',
        ),
        "perplexity": Option(Number(1), "Effective number of neighbours."),
        "metric": METRIC,
        "init": Option(
            starts("pca", "random"),
            'Initial map: "pca", principal axes of the residual or of the data; "random"; or an '
            "array of shape (n_samples, n_components).",
        ),
        "learning_rate": learning_rate("n/4"),
        "n_iter": N_ITER,
        "callbacks": CALLBACKS,
        "checkpoint": CHECKPOINT,
        "n_jobs": N_JOBS,
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
    }

    # The plain map of the same data and seed, if the caller (the explorer) has it: it is not
    # computed again, and the descent starts at a given ``init`` even if a prior is removed in part
    # only.
    _plain_at_hand: Floats | None = None

    perplexity_: float
    learning_rate_: float
    left_: dict[str, float]
    multiplier_: dict[str, float]
    residual_: Residual | None
    level_: str
    _shared: Keep | None

    def __init__(
        self,
        n_components: int = 2,
        *,
        strength: Any = 1.0,
        residual: str | None = "auto",
        perplexity: float = 30.0,
        metric: Metric = "euclidean",
        init: Any = "pca",
        learning_rate: Any = "auto",
        n_iter: int = 500,
        callbacks: Sequence[Callback] | None = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.strength = strength
        self.residual = residual
        self.perplexity = perplexity
        self.metric = metric
        self.init = init
        self.learning_rate = learning_rate
        self.n_iter = n_iter
        self.callbacks = callbacks
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Any, priors: dict[str, Prior], keep: Keep | None) -> None:
        keep = complete_labels("IndependentTSNE", X, keep, priors, str(self.metric))
        strengths = read_strengths("IndependentTSNE", self.strength, [*priors], Number(0, 1))
        self._resolve(len(X))
        checkpoint = open_checkpoint(self, X, prior=priors, keep=keep)
        rng = as_generator(seed_of(self, checkpoint))
        given = None
        if not isinstance(self.init, str):
            given = given_start("IndependentTSNE", self.init, len(X), self.n_components)
        with compiled_threads(self.n_jobs if len(X) > FEW else 1):
            data = self._view(self._counted(X))
            constraints = find_constraints(priors, strengths, data, rng, keep)
            removed = [c for c in constraints if c.strength > 0]
            self.residual_, self._shared = self._find_residual(X, priors, removed)
            self.level_ = "all samples" if keep is None else "kept classes"
            if self._shared is not None:
                self.level_ = "shared clusters"
                constraints = find_constraints(priors, strengths, data, rng, self._shared)
                removed = [c for c in constraints if c.strength > 0]
            views = [fair_view(data, priors, removed, self.n_jobs)]
            if self.residual_ is not None:
                views.append(self._view(self.residual_._left))
            plain = self._plain_map(X, priors, removed)
            start = self._start(views[-1], plain, given, rng)
            objective = self._objective(views, removed, plain, rng)
            ascent = make_ascent(removed, plain.left if plain else None, self.n_iter, rng)
            stored = keep_views(views, self.residual_, self.perplexity_)
            del data, views  # neighbours take as much memory as affinities
            descent = minimize_constrained(
                objective,
                start,
                Annealed(self.n_iter, self.learning_rate_, emphasis=1.0, gains=True),
                ascent,
                callbacks=self.callbacks or (),
                title="IndependentTSNE",
                verbose=self.verbose,
                checkpoint=checkpoint,
            )
        self._set_fitted(descent)
        self._new = keep_tsne(
            stored, self.embedding_, self.perplexity_, objective, ascent, priors, removed
        )
        self.left_ = measure_left(self.embedding_, constraints, rng)
        self.multiplier_ = multipliers_of(constraints, ascent)
        warn_of_misses("IndependentTSNE", self.left_, removed, ascent)

    def _removes_something(self) -> bool:
        return np.ndim(self.strength) > 0 or bool(self.strength)

    def _learns(self) -> bool:
        """Whether the residual learns new classes."""
        return self.residual_ is not None and self.residual_.kind_ not in ("linear", "none")

    def _views_of_new(self, X: Floats, values: Mapping[str, Any], unseen: str) -> list[Floats]:
        """Return the new samples and their residual."""
        X = self._counted(X)
        if self.residual_ is None or not values:
            return [X]
        return [X, residual_of_new(self.residual_, X, values, unseen)]

    def _resolve(self, n_samples: int) -> None:
        """Resolve perplexity and learning rate for this number of samples."""
        self.perplexity_ = resolve_perplexity(
            "IndependentTSNE", "perplexity", self.perplexity, n_samples, share=1.0
        )
        rate = n_samples / 4 if self.learning_rate == "auto" else self.learning_rate
        self.learning_rate_ = float(rate)

    def _counted(self, X: Floats) -> Floats:
        """Return rows scaled to length 1 for the cosine metric, else the rows."""
        return as_counted("IndependentTSNE", X, self.metric)

    def _view(self, X: Floats) -> View:
        # For rows of length 1, Euclidean and cosine distances have the same neighbours.
        metric = "euclidean" if self.metric == "cosine" else self.metric
        return View.of(X, metric, self.perplexity_, self.n_jobs)

    def _find_residual(
        self, X: Floats, priors: Mapping[str, Prior], removed: Sequence[Constraint]
    ) -> tuple[Residual | None, Keep | None]:
        """Return the fitted residual, and clusters within which to remove the prior, if any."""
        automatic = "aligned" if any(c.visible for c in removed) else None
        kind = automatic if self.residual == "auto" else self.residual
        if kind is None or not removed or self.metric not in WITH_RESIDUAL:
            return None, None
        metric, keep, shared = str(self.metric), removed[0].keep, None
        rows, named = self._counted(X), {c.name: priors[c.name] for c in removed}
        single = flat_priors(named)
        kept = transfer_labels(X, keep, single, metric)
        fitted = fit_residual(rows, single, kept, kind=kind, metric=metric)
        if self.residual == "auto":
            options = {"who": "IndependentTSNE", "everything": "residual='aligned'"}
            shared = find_shared(X, named, keep, metric, **options)
        if shared is not None:
            kind, fitted = "clustered", shared.residual
        residual = Residual(kind, metric=metric)
        residual._set_fitted(rows, single, fitted)
        return residual, None if shared is None else shared.keep

    def _plain_map(
        self, X: Floats, priors: Mapping[str, Prior], removed: Sequence[Constraint]
    ) -> PlainMap | None:
        """Compute the plain map if a prior is removed in part only, as the reference."""
        if all(c.strength == 1 for c in removed):
            return None
        if self._plain_at_hand is not None:
            return PlainMap.measure(self._plain_at_hand, removed)
        plain = clone(self).set_params(strength=0.0, perplexity=self.perplexity_, callbacks=None)
        if self.checkpoint is not None:
            plain.set_params(checkpoint=Path(self.checkpoint) / "plain")
        with warnings.catch_warnings():
            warnings.filterwarnings("error", category=InterruptedFitWarning)
            try:
                plain.fit(X, prior=priors, keep=removed[0].keep)
            except InterruptedFitWarning:  # the map itself has not been started
                raise KeyboardInterrupt from None
        return PlainMap(plain.embedding_, plain.left_)

    def _start(
        self,
        view: View,
        plain: PlainMap | None,
        given: Floats | None,
        rng: np.random.RandomState,
    ) -> Floats:
        """Return the initial map; the plain map if a prior is removed in part only."""
        if plain is not None and (given is None or self._plain_at_hand is None):
            return plain.embedding
        if given is not None:
            return given
        if self.init == "random":
            return random_start(len(view.X), self.n_components, rng)
        return view.start(self.n_components, rng)

    def _objective(
        self,
        views: Sequence[View],
        removed: Sequence[Constraint],
        plain: PlainMap | None,
        rng: np.random.RandomState,
    ) -> IndependenceObjective:
        """Return t-SNE's objective of all views, with the priors to remove."""
        weights = view_weights(len(views), removed)
        n_samples = len(views[0].X)
        broad = broad_perplexity(n_samples)
        # The first steps use broad neighbourhoods, to find the coarse shape of the map.
        starts_broad = plain is None and broad > self.perplexity_
        return IndependenceObjective(
            attraction(views, weights, self.perplexity_),
            [SoftNeighbors.of(similarity_within(c.prior, c.keep), rng) for c in removed],
            tuple(first_multipliers(removed, from_plain=plain is not None)),
            repulsion=choose_repulsion(n_samples, self.n_components),
            broad=attraction(views, weights, broad) if starts_broad else None,
        )
