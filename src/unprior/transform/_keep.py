"""The end of a fit -> what is kept of it to place new samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from unprior._typing import Floats
from unprior.embedders._embedders import PER_PERPLEXITY, TSNE, UMAP, has_own_layout
from unprior.forces import choose_repulsion
from unprior.geometry import SampleDistances, StoredDistances
from unprior.objectives import IndependenceObjective, JEDIObjective
from unprior.objectives._views import View, neighbors_of_perplexity
from unprior.operators import FactoredDistances
from unprior.operators._balanced import Balanced
from unprior.operators._balanced_rows import keep_balance
from unprior.optimize import DualAscent
from unprior.optimize._constraints import Constraint
from unprior.priors import Labels, Prior
from unprior.transform._far import Usual, keep_usual
from unprior.transform._jedi import JEDIMap, Known
from unprior.transform._place import NewSamples
from unprior.transform._priors import keep_prior
from unprior.transform._rows import keep_rows
from unprior.transform._tsne import TSNEMap, keep_places, keep_pull
from unprior.transform._umap import UMAPMap
from unprior.transform._views import FactoredRows, NewView

#: Neighbours whose places JEDI starts from.
NEIGHBORS = 30

#: Why some fits place no new samples.
NO_RESIDUAL = (
    "has no residual of distances for new samples; fit with residual=None, or to all samples "
    "together."
)
ON_DISK = (
    "keeps no copy of data that are on disk or on a cluster; fit to an array in memory, or to all "
    "samples together."
)
BY_OTHERS = (
    "places new samples on maps of UMAP, but for densMAP and other output metrics, and of t-SNE; "
    "take embedder='umap' or embedder='tsne'."
)
COMPONENTS = (
    "does not know the components that stood for sparse data; reduce them yourself, for example "
    "with PCA in a pipeline, and fit to that."
)


def view_weights(n_views: int, removed: Sequence[Constraint]) -> list[float]:
    """Return what data and residual count: the residual half, if all of a prior is to go."""
    share = max((c.strength for c in removed), default=0.0) / 2 if n_views > 1 else 0.0
    return [1 - share, share][:n_views]


def refusal(data: SampleDistances, n_features: int) -> str:
    """Return why data cannot take new samples; an empty string if they can."""
    if isinstance(data, StoredDistances):
        return ON_DISK
    values = getattr(data, "values", None)
    return COMPONENTS if values is not None and values.shape[1] != n_features else ""


def keep_views(
    views: Sequence[View], residual: Any, perplexity: float, n_features: int
) -> tuple[list[NewView], Usual] | str:
    """Return what is kept of data and residual, or why they cannot take new samples."""
    refused = refusal(views[0].distances, n_features)
    if refused:
        return refused
    if residual is not None and residual.metric == "precomputed":
        return NO_RESIDUAL
    k = neighbors_of_perplexity(perplexity, views[0].graph.n_samples)
    kept = [NewView(keep_rows(view.distances), k, view.factor) for view in views]
    return kept, keep_usual(views[0].distances)


def keep_tsne(
    kept: tuple[list[NewView], Usual] | str,
    embedding: Floats,
    perplexity: float,
    objective: IndependenceObjective,
    ascent: DualAscent | None,
    priors: Mapping[str, Prior],
    removed: Sequence[Constraint],
) -> NewSamples | str:
    """Return what is kept of a fitted map that is independent of its priors."""
    if isinstance(kept, str):
        return kept
    views, usual = kept
    n_samples, n_components = embedding.shape
    space = np.zeros((n_samples, 3))
    space[:, :n_components] = embedding
    scale = ascent.scale if ascent else 1.0
    multipliers = ascent.multipliers if ascent else []
    fitted = TSNEMap(
        keep_places(embedding),
        n_components,
        views,
        tuple(view_weights(len(views), removed)),
        perplexity,
        n_samples / objective.repulsion(space).normalizer,
        [
            keep_pull(c.name, prior, multiplier, embedding, scale)
            for c, prior, multiplier in zip(removed, objective.priors, multipliers, strict=True)
            if multiplier
        ],
        scale,
    )
    names = [c.name for c in removed]
    return NewSamples(fitted, {name: keep_prior(name, priors[name]) for name in names}, usual)


def keep_confetti(
    embedder: Any,
    fitted: Any,
    embedding: Floats,
    neighbors: NewView | str,
    priors: Mapping[str, Prior],
    data: SampleDistances,
) -> NewSamples | str:
    """Return what is kept of a map that an embedder has drawn of factored distances."""
    if isinstance(neighbors, str):
        return neighbors
    kept = {name: keep_prior(name, prior) for name, prior in priors.items()}
    usual = keep_usual(data)
    if isinstance(embedder, UMAP) and has_own_layout(embedder.params):
        places = np.ascontiguousarray(embedding.T, dtype=np.float32)
        push = float(fitted.repulsion_strength * fitted.negative_sample_rate)
        umap = UMAPMap(places, [neighbors], float(fitted._a), float(fitted._b), push)
        return NewSamples(umap, kept, usual)
    if isinstance(embedder, TSNE):
        n_samples, n_components = embedding.shape
        places = keep_places(embedding)
        space = np.ascontiguousarray(places.T, dtype=np.float64)
        push = n_samples / choose_repulsion(n_samples, n_components)(space).normalizer
        perplexity = min(embedder.perplexity, neighbors.k / PER_PERPLEXITY)
        tsne = TSNEMap(places, n_components, [neighbors], (1.0,), perplexity, push)
        return NewSamples(tsne, kept, usual)
    return BY_OTHERS


def keep_neighbors(
    distances: SampleDistances | FactoredDistances, k: int, n_features: int
) -> NewView | str:
    """Return what finds neighbours of new samples, or why there is nothing that does."""
    data = distances.data if isinstance(distances, FactoredDistances) else distances
    refused = refusal(data, n_features)
    if refused:
        return refused
    if not isinstance(distances, FactoredDistances):
        return NewView(keep_rows(data), k)
    names, operator = tuple(distances.priors), distances.operator
    if isinstance(operator, Balanced):
        factor: Any = keep_balance(operator, names, [*distances.strengths.values()])
    else:
        factor = FactoredRows(cast("Any", operator), names)
    return NewView(keep_rows(data), k, factor)


def keep_jedi(
    problem: Any, objective: JEDIObjective, embedding: Floats, names: Sequence[str], n_features: int
) -> NewSamples | str:
    """Return what is kept of a map that JEDI has drawn."""
    refused = refusal(problem.data, n_features)
    if refused:
        return refused
    n_samples, n_components = embedding.shape
    places = keep_places(embedding)
    space = np.ascontiguousarray(places.T, dtype=np.float64)
    normalizer = objective.repulsion(space).normalizer
    slopes = [one.strength * one.repel(space, normalizer).mean_slope for one in objective.priors]
    known = [
        Known(
            name, one.strength, 0.0 if isinstance(one.prior, Labels) else problem.prior_perplexity
        )
        for name, one in zip(names, problem.priors, strict=True)
    ]
    fitted = JEDIMap(
        places,
        n_components,
        [NewView(keep_rows(problem.data), min(NEIGHBORS, n_samples))],
        problem.perplexity,
        normalizer,
        1 + sum(slopes),
        known,
        problem.symmetry,
        problem.skewness,
    )
    kept = {
        name: keep_prior(name, one.prior) for name, one in zip(names, problem.priors, strict=True)
    }
    return NewSamples(fitted, kept, keep_usual(problem.data))
