"""Priors of new samples, and how each was told of the fitted ones -> their values, or a refusal."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from unprior._warnings import DataWarning, caller_level
from unprior.priors._labels import ClassReader
from unprior.priors._reader import Reader
from unprior.residual._new_samples import own_names, read_new
from unprior.residual._regressors import single_priors

#: A new class with fewer samples tells little of its mean and spread.
FEW = 30


def read_told(
    readers: Mapping[str, Reader], prior: Any, n_samples: int, unseen: str = "error"
) -> dict[str, NDArray[Any]]:
    """Read the priors of new samples, which are to be told as in ``fit``."""
    parts = own_names(dict(single_priors(read_new("Residual", prior, n_samples))))
    if parts.keys() != readers.keys():
        message = f"Residual: 'prior' takes what fit was given, {[*readers]}; got {[*parts]}."
        raise ValueError(message)
    told = {}
    for name, reader in readers.items():
        if isinstance(reader, ClassReader):
            told[name] = reader.read("Residual", name, parts[name], unseen)
            if unseen == "fit":
                warn_of_few(name, reader, told[name])
        else:
            told[name] = reader.read("Residual", name, parts[name])
    return told


def warn_of_few(name: str, reader: ClassReader, codes: NDArray[Any]) -> None:
    """Warn of new classes that have few samples to be learnt from."""
    sizes = np.bincount(codes)[len(reader.classes) :]
    if sizes.size and sizes.min() < FEW:
        message = (
            f"Residual: of {name!r}, a class that is new has {sizes.min()} samples, which tell "
            f"little of its mean and spread; give at least {FEW}, or take unseen='mean'."
        )
        warnings.warn(message, DataWarning, stacklevel=caller_level())


def refuse_new(metric: str) -> NoReturn:
    """Say what new samples lack: a prior, or coordinates."""
    message = (
        "Residual: 'transform' of distances knows only the samples it was fitted to; fit to "
        "all samples together."
        if metric == "precomputed"
        else "Residual: 'transform' needs the prior of new samples; call transform(X, prior=...)."
    )
    raise ValueError(message)
