"""Draw a map without given priors, or a series of maps at growing strengths, and measure them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior import scores
from unprior._embed import perplexity_of
from unprior._embed_report import left_on, sampling
from unprior._strengths import read_strengths
from unprior._typing import Callback, Floats
from unprior._warnings import UnpriorWarning
from unprior.estimators import IndependentTSNE
from unprior.geometry import data_distances
from unprior.plot._compare import rotate
from unprior.priors import Prior, parts_of, read_keep
from unprior.scores._confounded import warn_of_confounding


@dataclass(frozen=True, eq=False)
class Request:
    """One map to draw.

    Attributes
    ----------
    priors : dict of str to Prior
        What to factor out.
    strengths : dict of str to float
        How strongly, by prior.
    plain : ndarray or None
        The plain map of the same data and seed, if available.
    start : ndarray or None
        The map that the new one is rotated to match.
    others : dict of str to ndarray
        Further maps on which to measure the priors, by key.
    init : ndarray or None
        Initial coordinates; None for the library's default.
    keep : dict of str to ndarray
        Labels to keep, by name; None where a label is missing.
    """

    priors: dict[str, Prior] = field(default_factory=dict)
    strengths: dict[str, float] = field(default_factory=dict)
    plain: Floats | None = None
    start: Floats | None = None
    others: dict[str, Floats] = field(default_factory=dict)
    init: Floats | None = None
    keep: dict[str, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class DrawSettings:
    """Settings that all maps of a page share."""

    metric: str = "euclidean"
    seed: int = 0
    n_jobs: int | None = None
    n_iter: int = 500


@dataclass(frozen=True, eq=False)
class DrawnMap:
    """A map with its scores; ``others`` is what is left of the priors on the other maps.

    With kept labels, ``within`` and ``others_within`` are what is left within their classes.
    """

    Y: Floats
    left: dict[str, float]
    kept: float | None
    stopped: bool
    note: str
    others: dict[str, dict[str, float]] = field(default_factory=dict)
    within: dict[str, float] = field(default_factory=dict)
    others_within: dict[str, dict[str, float]] = field(default_factory=dict)


def draw(X: Any, request: Request, settings: DrawSettings, callback: Callback) -> DrawnMap:
    """Draw one map and measure it; drawing stops early if the callback returns true."""
    stopped = False

    def watch(*arguments: Any) -> bool:
        nonlocal stopped
        stopped = bool(callback(*arguments))
        return stopped

    estimator = IndependentTSNE(
        strength=dict(request.strengths) if request.priors else 0.0,
        perplexity=perplexity_of(len(X)),
        metric=settings.metric,
        init="pca" if request.init is None else request.init,
        n_iter=settings.n_iter,
        callbacks=[watch],
        n_jobs=settings.n_jobs,
        random_state=settings.seed,
    )
    estimator._plain_at_hand = request.plain
    keep = read_keep("explore", request.keep or None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=UnpriorWarning)
        warn_of_confounding("IndependentTSNE", request.priors, keep)
        Y = estimator.fit(X, prior=request.priors or None, keep=keep).embedding_
    if request.start is not None:
        Y = rotate(Y, request.start)
    note = " ".join(" ".join(str(warning.message).split()) for warning in caught)
    left_of = partial(left_on, priors=request.priors, sampled=sampling(len(X)))
    kept, others = None, request.others.items()
    if request.priors:
        data = data_distances(X, settings.metric, who="explore")
        kept = scores.kept_within(Y, data, request.priors, **sampling(len(X)))
    return DrawnMap(
        Y,
        left_of(Y),
        kept,
        stopped,
        note.replace("IndependentTSNE: ", ""),
        {key: left_of(other) for key, other in others},
        left_of(Y, keep=keep) if keep else {},
        {key: left_of(other, keep=keep) for key, other in others} if keep else {},
    )


def draw_maps(
    X: Any,
    request: Request,
    shares: Sequence[float] | None,
    settings: DrawSettings,
    callback: Callable[[int, int, float, Floats], Any],
) -> DrawnMap | list[DrawnMap]:
    """Draw one map, or a path of maps at these shares; the callback is that of `draw_path`."""
    if shares is None:
        return draw(X, request, settings, partial(callback, 0))
    return draw_path(X, request, shares, settings, callback)


def draw_path(
    X: Any,
    request: Request,
    shares: Sequence[float],
    settings: DrawSettings,
    callback: Callable[[int, int, float, Floats], Any],
) -> list[DrawnMap]:
    """Draw maps at growing fractions of the full strength, each initialised from the previous one.

    The first is initialised from ``request.plain``. The callback gets the number of the map, then
    the arguments of estimator callbacks; if it returns true, the finished maps are returned.
    """
    found: list[DrawnMap] = []
    before = request.plain
    for place, share in enumerate(shares):
        strengths = {name: share * value for name, value in request.strengths.items()}
        part = replace(request, strengths=strengths, start=before, init=before)
        drawn = draw(X, part, settings, partial(callback, place))
        if drawn.stopped:
            break
        found.append(drawn)
        before = drawn.Y
    return found


def strength_path(
    X: Any,
    prior: Any,
    strengths: Sequence[float | Mapping[str, float]] = (0.0, 0.25, 0.5, 0.75, 1.0),
    *,
    keep: Any = None,
    metric: str = "euclidean",
    n_iter: int = 500,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> list[Floats]:
    """Draw maps at several strengths, each initialised from the previous one and rotated to match.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        The data.
    prior : Prior, array-like, or several of them in a list or dict
        What to factor out.
    strengths : sequence of float or dict, default=(0.0, 0.25, 0.5, 0.75, 1.0)
        How much of the prior is removed at each step, for all priors or by name. The first should
        be 0: that map is plain t-SNE, and strengths are fractions of what it shows of the prior.
    keep : array-like of shape (n_samples,), or several of them in a dict, optional
        Labels to protect: the prior is removed within their classes.
    metric : str, default="euclidean"
        Distance between rows of ``X``.
    n_iter : int, default=500
        Number of iterations per map.
    n_jobs : int, optional
        Number of threads.
    random_state : int, default=0
        Seed.

    Returns
    -------
    maps : list of ndarray of shape (n_samples, 2)

    Examples
    --------
    >>> import unprior as up
    >>> from unprior.explorer import strength_path
    >>> data = up.datasets.make_two_factor(150, random_state=0)
    >>> maps = strength_path(data.X, data.known, [0.0, 1.0], n_iter=100)
    >>> len(maps), maps[1].shape
    (2, (150, 2))
    """
    X = np.asarray(X, dtype=np.float64)
    priors = parts_of(prior, len(X), who="strength_path")
    settings = DrawSettings(metric, random_state, n_jobs, n_iter)
    kept = {} if keep is None else dict(keep if isinstance(keep, Mapping) else {"keep": keep})

    def go_on(*_: Any) -> bool:
        return False

    maps = [draw(X, Request(), settings, go_on).Y]
    for strength in [*strengths][1:]:
        read = read_strengths("strength_path", strength, [*priors])
        aims = dict(zip(priors, read.tolist(), strict=True))
        request = Request(priors, aims, maps[0], maps[-1], init=maps[-1], keep=kept)
        maps.append(draw(X, request, settings, go_on).Y)
    return maps
