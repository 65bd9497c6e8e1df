"""Data and priors -> a map without them, or maps along strengths, with what each shows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from numpy.typing import NDArray

from unprior import scores
from unprior._typing import Callback, Floats
from unprior._warnings import UnpriorWarning
from unprior.estimators import IndependentTSNE
from unprior.explorer._maps import align
from unprior.geometry import data_distances
from unprior.priors import Prior
from unprior.priors._capped import cap_distances
from unprior.priors._keep import Keep
from unprior.priors._read_keep import read_keep
from unprior.scores._confounded import warn_of_confounding
from unprior.scores._rows import auto_rows

#: As in `unprior.embed`.
PERPLEXITY, MOST_NEIGHBORS, NEIGHBORS = 30.0, 1 / 3, 15


@dataclass(frozen=True, eq=False)
class Request:
    """What is to be drawn.

    Attributes
    ----------
    priors : dict of str to Prior
        What is to be factored out.
    strengths : dict of str to float
        How strongly, by prior.
    plain : ndarray or None
        The map of the same data and seed from which nothing is factored out, if it is there.
    start : ndarray or None
        The map that the new one is turned towards.
    init : ndarray or None
        Where the descent begins, if not where the library lets it.
    others : dict of str to ndarray
        Maps on which the priors are measured as well, by key.
    keep : dict of str to ndarray
        Labels within whose classes the priors are factored out, by name; None where one is missing.
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
    """What all maps of a page share."""

    metric: str = "euclidean"
    seed: int = 0
    n_jobs: int | None = None
    n_iter: int = 500


@dataclass(frozen=True, eq=False)
class DrawnMap:
    """A map and what it shows: ``others`` tells the same of the maps that were asked about.

    With kept labels, ``within`` and ``others_within`` tell what is left within their classes.
    """

    Y: Floats
    left: dict[str, float]
    kept: float | None
    stopped: bool
    note: str
    others: dict[str, dict[str, float]] = field(default_factory=dict)
    within: dict[str, float] = field(default_factory=dict)
    others_within: dict[str, dict[str, float]] = field(default_factory=dict)


def draw(X: Any, request: Request, setting: DrawSettings, callback: Callback) -> DrawnMap:
    """Draw one map and measure it; a true answer of the callback stops it where it is."""
    stopped = False

    def watch(*told: Any) -> bool:
        nonlocal stopped
        stopped = bool(callback(*told))
        return stopped

    estimator = IndependentTSNE(
        strength=dict(request.strengths) if request.priors else 0.0,
        perplexity=perplexity_of(len(X)),
        metric=setting.metric,
        init="pca" if request.init is None else request.init,
        n_iter=setting.n_iter,
        callbacks=[watch],
        n_jobs=setting.n_jobs,
        random_state=setting.seed,
    )
    estimator._plain_at_hand = request.plain
    keep = read_keep("explore", request.keep or None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=UnpriorWarning)
        warn_of_confounding("IndependentTSNE", request.priors, keep)
        Y = estimator.fit(X, prior=request.priors or None, keep=keep).embedding_
    if request.start is not None:
        Y = align(Y, request.start)
    note = " ".join(" ".join(str(warning.message).split()) for warning in caught)
    return DrawnMap(
        Y,
        left_of(Y, request.priors),
        kept_of(Y, X, request.priors, setting.metric),
        stopped,
        note.replace("IndependentTSNE: ", ""),
        {key: left_of(other, request.priors) for key, other in request.others.items()},
        left_of(Y, request.priors, keep) if keep else {},
        {key: left_of(other, request.priors, keep) for key, other in request.others.items()}
        if keep
        else {},
    )


def draw_path(
    X: Any,
    request: Request,
    shares: Sequence[float],
    setting: DrawSettings,
    callback: Callable[[int, int, float, Floats], Any],
) -> list[DrawnMap]:
    """Draw maps at growing shares of the full strength, each from the one before.

    The first is drawn from ``request.plain``. The callback is told the number of the map, then what
    callbacks of estimators are; a true answer ends the path with the maps that are finished.
    """
    found: list[DrawnMap] = []
    before = request.plain
    for place, share in enumerate(shares):
        strengths = {name: share * value for name, value in request.strengths.items()}
        part = replace(request, strengths=strengths, start=before, init=before)
        drawn = draw(X, part, setting, partial(callback, place))
        if drawn.stopped:
            break
        found.append(drawn)
        before = drawn.Y
    return found


def perplexity_of(n_samples: int) -> float:
    """Return the effective number of neighbours; of few samples, a third of the others."""
    return min(PERPLEXITY, max(1.0, MOST_NEIGHBORS * (n_samples - 1)))


def left_of(Y: Floats, priors: Mapping[str, Prior], keep: Keep | None = None) -> dict[str, float]:
    """Return what map neighbours share of each prior: 0 is chance, that within kept classes."""
    k, n_rows = min(NEIGHBORS, (len(Y) - 1) // 3), auto_rows(len(Y))
    measure = scores.neighbor_coherence if keep is None else partial(scores.left_within, keep=keep)
    return {
        name: measure(Y, cap_distances(prior), k=k, n_rows=n_rows, random_state=0)
        for name, prior in priors.items()
    }


def kept_of(Y: Floats, X: Any, priors: Mapping[str, Prior], metric: str) -> float | None:
    """Return what a map keeps of the data's neighbours within the priors; None without a prior."""
    if not priors:
        return None
    k, n_rows = min(NEIGHBORS, (len(Y) - 1) // 3), auto_rows(len(Y))
    data = data_distances(X, metric, who="explore")
    return scores.kept_within(Y, data, dict(priors), k, n_rows=n_rows, random_state=0)
