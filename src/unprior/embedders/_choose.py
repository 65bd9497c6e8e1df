"""Choose an embedder by name, or wrap an estimator, and check its settings before the search."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sklearn.base import clone

from unprior._params import Kind, Number, OneOf, Takes, Whole, check_value
from unprior._typing import Callback, Floats
from unprior.embedders._embedders import TSNE, UMAP, Embedder, Estimator, has_own_layout
from unprior.embedders._pacmap import PaCMAP
from unprior.optimize import Checkpoint

NAMED: dict[str, type[UMAP | TSNE | PaCMAP]] = {"umap": UMAP, "tsne": TSNE, "pacmap": PaCMAP}


def are_callbacks(value: Any) -> bool:
    """Whether this is None, a function, or several of them."""
    several = value if isinstance(value, list | tuple) else [value]
    return value is None or all(callable(c) for c in several)


#: Settings that are used before the embedder itself checks them.
SETTINGS: dict[str, Takes] = {
    "perplexity": Number(1),
    "n_neighbors": Whole(1),
    "MN_ratio": Number(0),
    "FP_ratio": Number(0),
    "callbacks": Kind("None, a function or a list of functions", are_callbacks),
    "callbacks_every_iters": Whole(1),
}

#: The setting for the initial map, and its values that need no data.
STARTS = {
    "umap": ("init", OneOf("random", "spectral", "tswspectral")),
    "tsne": ("initialization", OneOf("random", "spectral")),
    "pacmap": ("init", OneOf("random")),
}

#: Embedders with callbacks.
CALLING = ("umap", "tsne")

#: Largest number of dimensions of openTSNE.
TSNE_COMPONENTS = 3


def takes_distances(embedder: Any) -> bool:
    """Whether this is an estimator that embeds a distance matrix."""
    if isinstance(embedder, type) or not hasattr(embedder, "fit_transform"):
        return False
    params = embedder.get_params()
    return "precomputed" in [params.get(name) for name in ("metric", "dissimilarity")]


def choose_embedder(
    embedder: Any,
    params: Mapping[str, Any] | None,
    *,
    n_samples: int,
    n_components: int,
    n_jobs: int | None,
    verbose: int,
    who: str,
) -> Embedder:
    """Return an embedder by name, or wrap an estimator, with the user's settings."""
    params = params or {}
    if not isinstance(embedder, str):
        own = _own_embedder(embedder, params, n_components, who)
        own.check_size(n_samples, who)
        return own
    kind = NAMED[embedder]
    for name in kind.reserved:
        if name in params:
            message = (
                f"{who}: 'embedder_params' takes no {name!r}, which follows from the options "
                f"n_components, n_neighbors and metric of {who} itself; set these."
            )
            raise ValueError(message)
    known = {*inspect.signature(kind.model()).parameters, *kind.extra} - {*kind.reserved}
    _check_names(params, known, embedder, who)
    _check_start(params, embedder, who)
    _check_layout(params, embedder, who)
    _check_components(n_components, n_samples, embedder, who)
    for name, takes in SETTINGS.items():
        if name in params:
            check_value(who, name, params[name], takes)
    return kind(n_components, params, n_jobs, verbose)


def add_callbacks(
    embedder: Any,
    params: Mapping[str, Any] | None,
    callbacks: Sequence[Callback] | None,
    who: str,
) -> Mapping[str, Any] | None:
    """Add callbacks to the settings of an embedder; refuse one without callbacks.

    They are called as in all estimators, ``callback(iteration, objective, map)``, like openTSNE's
    own; UMAP's layout has no objective and passes NaN.
    """
    if not callbacks:
        return params
    if not isinstance(embedder, str) or embedder not in CALLING:
        message = (
            f"{who}: 'callbacks' takes None with this embedder, which has no callbacks; "
            'use embedder="umap" or "tsne", or leave them out.'
        )
        raise ValueError(message)
    if (params or {}).get("callbacks"):
        message = f"{who}: 'callbacks' are also given in 'embedder_params'; give them only once."
        raise ValueError(message)
    own = (
        [*callbacks] if embedder == "tsne" else [partial(_without_objective, c) for c in callbacks]
    )
    return {**(params or {}), "callbacks": own}


def _without_objective(callback: Callback, epoch: int, Y: Floats) -> Any:
    return callback(epoch, float("nan"), Y)


def with_checkpoint(embedder: Embedder, checkpoint: Checkpoint) -> Embedder:
    """Return an embedder that saves its map to a checkpoint; refuse one that cannot."""
    if isinstance(embedder, UMAP) and has_own_layout(embedder.params):
        return replace(embedder, checkpoint=checkpoint)
    message = (
        f"{checkpoint.who}: 'checkpoint' takes None unless this library lays out the map: with "
        'embedder="umap", and without densmap, output_dens, a list as n_epochs or another '
        "output_metric."
    )
    raise ValueError(message)


def _check_start(params: Mapping[str, Any], embedder: str, who: str) -> None:
    """Refuse an initial map that needs data, such as "pca": the embedder gets none."""
    name, takes = STARTS[embedder]
    start = params.get(name)
    if isinstance(start, str) and not takes.accepts(start):
        message = (
            f"{who}: 'embedder_params' takes {takes} or an array as {name!r} of {embedder}, which "
            f"gets distances and no data; got {start!r}."
        )
        raise ValueError(message)


def _check_layout(params: Mapping[str, Any], embedder: str, who: str) -> None:
    """Refuse callbacks with umap-learn's own layout, which has none."""
    if embedder == "umap" and params.get("callbacks") and not has_own_layout(params):
        message = (
            f"{who}: 'embedder_params' takes no 'callbacks' together with densmap, output_dens, a "
            "list as n_epochs, or an output_metric other than 'euclidean', for which umap-learn's "
            "own layout is used; leave them out."
        )
        raise ValueError(message)


def _check_components(n_components: int, n_samples: int, embedder: str, who: str) -> None:
    """Refuse more dimensions than an embedder supports."""
    # PaCMAP computes as many principal components, even with a given initial map.
    most = {"tsne": TSNE_COMPONENTS, "pacmap": n_samples}.get(embedder, n_components)
    if n_components > most:
        message = (
            f"{who}: 'n_components' takes at most {most} with embedder={embedder!r} and "
            f"{n_samples} samples; got {n_components}; lower it, or use embedder='umap'."
        )
        raise ValueError(message)


def _own_embedder(
    embedder: Any, params: Mapping[str, Any], n_components: int, who: str
) -> Estimator:
    copy = clone(embedder)
    _check_names(params, copy.get_params(), type(embedder).__name__, who)
    copy.set_params(**params)
    own = copy.get_params().get("n_components", n_components)
    if own != n_components:
        message = (
            f"{who}: 'n_components' is {n_components}, but the embedder's is {own}; give both the "
            "same number."
        )
        raise ValueError(message)
    return Estimator(copy)


def _check_names(
    params: Mapping[str, Any], known: Collection[str], embedder: str, who: str
) -> None:
    """Refuse settings that the embedder does not have."""
    for name in params:
        if name not in known:
            close = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(sorted(known))}."
            message = (
                f"{who}: 'embedder_params' holds {name!r}, which is no setting of {embedder}; "
                f"{hint}"
            )
            raise ValueError(message)
