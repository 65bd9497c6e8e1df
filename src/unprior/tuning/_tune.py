"""`tune`: fit an estimator at several strengths and choose the least that removes the prior."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone

from unprior import estimators
from unprior._frames import is_square, split_frame
from unprior._interrupts import clean_stops
from unprior._params import Either, Kind, Number, Whole, check_value
from unprior._progress import progress_bar
from unprior.estimators._base import (
    PriorEstimator,
    keep_for,
    read_inputs,
)
from unprior.estimators._checkpoints import describe_run, kept_seed
from unprior.estimators._options import CHECKPOINT
from unprior.optimize import Checkpoint
from unprior.scores._trustworthiness import check_k
from unprior.tuning._path import Path, Step
from unprior.tuning._trial import Trial, draw_part, plan_trial

#: Initial strengths, for estimators that take any strength and for those that take fractions.
GRID = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
FRACTIONS = (0.0, 0.25, 0.5, 0.75, 1.0)

FRACTION = Kind(
    'a number in [0, 1] with this operator (a λ above 1 needs operator="linear")',
    Number(0, 1).accepts,
)

#: Number of refinements below the best strength.
ROUNDS = 2

N_SAMPLES = Either(Kind("None (all)", lambda value: value is None), Whole(4))
STRENGTHS = Either(
    Kind("None", lambda value: value is None),
    Kind("a list of numbers", lambda value: np.ndim(value) == 1 and len(value) > 0),
)


def tune(
    estimator: Any,
    X: Any,
    *,
    prior: Any,
    keep: Any = None,
    strengths: Sequence[float] | None = None,
    n_samples: int | None = 2000,
    k: int = 15,
    n_jobs: int | None = None,
    random_state: Any = 0,
    verbose: int = 0,
    checkpoint: Any = None,
) -> Path:
    """Fit an estimator at several strengths, and find the least that is strong enough.

    The more strongly a prior is factored out, the less is left of it, but also of the data. At
    every strength this measures both: what is left of the prior, by the purity (labels) or
    coherence of neighbourhoods, which is 0 by chance; and what is kept of the data, by the fraction
    of neighbours that stay neighbours. That fraction always falls, as the data contain the prior;
    so the table also shows what is kept of the rest, which the prior does not explain
    (`unprior.scores.rest_kept`), if that can be computed.

    The best strength is the least at which no more of the prior is left than by chance: two
    standard deviations of what would be left if the prior were permuted at random. If there is
    none, it is the knee: the least strength that leaves no more, up to that noise, than the
    strength that leaves the least.

    Parameters
    ----------
    estimator : IndependentTSNE, JEDI, Confetti, ConfettiNeighbors, Residual or InverseSLLE
        The estimator to tune, with all other options set; it is not changed.
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Features, or distances if the estimator's ``metric`` is "precomputed".
    prior : Prior, array-like, or several of them in a list or dict
        The prior; see `unprior.priors.as_prior`. Several priors all have the same strength, and
        all must be removed.
    keep : array-like of shape (n_samples,), or several of them in a list or dict, optional
        Labels to preserve, for estimators that take them. What is left of the prior is then
        measured within their classes.
    strengths : list of float, optional
        The strengths to try. By default a grid (0 to 3, or 0 to 1 where strengths are fractions),
        and then two more below the best. `Confetti` and `ConfettiNeighbors` take strengths above 1
        only with ``operator="linear"``.
    n_samples : int or None, default=2000
        Fit a random subset of this size if there are more samples; None fits all.
    k : int, default=15
        Number of neighbours of the scores, below half the number of samples.
    n_jobs : int, optional
        Number of strengths to try at a time; None is one, or as set by ``joblib.parallel_config``,
        which can also use dask or ray. The result does not depend on it.
    random_state : int or RandomState, default=0
        Seed of the subset, and of the estimator if it has none of its own.
    verbose : int, default=0
        0 shows a progress bar for long runs in interactive sessions; 1 always.
    checkpoint : path-like, optional
        A folder that stores the scores of every strength and the state of running fits, so that a
        call that was stopped or killed resumes. Other data, priors, options or versions are
        refused; other strengths are not.

    Returns
    -------
    path : Path
        Prints as a table; ``path.best_strength`` is the chosen strength, ``path.rule`` says why,
        and ``path.plot()`` draws both curves.

    See Also
    --------
    unprior.scores.report : The scores of one map.
    unprior.plot.path : A plot of the scores over the strengths.

    Notes
    -----
    Each strength starts from scratch. Starting from the map of the previous strength would be
    quicker but bias the result: from weak to strong, what the first map shows of the prior
    persists; from strong to weak, what was separated stays separated.

    The result of ``fit_transform`` is scored: a map, the residual data of `Residual`, or the graph
    of `ConfettiNeighbors`.

    In a subset, neighbourhoods of k samples, or of a perplexity of 30, cover a larger part of the
    data than in the full data.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(200, random_state=0)
    >>> path = up.tune(up.Residual(), data.X, prior=data.known, strengths=[0, 0.5, 0.75, 1])
    >>> path.best_strength
    1.0
    >>> ax = path.plot()
    """
    _check_estimator(estimator)
    check_value("tune", "strengths", strengths, STRENGTHS)
    check_value("tune", "n_samples", n_samples, N_SAMPLES)
    check_value("tune", "checkpoint", checkpoint, CHECKPOINT.takes)
    given = _read_strengths(estimator, _grid(estimator) if strengths is None else strengths)
    seed = kept_seed(random_state, checkpoint)
    trial, n_all = _prepare(estimator, X, prior, keep, n_samples, k, seed, checkpoint)
    steps = _run(trial, given, n_jobs, verbose)
    for _ in range(ROUNDS if strengths is None else 0):
        steps += _run(trial, closer(choose(steps, n_all)), n_jobs, verbose)
    return choose(steps, n_all)


def _check_estimator(estimator: Any) -> None:
    """Refuse estimators without a strength, and name those that have one."""
    if isinstance(estimator, PriorEstimator) and "strength" in estimator._options:
        if getattr(estimator, "checkpoint", None) is not None:
            message = (
                "tune: 'estimator' takes one without a checkpoint, which is for a single fit; give "
                "the folder as tune(checkpoint=...)."
            )
            raise ValueError(message)
        return
    named = [getattr(estimators, name) for name in estimators.__all__]
    able = [f"{one.__name__}()" for one in named if "strength" in one._options]
    got = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
    what = f"the class {got}" if isinstance(estimator, type) else got
    message = (
        f"tune: 'estimator' takes one with a strength, {', '.join(able[:-1])} or {able[-1]}; "
        f"got {what}."
    )
    raise TypeError(message)


def _grid(estimator: PriorEstimator) -> Sequence[float]:
    wide = estimator._options["strength"].takes.accepts(GRID[-1])
    return GRID if wide and not _takes_fractions(estimator) else FRACTIONS


def _takes_fractions(estimator: PriorEstimator) -> bool:
    """Whether strengths are fractions of at most 1, with the operator that is set."""
    return getattr(estimator, "operator", "linear") != "linear"


def _read_strengths(estimator: PriorEstimator, strengths: Sequence[float]) -> list[float]:
    """Check each strength before any work is done, and sort them."""
    takes = estimator._options["strength"].takes
    for strength in strengths:
        check_value("tune", "strengths", strength, Number(0))
        if _takes_fractions(estimator):
            check_value(type(estimator).__name__, "strength", strength, FRACTION)
        check_value(type(estimator).__name__, "strength", strength, takes)
    return sorted({float(strength) for strength in strengths})


def _prepare(
    estimator: PriorEstimator,
    X: Any,
    prior: Any,
    keep: Any,
    n_samples: int | None,
    k: int,
    seed: int,
    folder: Any,
) -> tuple[Trial, int]:
    """Read data and prior, and draw a subset; return the trial and the total number of samples."""
    if prior is None:
        message = "tune: 'prior' is None; without one there is nothing to factor out."
        raise ValueError(message)
    estimator = clone(estimator)
    if estimator.get_params().get("random_state", seed) is None:
        estimator.set_params(random_state=seed)
    keep_for(estimator, keep, who="tune")  # refuses kept labels if the estimator takes none
    square = is_square(estimator.metric)
    X, columns = split_frame("tune", X, square=square, prior=prior, keep=keep)
    X, parts, kept = read_inputs(estimator, X, **columns, who="tune")
    n_all = len(X)
    rows = draw_part(parts.values(), n_all, n_samples or n_all, seed)
    if len(rows) < n_all:
        X = X[np.ix_(rows, rows)] if square else X[rows]
        parts = {name: part[rows] for name, part in parts.items()}
        kept = None if kept is None else kept[rows]
    check_k("tune", k, len(X))
    checkpoint = None
    if folder is not None:
        about = {**describe_run(estimator, X, prior=parts, keep=kept), "k": k}
        checkpoint = Checkpoint.open("tune", folder, about, seed)
    return plan_trial(estimator, X, parts, k, checkpoint, kept), n_all


def _run(trial: Trial, strengths: Sequence[float], n_jobs: int | None, verbose: int) -> list[Step]:
    """Try some strengths, in parallel by joblib."""
    with progress_bar(len(strengths), "strengths", verbose=verbose) as bar:

        def jobs() -> Iterator[Any]:
            # joblib takes the next job when a worker is about to be free, which shows progress.
            for strength in strengths:
                yield joblib.delayed(trial.run)(strength)
                bar.update()

        # joblib's memory-mapped arrays are read-only, for which numba would compile again.
        with clean_stops():
            return list(joblib.Parallel(n_jobs, max_nbytes=None)(jobs()))


GONE = "the least strength at which no more of the prior is left than by chance"
KNEE = (
    "the knee, the least strength beyond which only noise is removed; at all strengths more of the "
    "prior is left than by chance"
)


def choose(steps: Sequence[Step], n_samples: int) -> Path:
    """Choose the least strength at which the prior is gone, or the knee.

    The knee does not balance removed and kept: the data contain the prior, so less is kept the more
    of it is removed, and such a balance could be at strength 0.
    """
    steps = sorted(steps, key=lambda step: step.strength)
    gone = [step for step in steps if step.excess <= 0]
    least = min(steps, key=lambda step: step.excess)
    slack = least.excess + least.noise[least.worst]
    enough = gone or [step for step in steps if step.excess <= slack]
    return Path(tuple(steps), enough[0].strength, GONE if gone else KNEE, n_samples)


def closer(path: Path) -> list[float]:
    """Return a strength that may be better: halfway to the next lower one, which is too weak."""
    below = path.strengths[path.strengths < path.best_strength]
    return [(float(below[-1]) + path.best_strength) / 2] if len(below) else []
