"""The end of a descent -> the fitted attributes of an estimator."""

from __future__ import annotations

import warnings

from unprior._typing import Floats
from unprior._warnings import InterruptedFitWarning, caller_level
from unprior.estimators._base import MapEstimator
from unprior.optimize import Descent
from unprior.optimize._minimize import SMALLER


class DescentEstimator(MapEstimator):
    """An estimator whose map is the end of a descent."""

    n_iter: int
    objective_: Floats
    n_iter_: int
    learning_rate_: float

    def _keep(self, descent: Descent) -> None:
        """Set the fitted attributes, whatever stopped the descent."""
        self.embedding_ = descent.embedding
        self.objective_ = descent.history
        self.n_iter_ = descent.n_iter
        self.learning_rate_ *= SMALLER**descent.n_restarts
        if descent.stopped_by == "keyboard":
            warnings.warn(
                f"{type(self).__name__}: stopped from the keyboard after {descent.n_iter} of "
                f"{max(self.n_iter, descent.n_iter)} steps; the map so far is kept in embedding_.",
                InterruptedFitWarning,
                stacklevel=caller_level(),
            )
