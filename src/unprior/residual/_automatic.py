"""The residual of the kind "auto": which kind suits the data, and whether it removes the prior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from unprior._threads import one_blas_thread
from unprior._typing import Floats
from unprior.priors import Keep, Prior
from unprior.residual._check import shared_before_and_after
from unprior.residual._composition import kind_by_composition
from unprior.residual._learn import FittedResidual, learn_residual
from unprior.residual._model import NoModel

#: Largest increase of what neighbours share of the prior that can be chance.
NOISE = 0.02


def fit_residual(
    X: Floats,
    priors: Mapping[str, Prior],
    keep: Keep | None = None,
    *,
    kind: str,
    metric: str,
    n_neighbors: int | str = "auto",
    strength: float = 1.0,
) -> FittedResidual:
    """Remove what the priors explain, as `learn_residual` does; ``kind`` may be "auto".

    Then nothing is removed if neighbours would share more of a prior in the residual.
    """
    fitted = learn_residual(
        X,
        priors,
        keep,
        kind=kind_by_composition(X, priors, keep, metric) if kind == "auto" else kind,
        metric=metric,
        n_neighbors=n_neighbors,
        strength=strength,
    )
    if kind != "auto":
        return fitted
    with one_blas_thread():
        found = shared_before_and_after(X, fitted.left, priors, keep, metric)
    if any(then > max(before, 0.0) + NOISE for before, then in found.values()):
        readers = {name: prior.reader() for name, prior in priors.items()}
        return replace(fitted, kind="none", left=X.copy(), model=NoModel(readers))
    return fitted
