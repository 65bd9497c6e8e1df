"""A fitted estimator → the settings behind its result, in plain types that a file can hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unprior._version import __version__
from unprior.tl._slots import names_of


def settings(estimator: Any, *, use_rep: str, prior: Any) -> dict[str, Any]:
    """Return the options of a fitted estimator, with what ``fit`` made of each "auto"."""
    found: dict[str, Any] = {"use_rep": use_rep, "version": __version__}
    names = [name for name in (names_of(prior) or {}).values() if isinstance(name, str)]
    if names:
        found["prior"] = names
    for name, value in estimator.get_params(deep=False).items():
        resolved = getattr(estimator, f"{name}_", value)
        plain = _plain(resolved if _is_plain(resolved) else value)
        if plain is not None:
            found[name] = plain
    return found


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_plain, value.values()))
    return isinstance(value, bool | int | float | str | np.generic)


def _plain(value: Any) -> Any:
    """Return a value as files take it: of an object, array or function only what it is."""
    if value is None:
        return None
    if not _is_plain(value):
        return type(value).__name__
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return value.item() if isinstance(value, np.generic) else value
