"""Options and steps that Confetti and ConfettiNeighbors share: distances, and their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from unprior._params import Either, OneOf, Option
from unprior._typing import Floats
from unprior.estimators._options import STRENGTHS
from unprior.geometry import SampleDistances, data_distances
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.operators import OPERATORS, SCALES, FactoredDistances, factor_on_demand
from unprior.operators._balanced import Balanced
from unprior.priors import Prior
from unprior.priors._keep import Keep

#: The options that say how a prior is factored out of distances.
FACTORING = {
    "strength": Option(
        Either(OneOf("auto"), *STRENGTHS.rules),
        "How strongly the prior is factored out: λ, 0 or more, for the linear operator; in [0, 1] "
        "for the others, from the data's own distances to those with no prior left. 0 leaves the "
        'data unchanged. "auto" is the λ that leaves no correlation with the prior\'s distances, '
        "and 1 for the others. With several priors, one number for all or, except for the quantile "
        "operator, one for each.",
    ),
    "operator": Option(
        Either(OneOf("auto"), OPERATORS),
        '"balanced" gives each sample neighbours whose prior is distributed as overall: each '
        "class, or stratum of a prior without classes, gets its share of the k nearest. If groups "
        "of the prior differ in composition, such as batches with different cell types, pass these "
        'as ``keep``, or use the more conservative "quantile", which replaces each distance by its '
        'rank among pairs that are about equally far apart in the prior. "linear" subtracts the '
        'prior\'s distances, as in the paper. "auto" is balanced.',
    ),
    "scale": Option(
        SCALES,
        'Scale by which distances are divided: "max" is the largest, "quantile" the 0.99 quantile, '
        "which is robust to outliers.",
    ),
}

#: The search for neighbours.
NEIGHBORS = Option(
    OneOf("auto", "exact"),
    'How neighbours are found: "exact" compares all pairs; "auto" uses an index where that is '
    "faster (with the balanced operator, or without a prior), and finds at least 95 % of them.",
)

#: The operator of "auto".
DEFAULT_OPERATOR = "balanced"

#: Largest number whose distances single precision represents.
LARGEST = 1e36


def factored_data(
    estimator: Any, X: Floats, priors: dict[str, Prior], k: int, keep: Keep | None = None
) -> tuple[SampleDistances | FactoredDistances, float | dict[str, float]]:
    """Return the distances given by an estimator's options, and the strengths used."""
    who = type(estimator).__name__
    data = data_distances(X, estimator.metric, who=who)
    if not priors:
        return data, 0.0
    if isinstance(X, np.ndarray) and (largest := float(np.abs(X).max())) > LARGEST:
        message = (
            f"{who}: 'X' holds numbers as large as {largest:.0e}, which is more than single "
            "precision holds, and operators work in that; divide it by a constant first."
        )
        raise ValueError(message)
    distances = factor_on_demand(
        data,
        priors,
        estimator.strength,
        operator=estimator.operator_,
        scale=estimator.scale,
        n_neighbors=k,
        exact=estimator.neighbors == "exact",
        n_jobs=estimator.n_jobs,
        verbose=estimator.verbose,
        keep=keep,
        who=who,
    )
    strengths = dict(distances.strengths)
    return distances, strengths if len(strengths) > 1 else next(iter(strengths.values()))


def search_neighbors(
    estimator: Any, distances: SampleDistances | FactoredDistances, k: int
) -> tuple[KNNGraph, float]:
    """Return the k nearest neighbours of each sample, and their recall."""
    operator = getattr(distances, "operator", None)
    if isinstance(operator, Balanced):
        graph = operator.neighbors(k)
    else:
        graph = find_neighbors(
            distances,
            k,
            exact=estimator.neighbors == "exact",
            n_jobs=estimator.n_jobs,
            verbose=estimator.verbose,
        )
    return graph, graph.recall
