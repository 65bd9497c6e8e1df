"""Data and priors -> a map without them, or maps along strengths, with what each shows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from unprior import scores
from unprior._typing import Callback, Floats
from unprior._warnings import UnpriorWarning
from unprior.estimators import IndependentTSNE
from unprior.explorer._maps import align
from unprior.geometry import data_distances
from unprior.objectives import View
from unprior.optimize._constraints import Constraint, measure_left
from unprior.priors import Prior
from unprior.priors._capped import cap_distances
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
    """

    priors: dict[str, Prior] = field(default_factory=dict)
    strengths: dict[str, float] = field(default_factory=dict)
    plain: Floats | None = None
    start: Floats | None = None
    others: dict[str, Floats] = field(default_factory=dict)
    init: Floats | None = None


@dataclass(frozen=True)
class DrawSettings:
    """What all maps of a page share."""

    metric: str = "euclidean"
    seed: int = 0
    n_jobs: int | None = None
    n_iter: int = 500


@dataclass(frozen=True, eq=False)
class DrawnMap:
    """A map and what it shows: ``others`` tells the same of the maps that were asked about."""

    Y: Floats
    left: dict[str, float]
    kept: float | None
    stopped: bool
    note: str
    others: dict[str, dict[str, float]] = field(default_factory=dict)


class FromPlain(IndependentTSNE):
    """`unprior.IndependentTSNE` for which the plain map is at hand.

    Where some of a prior is to stay, the estimator draws the plain map first, to know how much that
    is. The explorer has drawn it already. A given start is heeded at all strengths here.
    """

    _plain_at_hand: Floats | None = None

    def _plain_map(
        self, X: Floats, priors: Mapping[str, Prior], removed: Sequence[Constraint]
    ) -> Any:
        if self._plain_at_hand is None:
            return super()._plain_map(X, priors, removed)
        if all(c.strength == 1 for c in removed):
            return None
        rng = np.random.RandomState(0)
        left = measure_left(self._plain_at_hand, removed, rng)
        return SimpleNamespace(embedding_=self._plain_at_hand, left_=left)

    def _start(
        self, view: View, plain: Any, given: Floats | None, rng: np.random.RandomState
    ) -> Floats:
        return given if given is not None else super()._start(view, plain, given, rng)


def draw(X: Any, request: Request, setting: DrawSettings, callback: Callback) -> DrawnMap:
    """Draw one map and measure it; a true answer of the callback stops it where it is."""
    stopped = False

    def watch(*told: Any) -> bool:
        nonlocal stopped
        stopped = bool(callback(*told))
        return stopped

    estimator = FromPlain(
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
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=UnpriorWarning)
        Y = estimator.fit(X, prior=request.priors or None).embedding_
    if request.start is not None:
        Y = align(Y, request.start)
    note = " ".join(" ".join(str(warning.message).split()) for warning in caught)
    others = {key: left_of(map_, request.priors) for key, map_ in request.others.items()}
    return DrawnMap(
        Y,
        left_of(Y, request.priors),
        kept_of(Y, X, request.priors, setting.metric),
        stopped,
        note.replace("IndependentTSNE: ", ""),
        others,
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
        part = Request(request.priors, strengths, request.plain, before, init=before)
        drawn = draw(X, part, setting, partial(callback, place))
        if drawn.stopped:
            break
        found.append(drawn)
        before = drawn.Y
    return found


def perplexity_of(n_samples: int) -> float:
    """Return the effective number of neighbours; of few samples, a third of the others."""
    return min(PERPLEXITY, max(1.0, MOST_NEIGHBORS * (n_samples - 1)))


def left_of(Y: Floats, priors: Mapping[str, Prior]) -> dict[str, float]:
    """Return what map neighbours share of each prior: 0 is chance, 1 is all."""
    k, n_rows = min(NEIGHBORS, (len(Y) - 1) // 3), auto_rows(len(Y))
    return {
        name: scores.neighbor_coherence(Y, cap_distances(prior), k, n_rows=n_rows, random_state=0)
        for name, prior in priors.items()
    }


def kept_of(Y: Floats, X: Any, priors: Mapping[str, Prior], metric: str) -> float | None:
    """Return what a map keeps of the data's neighbours within the priors; None without a prior."""
    if not priors:
        return None
    k, n_rows = min(NEIGHBORS, (len(Y) - 1) // 3), auto_rows(len(Y))
    data = data_distances(X, metric, who="explore")
    return scores.kept_within(Y, data, dict(priors), k, n_rows=n_rows, random_state=0)
