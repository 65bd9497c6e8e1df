"""Write maps, settings and models to the slots of an AnnData, and find them again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._methods import METHODS
from unprior._version import __version__
from unprior.estimators._new_samples import PlacingEstimator
from unprior.models._checks import check_model
from unprior.models._files import DAMAGED, NUMBER
from unprior.models._records import Arrays, decode, encode_estimator
from unprior.tl._names import names_of
from unprior.tl._representation import dense

#: ``uns[OWN][LATEST]`` is the name of the map that was drawn last.
OWN, LATEST = "unprior", "latest_map"

#: Key of a model's JSON in ``uns``; its other entries are arrays.
TEXT = "json"


def copy_of(adata: Any) -> Any:
    """Return an independent copy in memory."""
    return adata.to_memory().copy() if adata.isbacked else adata.copy()


def store(
    adata: Any,
    key: str,
    values: NDArray[Any] | None,
    entry: Mapping[str, Any],
    graphs: Mapping[str, Any] | None = None,
    *,
    copy: bool,
    is_map: bool = True,
) -> Any:
    """Write a result to ``obsm["X_<key>"]`` and its entry to ``uns``; return the copy, if any.

    A graph without a map has no ``values``.
    """
    target = copy_of(adata) if copy else adata
    if values is not None:
        target.obsm[f"X_{key}"] = values
    target.obsp.update(graphs or {})
    target.uns[key] = entry
    if is_map and values is not None:
        target.uns[OWN] = {LATEST: key}
    return target if copy else None


def choose_map(who: str, adata: Any, basis: str | None) -> str:
    """Return the map's name: the given one, else the latest of `tl`, else the only one."""
    if basis is not None:
        return basis
    latest = adata.uns.get(OWN, {}).get(LATEST)
    if latest is not None and f"X_{latest}" in adata.obsm:
        return str(latest)
    keys = dict.fromkeys(method.key for method in METHODS.values())
    maps = [key for key in keys if f"X_{key}" in adata.obsm]
    maps += [key for key in adata.uns if key not in maps and _is_map(adata, key)]
    if "embed" in maps or len(maps) == 1:
        return maps[0]
    found = f"has several maps, {maps}" if maps else f"has no map of unprior, but {[*adata.obsm]}"
    advice = "name one" if maps else "draw one with tl.embed(adata, prior=...), or name one"
    message = f"{who}: 'adata' {found}; {advice} with basis=...."
    raise ValueError(message)


def _is_map(adata: Any, key: str) -> bool:
    """Whether a tool drew a map of this name; a residual has no ``n_components``."""
    entry = adata.uns[key]
    params = entry.get("params", {}) if isinstance(entry, Mapping) else {}
    return f"X_{key}" in adata.obsm and {"version", "n_components"} <= {*params}


def map_of(who: str, adata: Any, basis: str) -> NDArray[Any]:
    """Return the map called ``basis``: ``obsm["X_<basis>"]``, or ``obsm[basis]``."""
    for key in (f"X_{basis}", basis):
        if key in adata.obsm:
            return dense(adata.obsm[key])
    message = (
        f"{who}: 'adata' has no map obsm['X_{basis}']; it has {[*adata.obsm]}. Draw it first, for "
        f"example with tl.embed(adata, key_added={basis!r}, prior=...)."
    )
    raise ValueError(message)


def name_of_map(adata: Any, basis: str) -> str:
    """Return the key of a map's settings and scores, which has no "X_" in front."""
    return basis if f"X_{basis}" in adata.obsm else basis.removeprefix("X_")


def settings(
    options: Mapping[str, Any],
    *,
    use_rep: str,
    prior: Any,
    keep: Any = None,
    layer: str | None = None,
    n_pcs: int | None = None,
) -> dict[str, Any]:
    """Return the options together with the names of data, priors and kept labels.

    Arrays, functions and other objects are left out, and so are priors and kept labels that were
    not all given by name.
    """
    stored: dict[str, Any] = {"use_rep": use_rep, "version": __version__}
    stored |= {k: v for k, v in (("layer", layer), ("n_pcs", n_pcs)) if v is not None}
    for argument, value in (("prior", prior), ("keep", keep)):
        names = [*(names_of(value) or {}).values()]
        if names and all(isinstance(name, str) for name in names):
            stored[argument] = names
    stored |= {name: _plain(value) for name, value in options.items() if is_plain(value)}
    return stored


def storable(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested values without those that H5AD files cannot store: None and empty dicts."""
    nested = {
        name: storable(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
    }
    return {name: value for name, value in nested.items() if value is not None and value != {}}


def is_plain(value: Any) -> bool:
    """Whether H5AD files can store a value."""
    if isinstance(value, Mapping):
        return all(map(is_plain, value.values()))
    if isinstance(value, list | tuple):  # such as strengths; mixed lists cannot be stored
        return bool(value) and all(isinstance(part, int | float) for part in value)
    return isinstance(value, bool | int | float | str | np.generic)


def _plain(value: Any) -> Any:
    """Return a value in the types that files store."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [*value]
    return value.item() if isinstance(value, np.generic) else value


def model_in_uns(who: str, fitted: Any) -> dict[str, Any]:
    """Return a fitted estimator as JSON and arrays, which files can store."""
    if not isinstance(fitted, PlacingEstimator) or isinstance(fitted._new, str):
        message = (
            f"{who}: 'keep_model' takes maps that can place new samples, by the methods "
            "'independent', 'tsne', 'jedi' and 'confetti' of data in memory."
        )
        raise ValueError(message)
    arrays: Arrays = {}
    model = encode_estimator(fitted, arrays)
    record = {"number": NUMBER, "version": __version__, "model": model}
    return {TEXT: json.dumps(record), **arrays}


def model_from_uns(who: str, entry: Any) -> Any:
    """Return the fitted estimator stored in an entry of ``uns``."""
    again = "draw it again with tl.embed(adata_ref, ..., keep_model=True)."
    try:
        record = json.loads(str(entry[TEXT]))
        if record["number"] == NUMBER:
            arrays = {name: np.asarray(value) for name, value in entry.items() if name != TEXT}
            estimator = decode(record["model"], arrays)
            check_model(estimator)
            return estimator
        by = f"the map was drawn by unprior {record['version']}, whose models this version"
    except (*DAMAGED, RecursionError) as error:
        message = f"{who}: the map's model is damaged ({error}); {again}"
        raise ValueError(message) from None
    message = f"{who}: {by} cannot read; {again}"
    raise ValueError(message)
