"""An estimator and a strength → the scores of what it makes of the data."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from unprior._threads import one_blas_thread
from unprior._warnings import InterruptedFitWarning
from unprior.estimators._base import keep_for
from unprior.geometry import data_distances
from unprior.scores._coherence import reachable
from unprior.scores._measurement import Setting, Yardstick
from unprior.scores._report import report_on
from unprior.scores._yardsticks import with_rest
from unprior.tuning._chance import PairSums, luck, sum_prior
from unprior.tuning._path import Step
from unprior.tuning._views import read_result

if TYPE_CHECKING:
    from unprior._typing import Floats
    from unprior.estimators._base import PriorEstimator
    from unprior.priors import Prior
    from unprior.priors._keep import Keep

#: Standard deviations of luck that count as noise.
DEVIATIONS = 2.0


@dataclass(frozen=True, eq=False)
class Trial:
    """All that the trials of all strengths have in common."""

    estimator: PriorEstimator
    X: Floats
    priors: dict[str, Prior]
    sums: dict[str, PairSums]
    yardsticks: list[Yardstick]
    k: int
    keep: Keep | None = None

    def run(self, strength: float) -> Step:
        """Fit at one strength, and score."""
        # The number of threads could change the last bits, and with them the map.
        with one_blas_thread():
            Y = read_result("tune", self.estimator, self._fit(strength))
            report = report_on(Y, self.yardsticks, Setting("tune", self.k, None, 0))
            noise = {
                name: DEVIATIONS * luck(Y, self.k, sums) / reachable(self.priors[name], self.k)
                for name, sums in self.sums.items()
            }
        return Step(strength, report, noise)

    def _fit(self, strength: float) -> Any:
        estimator = clone(self.estimator).set_params(strength=strength)
        with warnings.catch_warnings():
            # An estimator keeps a map that was interrupted; here the stop means all of them.
            warnings.filterwarnings("error", category=InterruptedFitWarning)
            try:
                return estimator.fit_transform(
                    self.X, prior=self.priors, **keep_for(estimator, self.keep)
                )
            except InterruptedFitWarning:
                raise KeyboardInterrupt from None


def plan_trial(
    estimator: PriorEstimator,
    X: Floats,
    priors: dict[str, Prior],
    k: int,
    keep: Keep | None = None,
) -> Trial:
    """Read what results are held against, once for all strengths."""
    known = [Yardstick("prior", name, part, keep=keep) for name, part in priors.items()]
    data = Yardstick("data", "data", data_distances(X, estimator.metric, who="tune"))
    return Trial(
        estimator,
        X,
        priors,
        {name: sum_prior(part) for name, part in priors.items()},
        with_rest([*known, data]),
        k,
        keep,
    )
