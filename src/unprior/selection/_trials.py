"""Data and prior -> the composition to draw, by trials on a part of the samples."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from unprior._progress import progress_bar
from unprior._typing import Floats
from unprior._warnings import InterruptedFitWarning
from unprior.priors import Prior, data_distances
from unprior.priors._part import draw_part
from unprior.scores import neighbor_coherence
from unprior.scores._rest import estimate_rest, find_rest
from unprior.scores._trustworthiness import estimate_kept
from unprior.scores._yardsticks import MOST_DISTANCES
from unprior.selection._choice import Choice, Trial, rank_compromises, rank_removals
from unprior.selection._composition import Composition, Setting

#: Samples that compositions are tried on, and the neighbours by which their maps are judged.
TRIAL_SAMPLES, NEIGHBORS = 1000, 15

#: A rest of which its map shows half holds structure; of less, too much was removed.
HOLDS_STRUCTURE = 0.5

FIRST = Composition("aligned", "auto", beside=True)
#: As good where there is nothing to take out: a prior that has no part in the data.
REMOVALS = (Composition(strength="auto"), Composition())
COMPROMISES = (
    Composition(strength=0.5),
    Composition(strength=1.0),
    Composition(strength=2.0),
    Composition(contrast=0.5),
)

REMOVED = (
    "What the prior does not explain holds structure of its own, and of the ways to draw it this "
    "one leaves least of the prior for what it keeps."
)
COMPROMISED = (
    "Prior and structure are entangled, so that taking the prior out of the data would erase both; "
    "this map keeps most of the data's neighbourhoods for what it leaves of the prior."
)
UNTRIED = (
    "Nothing was taken out of the data before, since {why}; this map keeps most of the data's "
    "neighbourhoods for what it leaves of the prior."
)


class Part:
    """Some of the samples, and how maps of them are drawn and scored."""

    def __init__(
        self, X: Floats, priors: Mapping[str, Prior], setting: Setting, n_samples: int
    ) -> None:
        self.X, self.priors, self.setting = X, priors, setting
        self.k = min(NEIGHBORS, (len(X) - 1) // 3)
        self.data = data_distances(X, setting.metric, who="embed")
        self.unexplained = find_rest(self.data, priors) if setting.has_residual else None
        #: Why no residual is tried; empty if one is.
        self.why_untried = ""
        if not setting.has_residual:
            self.why_untried = f"the metric is {setting.metric!r}"
        elif self.unexplained is None:
            self.why_untried = "the prior explains all of them"
        elif setting.metric == "precomputed" and n_samples > MOST_DISTANCES:
            self.why_untried = f"that takes too long for {n_samples} × {n_samples} distances"
        self._rests: dict[str | None, Floats] = {}

    def draw(self, composition: Composition) -> Floats:
        """Draw a map; what several are drawn of is found once."""
        kind = composition.residual
        if kind not in self._rests:
            self._rests[kind] = composition.rest(self.X, self.priors, self.setting)
        with _stops():
            rest = self._rests[kind]
            return composition.draw_rest(self.X, rest, self.priors, self.setting)

    def score(self, composition: Composition, Y: Floats) -> Trial:
        """Score the map of a composition."""
        left = [neighbor_coherence(Y, prior, self.k) for prior in self.priors.values()]
        at = data_distances(Y, "euclidean", who="embed")
        _, shared = estimate_kept("embed", self.data, at, self.k, None, 0)
        kept = (
            float("nan")
            if self.unexplained is None
            else estimate_rest("embed", at, self.unexplained, self.k, None, 0).value
        )
        return Trial(composition, max(left, key=abs), kept, shared.value)


@dataclass(frozen=True, eq=False)
class Tried:
    """A choice, and the map that it was made by if that has all samples."""

    choice: Choice
    Y: Floats | None


def choose(X: Floats, priors: Mapping[str, Prior], setting: Setting) -> Tried:
    """Try compositions on a part of the samples and choose the best."""
    part = _draw_part(X, priors, setting)
    maps: dict[Composition, Floats] = {}
    with progress_bar(1 + len(COMPROMISES), "choosing", verbose=setting.verbose) as bar:

        def try_out(composition: Composition) -> Trial:
            maps[composition] = part.draw(composition)
            bar.update()
            return part.score(composition, maps[composition])

        first = [] if part.why_untried else [try_out(FIRST)]
        if first and first[0].rest_kept >= HOLDS_STRUCTURE:
            ranked, reason = rank_removals([*first, *map(try_out, REMOVALS)]), REMOVED
        else:
            ranked = [*rank_compromises([*map(try_out, COMPROMISES)]), *first]
            reason = COMPROMISED if first else UNTRIED.format(why=part.why_untried)
    best = ranked[0].composition
    choice = Choice(best, tuple(ranked), len(part.X), reason)
    return Tried(choice, maps[best] if len(part.X) == len(X) else None)


def _draw_part(X: Floats, priors: Mapping[str, Prior], setting: Setting) -> Part:
    """Draw the samples to try on."""
    setting = replace(setting, verbose=0)
    n = len(X)
    if n <= TRIAL_SAMPLES:
        return Part(X, priors, setting, n)
    rows = draw_part(priors.values(), n, TRIAL_SAMPLES, setting.random_state)
    some = X[np.ix_(rows, rows)] if setting.metric == "precomputed" else X[rows]
    return Part(some, {name: prior[rows] for name, prior in priors.items()}, setting, n)


@contextmanager
def _stops() -> Iterator[None]:
    """Let a stop from the keyboard end all trials; a map cut short is not worth a score."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=InterruptedFitWarning)
        try:
            yield
        except InterruptedFitWarning:
            raise KeyboardInterrupt from None
