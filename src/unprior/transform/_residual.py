"""New samples and what is known of them -> their residual, by a fitted one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unprior._typing import Floats
from unprior.priors._labels import ClassReader
from unprior.priors._reader import NoReader
from unprior.residual._new_samples import own_names, warn_of_small_classes


def residual_of_new(residual: Any, X: Floats, told: Mapping[str, Any], unseen: str) -> Floats:
    """Return what a fitted `unprior.Residual` leaves of new samples, as their priors were read."""
    flat: dict[str, Any] = {}
    for name, one in told.items():
        flat |= one if isinstance(one, Mapping) else {name: one}
    flat |= own_names(flat)
    readers = residual._model.readers
    for name, reader in readers.items():
        if isinstance(reader, NoReader):
            reader.refuse("Residual", name)
        if unseen == "fit" and isinstance(reader, ClassReader):
            warn_of_small_classes(name, reader, flat[name])
    return residual._left_of_new(X, {name: flat[name] for name in readers}, learn=unseen == "fit")
