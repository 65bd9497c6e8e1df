"""An estimator and names in an AnnData → its result, and its settings as files can hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._version import __version__
from unprior.estimators._base import PriorEstimator, keep_for
from unprior.tl._names import kept_labels, knowledge, names_of
from unprior.tl._representation import representation


def resolved(estimator: Any) -> dict[str, Any]:
    """Return the options of a fitted estimator, with what ``fit`` made of each "auto"."""
    options = {}
    for name, value in estimator.get_params(deep=False).items():
        # n_iter_ are the steps that were taken, fewer or more than those asked for.
        found = value if name == "n_iter" else getattr(estimator, f"{name}_", value)
        options[name] = found if _is_plain(found) else value
    return options


def settings(
    options: Mapping[str, Any],
    *,
    use_rep: str,
    prior: Any,
    keep: Any = None,
    layer: str | None = None,
    n_pcs: int | None = None,
) -> dict[str, Any]:
    """Return options beside the names of data and priors.

    Arrays, functions and other objects are left out, and so are a prior and kept labels that have
    no name in part: what is stored can be used again.
    """
    found: dict[str, Any] = {"use_rep": use_rep, "version": __version__}
    found |= {k: v for k, v in (("layer", layer), ("n_pcs", n_pcs)) if v is not None}
    for argument, known in (("prior", prior), ("keep", keep)):
        names = [*(names_of(known) or {}).values()]
        if names and all(isinstance(name, str) for name in names):
            found[argument] = names
    found |= {name: _plain(value) for name, value in options.items() if _is_plain(value)}
    return found


def held_by_files(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested values without those that H5AD files do not hold: None, and empty dicts."""
    held = {
        name: held_by_files(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
    }
    return {name: value for name, value in held.items() if value is not None and value != {}}


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_plain, value.values()))
    if isinstance(value, list | tuple):  # such as strengths; a file takes no lists of all sorts
        return bool(value) and all(isinstance(part, int | float) for part in value)
    return isinstance(value, bool | int | float | str | np.generic)


def _plain(value: Any) -> Any:
    """Return a value as files take it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [*value]
    return value.item() if isinstance(value, np.generic) else value


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
