"""An estimator, an AnnData and names in it → what the estimator makes of them, and how."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior.estimators._base import PriorEstimator, keep_for
from unprior.tl._names import kept_labels, knowledge
from unprior.tl._params import resolved, settings
from unprior.tl._representation import representation


def fit(
    who: str,
    estimator: PriorEstimator,
    adata: Any,
    prior: Any,
    use_rep: str | None,
    keep: Any = None,
    **which: Any,
) -> tuple[NDArray[Any], dict[str, Any]]:
    """Fit to the data and priors that go by these names; return the result and its settings.

    ``which`` are the layer and the number of components.
    """
    rep, X = representation(who, adata, use_rep, **which)
    known = knowledge(who, "prior", adata, prior)
    kept = keep_for(estimator, kept_labels(who, adata, keep), who)
    # An array, whatever output scikit-learn is set to.
    made = np.asarray(estimator.fit_transform(X, prior=known, **kept))
    return made, settings(resolved(estimator), use_rep=rep, prior=prior, keep=keep, **which)
