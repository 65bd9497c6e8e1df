"""What a fit keeps to place new samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from unprior._typing import Floats
from unprior.embedders._embedders import PER_PERPLEXITY, TSNE, UMAP, has_own_layout
from unprior.forces import choose_repulsion
from unprior.geometry import SampleDistances, StoredDistances
from unprior.objectives import (
    DataDivergence,
    IndependenceObjective,
    JEDIObjective,
    PriorDivergence,
)
from unprior.objectives._views import View, neighbors_of_perplexity
from unprior.operators import Balanced, FactoredDistances, keep_balance
from unprior.optimize import DualAscent
from unprior.optimize._constraints import Constraint
from unprior.priors import Prior
from unprior.transform._distances import keep_data
from unprior.transform._jedi import JEDIMap, PriorAffinities, SymmetricAffinities
from unprior.transform._place import Placement, Reach
from unprior.transform._priors import keep_prior
from unprior.transform._tsne import ConstraintForce, TSNEMap, keep_places
from unprior.transform._umap import UMAPMap
from unprior.transform._views import FactoredRows, FittedView

#: Number of neighbours whose median a place on a JEDI map is compared with.
NEIGHBORS = 30

#: Why some fits cannot place new samples.
NO_RESIDUAL = (
    "has no residual of distances for new samples; fit with residual=None, or to all samples "
    "together."
)
ON_DISK = (
    "keeps no copy of data on disk or on a cluster; fit to an array in memory, or to all "
    "samples together."
)
BY_OTHERS = (
    "places new samples on maps of t-SNE and of UMAP (without densMAP or another output metric); "
    "use embedder='tsne' or embedder='umap'."
)


def view_weights(n_views: int, removed: Sequence[Constraint]) -> list[float]:
    """Return the weights of data and residual: a half each if all of a prior is removed."""
    share = max((c.strength for c in removed), default=0.0) / 2 if n_views > 1 else 0.0
    return [1 - share, share][:n_views]


def keep_views(
    views: Sequence[View], residual: Any, perplexity: float
) -> tuple[list[FittedView], Reach] | str:
    """Return what is kept of data and residual, or why new samples cannot be placed."""
    if isinstance(views[0].distances, StoredDistances):
        return ON_DISK
    if residual is not None and residual.metric == "precomputed":
        return NO_RESIDUAL
    k = neighbors_of_perplexity(perplexity, views[0].graph.n_samples)
    kept = [FittedView(keep_data(view.distances), k, view.factor) for view in views]
    return kept, Reach.of(views[0].distances)


def keep_tsne(
    kept: tuple[list[FittedView], Reach] | str,
    embedding: Floats,
    perplexity: float,
    objective: IndependenceObjective,
    ascent: DualAscent | None,
    priors: Mapping[str, Prior],
    removed: Sequence[Constraint],
) -> Placement | str:
    """Return what `IndependentTSNE` keeps."""
    if isinstance(kept, str):
        return kept
    views, reach = kept
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
            ConstraintForce.of(c.name, prior, multiplier, embedding, scale)
            for c, prior, multiplier in zip(removed, objective.priors, multipliers, strict=True)
            if multiplier
        ],
        scale,
        removed[0].keep.codes if removed and removed[0].keep is not None else None,
    )
    names = [c.name for c in removed]
    return Placement(fitted, {name: keep_prior(name, priors[name]) for name in names}, reach)


def keep_confetti(
    embedder: Any,
    fitted: Any,
    embedding: Floats,
    neighbors: FittedView | str,
    far: Floats,
    priors: Mapping[str, Prior],
    data: SampleDistances,
) -> Placement | str:
    """Return what `Confetti` keeps, or why new samples cannot be placed.

    ``far`` are the distances of fitted samples to the farthest of their neighbours.
    """
    if isinstance(neighbors, str):
        return neighbors
    kept = {name: keep_prior(name, prior) for name, prior in priors.items()}
    reach = Reach.of(data)
    if isinstance(embedder, UMAP) and has_own_layout(embedder.params):
        places = np.ascontiguousarray(embedding.T, dtype=np.float32)
        push = float(fitted.repulsion_strength * fitted.negative_sample_rate)
        curve = float(fitted._a), float(fitted._b)
        edges = (np.asarray(one, dtype=np.float64) for one in (fitted._rhos, fitted._sigmas, far))
        return Placement(UMAPMap(places, [neighbors], *curve, push, *edges), kept, reach)
    if isinstance(embedder, TSNE):
        n_samples, n_components = embedding.shape
        places = keep_places(embedding)
        space = np.ascontiguousarray(places.T, dtype=np.float64)
        push = n_samples / choose_repulsion(n_samples, n_components)(space).normalizer
        perplexity = min(embedder.perplexity, neighbors.k / PER_PERPLEXITY)
        tsne = TSNEMap(places, n_components, [neighbors], (1.0,), perplexity, push)
        return Placement(tsne, kept, reach)
    return BY_OTHERS


def keep_neighbors(distances: SampleDistances | FactoredDistances, k: int) -> FittedView | str:
    """Return what finds neighbours of new samples, or why that is not possible."""
    data = distances.data if isinstance(distances, FactoredDistances) else distances
    if isinstance(data, StoredDistances):
        return ON_DISK
    if not isinstance(distances, FactoredDistances):
        return FittedView(keep_data(data), k)
    names, operator = tuple(distances.priors), distances.operator
    if isinstance(operator, Balanced):
        factor: Any = keep_balance(operator, names, [*distances.strengths.values()])
    else:
        factor = FactoredRows(cast("Any", operator), names)
    return FittedView(keep_data(data), k, factor)


def keep_jedi(
    problem: Any, objective: JEDIObjective, embedding: Floats, names: Sequence[str]
) -> Placement | str:
    """Return what `JEDI` keeps, or why new samples cannot be placed."""
    if isinstance(problem.data, StoredDistances):
        return ON_DISK
    n_samples, n_components = embedding.shape
    places = keep_places(embedding)
    space = np.ascontiguousarray(places.T, dtype=np.float64)
    normalizer = objective.repulsion(space).normalizer
    slopes = [one.strength * one.repel(space, normalizer).mean_slope for one in objective.priors]
    affinities = [
        PriorAffinities(
            name,
            one.strength,
            None
            if one.prior.class_codes is not None
            else SymmetricAffinities.of(one.prior, problem.prior_perplexity),
        )
        for name, one in zip(names, problem.priors, strict=True)
    ]
    fitted = JEDIMap(
        places,
        n_components,
        [FittedView(keep_data(problem.data), min(NEIGHBORS, n_samples))],
        SymmetricAffinities.of(problem.data, problem.perplexity),
        normalizer,
        1 + sum(slopes),
        affinities,
        problem.symmetry,
        problem.skewness,
        _slopes(objective, space),
    )
    kept = {
        name: keep_prior(name, one.prior) for name, one in zip(names, problem.priors, strict=True)
    }
    return Placement(fitted, kept, Reach.of(problem.data))


def _slopes(objective: JEDIObjective, space: Floats) -> Floats:
    """Return the gradient of every sample's own objective, n/2 times that of the map's."""
    exact = isinstance(objective.data, DataDivergence)
    if not exact or not all(isinstance(one, PriorDivergence) for one in objective.priors):
        return np.zeros(space.shape)
    return np.ascontiguousarray(len(space) / 2 * objective.evaluate(space).gradient)
