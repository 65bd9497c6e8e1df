"""Some of the samples -> trial maps of them, and what these show."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from unprior._typing import Floats
from unprior._warnings import InterruptedFitWarning
from unprior.priors import Prior, data_distances
from unprior.priors._capped import cap_distances
from unprior.priors._part import draw_part
from unprior.scores import neighbor_coherence
from unprior.scores._rest import estimate_rest, find_rest
from unprior.scores._trustworthiness import estimate_kept
from unprior.selection._choice import Trial
from unprior.selection._composition import Composition, Setting
from unprior.tuning._chance import luck, sum_prior

#: Samples that compositions are tried on, and the neighbours by which their maps are judged.
TRIAL_SAMPLES, NEIGHBORS = 1000, 15

#: One prior is seen on a map from this many standard deviations of luck on.
SEEN = 2.5


class Part:
    """Some of the samples, and how maps of them are drawn and scored.

    Attributes
    ----------
    X : ndarray
        Their data.
    whole : bool
        Whether their maps are maps of all samples, as they were asked for.
    unexplained : Prior or None
        What the priors do not explain of the data; None if that is nothing, or not to be had.
    """

    def __init__(
        self, X: Floats, priors: Mapping[str, Prior], setting: Setting, *, whole: bool
    ) -> None:
        self.X, self.priors, self.setting, self.whole = X, priors, setting, whole
        # What maps show of the priors is judged by these.
        self.judged = {name: cap_distances(prior) for name, prior in priors.items()}
        self.k = min(NEIGHBORS, (len(X) - 1) // 3)
        self.data = data_distances(X, setting.metric, who="embed")
        self.unexplained = find_rest(self.data, priors) if setting.has_residual else None
        self._rests: dict[str | None, Floats] = {}
        self._maps: dict[Composition, Floats] = {}

    def try_out(self, composition: Composition) -> Trial:
        """Draw a map and score it."""
        kind = composition.residual
        if kind not in self._rests:  # found once for all that are drawn of it
            self._rests[kind] = composition.rest(self.X, self.priors, self.setting)
        with _stops():
            Y = composition.draw_rest(self.X, self._rests[kind], self.priors, self.setting)
        self._maps[composition] = Y
        return self._score(composition, Y)

    def map_of(self, composition: Composition) -> Floats | None:
        """Return the map that was tried, if it is one of all samples."""
        return self._maps[composition] if self.whole else None

    def sees(self, trial: Trial) -> bool:
        """Whether a map shows more of any prior than luck would, were the prior unrelated."""
        Y = data_distances(self._maps[trial.composition], "euclidean", who="embed")
        # The largest of several is larger by luck alone.
        limit = np.sqrt(SEEN**2 + 2 * np.log(len(self.judged)))
        return any(
            left > limit * luck(Y, self.k, sum_prior(prior))
            for left, prior in zip(trial.each_left, self.judged.values(), strict=True)
        )

    def _score(self, composition: Composition, Y: Floats) -> Trial:
        left = tuple(neighbor_coherence(Y, prior, self.k) for prior in self.judged.values())
        at = data_distances(Y, "euclidean", who="embed")
        _, shared = estimate_kept("embed", self.data, at, self.k, None, 0)
        kept = (
            float("nan")
            if self.unexplained is None
            else estimate_rest("embed", at, self.unexplained, self.k, None, 0).value
        )
        return Trial(composition, left, kept, shared.value)


def draw_trial_part(X: Floats, priors: Mapping[str, Prior], setting: Setting) -> Part:
    """Draw the samples to try on."""
    # A line has no room for what a plane shows: too little to judge by.
    plane = replace(setting, verbose=0, n_components=max(2, setting.n_components))
    n = len(X)
    if n <= TRIAL_SAMPLES:
        return Part(X, priors, plane, whole=plane.n_components == setting.n_components)
    rows = draw_part(priors.values(), n, TRIAL_SAMPLES, setting.random_state)
    some = X[np.ix_(rows, rows)] if setting.metric == "precomputed" else X[rows]
    return Part(some, {name: prior[rows] for name, prior in priors.items()}, plane, whole=False)


@contextmanager
def _stops() -> Iterator[None]:
    """Let a stop from the keyboard end all trials; a map cut short is not worth a score."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=InterruptedFitWarning)
        try:
            yield
        except InterruptedFitWarning:
            raise KeyboardInterrupt from None
