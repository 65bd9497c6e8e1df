"""An estimator, data and a prior → its scores at several strengths, and the strength to take."""

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
    read_data,
    read_kept,
    read_priors,
)
from unprior.estimators._checkpoints import describe_run, kept_seed
from unprior.estimators._options import CHECKPOINT
from unprior.optimize._checkpoint import Checkpoint
from unprior.scores._trustworthiness import check_k
from unprior.tuning._path import Path, Step
from unprior.tuning._subset import draw_part
from unprior.tuning._trial import Trial, plan_trial

#: Strengths to begin with, where any are taken and where they are shares.
GRID = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)

#: Where they are shares, none is above 1.
SHARE = Kind(
    'a number in [0, 1] with this operator (a λ above 1 asks for operator="linear")',
    Number(0, 1).accepts,
)

#: Times to look more closely around the best.
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
    """Fit an estimator at several strengths, and find how strong is strong enough.

    The stronger a prior is factored out, the less is left of it, and of the data too. At every
    strength this measures both: what is left of the prior, by the purity (labels) or coherence of
    neighbourhoods, 0 by chance; and what is kept of the data, by the share of neighbours that stay
    neighbours. That share falls in any case, as the data hold the prior; so the table also tells
    what is kept of the rest, which the prior does not explain (`unprior.scores.rest_kept`), where
    that can be found.

    The best strength is the least at which no more of the prior is left than luck leaves: two
    standard deviations of what would be left if the prior were dealt out to the samples at random.
    If there is none, it is the knee: the least strength that leaves no more, but for that much
    noise, than the strength that leaves the least.

    Parameters
    ----------
    estimator : IndependentTSNE, JEDI, Confetti, ConfettiNeighbors, Residual or InverseSLLE
        What to tune, with all other options as they are to be; it stays as it is.
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Features, or distances if the estimator's ``metric`` is "precomputed".
    prior : Prior, array-like, or several of them in a list or dict
        What is known; see `unprior.priors.as_prior`. Of several, all have to be gone, and all have
        the same strength.
    keep : array-like of shape (n_samples,), or several of them in a list or dict, optional
        Labels to protect, for estimators that take them. What is left of the prior is then what is
        left within their classes.
    strengths : list of float, optional
        The strengths to try. By default a grid (0 to 3, or 0 to 1 where strengths are shares), and
        then two more below the best. `Confetti` and `ConfettiNeighbors` take more than 1 with
        ``operator="linear"`` alone.
    n_samples : int or None, default=2000
        Of more samples than this, fit a random subset of this size; None fits all.
    k : int, default=15
        Neighbours that the scores look at, below half the number of samples.
    n_jobs : int, optional
        Strengths to try at a time; None is one, or what ``joblib.parallel_config`` says, which can
        also hand them to dask or ray. The result does not depend on it.
    random_state : int or RandomState, default=0
        Seed of the subset, and of the estimator if it has none of its own.
    verbose : int, default=0
        0 shows a progress bar for long work where a person is watching; 1 always.
    checkpoint : path-like, optional
        A folder in which the scores of every strength are kept, and the state of the fits that are
        under way, so that a call that was stopped or killed goes on where it was. Other data,
        priors, options or versions are refused; other strengths are not.

    Returns
    -------
    path : Path
        Prints as a table; ``path.best_strength`` is the answer, ``path.rule`` says why, and
        ``path.plot()`` draws both curves.

    See Also
    --------
    unprior.scores.report : The scores of one map.
    unprior.plot.path : The picture.

    Notes
    -----
    All strengths start from scratch. To start from the map of the strength before would be
    quicker and give another answer: from weak to strong what the first map shows of the prior
    stays to the end, from strong to weak what was torn apart stays apart.

    What is scored is the result of ``fit_transform``: a map, the residual data of `Residual`, the
    graph of `ConfettiNeighbors`.

    In a subset neighbourhoods of k samples reach farther than in all the data, as do those of
    options that count samples, such as a perplexity of 30; those that are shares of the data stay
    what they are.

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
    """Refuse what has no strength, and name what has."""
    if isinstance(estimator, PriorEstimator) and "strength" in estimator._options:
        if getattr(estimator, "checkpoint", None) is not None:
            message = (
                "tune: 'estimator' takes one without a checkpoint, which is that of a single fit; "
                "give the folder to tune(checkpoint=...)."
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
    return GRID if wide and not _takes_shares(estimator) else SHARES


def _takes_shares(estimator: PriorEstimator) -> bool:
    """Whether a strength of 1 goes all the way, with the operator that is set."""
    return getattr(estimator, "operator", "linear") != "linear"


def _read_strengths(estimator: PriorEstimator, strengths: Sequence[float]) -> list[float]:
    """Check each strength before any work is done, and sort them."""
    takes = estimator._options["strength"].takes
    for strength in strengths:
        check_value("tune", "strengths", strength, Number(0))
        if _takes_shares(estimator):
            check_value(type(estimator).__name__, "strength", strength, SHARE)
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
    """Read data and prior, of a subset if there are many samples; return how many there are."""
    if prior is None:
        message = "tune: 'prior' is None; without one there is nothing to factor out."
        raise ValueError(message)
    estimator = clone(estimator)
    if estimator.get_params().get("random_state", seed) is None:
        estimator.set_params(random_state=seed)
    keep_for(estimator, keep, who="tune")  # refuses what the estimator does not take
    square = is_square(estimator.metric)
    X, known = split_frame("tune", X, square=square, prior=prior, keep=keep)
    X = read_data(estimator, X)
    kept = read_kept(estimator, known["keep"], len(X), who="tune")
    parts, n_all = read_priors(estimator, known["prior"], len(X), who="tune"), len(X)
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
    """Try some strengths, as joblib is set to run them."""
    with progress_bar(len(strengths), "strengths", verbose=verbose) as bar:

        def jobs() -> Iterator[Any]:
            # joblib takes the next job when a worker is about to be free: that is the progress.
            for strength in strengths:
                yield joblib.delayed(trial.run)(strength)
                bar.update()

        # Arrays that joblib maps into memory are read-only, for which all loops compile anew.
        with clean_stops():
            return list(joblib.Parallel(n_jobs, max_nbytes=None)(jobs()))


GONE = "the least strength at which no more of the prior is left than luck leaves"
KNEE = (
    "the knee, the least strength beyond which no more of the prior goes than noise; more of it "
    "than luck leaves is left at all strengths"
)


def choose(steps: Sequence[Step], n_samples: int) -> Path:
    """Sort the steps and choose: the least strength at which the prior is gone, or the knee.

    The knee is not where removed and kept balance: the data hold the prior, so that they are kept
    the less the more of it goes, and such a balance may as well be at strength 0.
    """
    steps = sorted(steps, key=lambda step: step.strength)
    gone = [step for step in steps if step.excess <= 0]
    least = min(steps, key=lambda step: step.excess)
    slack = least.excess + least.noise[least.worst]
    enough = gone or [step for step in steps if step.excess <= slack]
    return Path(tuple(steps), enough[0].strength, GONE if gone else KNEE, n_samples)


def closer(path: Path) -> list[float]:
    """Return what might be the best: halfway to the strength below, which is too weak."""
    below = path.strengths[path.strengths < path.best_strength]
    return [(float(below[-1]) + path.best_strength) / 2] if len(below) else []
