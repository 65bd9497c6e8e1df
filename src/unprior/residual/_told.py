"""Priors of new samples, and how each was told of the fitted ones -> their values, or a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from numpy.typing import NDArray

from unprior.priors._reader import Reader
from unprior.residual._new_samples import own_names, read_new
from unprior.residual._regressors import single_priors


def read_told(readers: Mapping[str, Reader], prior: Any, n_samples: int) -> dict[str, NDArray[Any]]:
    """Read the priors of new samples, which are to be told as in ``fit``."""
    parts = own_names(dict(single_priors(read_new("Residual", prior, n_samples))))
    if parts.keys() != readers.keys():
        message = f"Residual: 'prior' takes what fit was given, {[*readers]}; got {[*parts]}."
        raise ValueError(message)
    return {name: readers[name].read("Residual", name, parts[name]) for name in parts}


def refuse_new(metric: str) -> NoReturn:
    """Say what new samples lack: a prior, or coordinates."""
    message = (
        "Residual: 'transform' of distances knows only the samples it was fitted to; fit to "
        "all samples together."
        if metric == "precomputed"
        else "Residual: 'transform' needs the prior of new samples; call transform(X, prior=...)."
    )
    raise ValueError(message)
