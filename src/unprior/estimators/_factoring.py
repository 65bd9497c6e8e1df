"""Base class of Confetti and ConfettiNeighbors: factored distances and their neighbours."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from unprior._params import Either, OneOf, Option
from unprior._threads import one_blas_thread
from unprior._typing import Floats
from unprior.estimators._base import KeepingEstimator
from unprior.estimators._options import STRENGTHS
from unprior.geometry import SampleDistances, data_distances
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.operators import (
    OPERATORS,
    SCALES,
    Balanced,
    FactoredDistances,
    factor_on_demand,
)
from unprior.priors import Keep, Prior
from unprior.residual import WITH_RESIDUAL, complete_labels, find_shared

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
        "class, or stratum of a prior without classes, gets its share of the k nearest. "
        '"quantile", which is more conservative, replaces each distance by its rank among pairs '
        'that are about equally far apart in the prior. "linear" subtracts the prior\'s distances, '
        'as in the paper. "auto" is balanced; but if groups of the prior differ in composition, '
        "such as batches with different cell types, and these are not given as ``keep``, samples "
        "are balanced within clusters that the groups share.",
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
    "faster (with the balanced operator, or without a prior) and aims to find 98 % of them; "
    "``neighbor_recall_`` says how many it found.",
)

#: The operator of "auto".
DEFAULT_OPERATOR = "balanced"

#: Largest number whose distances single precision represents.
LARGEST = 1e36


class FactoringEstimator(KeepingEstimator):
    """An estimator that finds neighbours in distances from which priors are factored out."""

    _reads_rows_on_demand: ClassVar = True
    strength: Any
    operator: str
    scale: str
    neighbors: str
    n_jobs: int | None
    verbose: int

    operator_: str
    strength_: float | dict[str, float]
    neighbor_recall_: float
    hubness_: float
    n_neighbors_: int

    def _with_clusters(self, X: Any, priors: dict[str, Prior], keep: Keep | None) -> Keep | None:
        """Return the kept labels, completed, or the clusters that groups of a prior share.

        The latter if groups differ in composition, with a warning.
        """
        who, metric = type(self).__name__, str(self.metric)
        kept = complete_labels(who, X, keep, priors, metric)
        removes = self.operator == "auto" and priors and np.any(self.strength != 0)
        if not removes or metric not in WITH_RESIDUAL or not isinstance(X, np.ndarray):  # stored
            return kept
        with one_blas_thread():
            shared = find_shared(X, priors, kept, metric, who=who, everything="operator='balanced'")
        return kept if shared is None else shared.keep

    def _find_neighbors(
        self, X: Floats, priors: dict[str, Prior], keep: Keep | None, n_neighbors: int
    ) -> tuple[SampleDistances | FactoredDistances, KNNGraph]:
        """Return the factored distances and their neighbours, and set the attributes about them.

        There are ``n_neighbors`` neighbours of each sample, or all others if these are fewer.
        """
        self.n_neighbors_ = min(n_neighbors, len(X) - 1)
        self.operator_ = DEFAULT_OPERATOR if self.operator == "auto" else self.operator
        exact = self.neighbors == "exact"
        shared: dict[str, Any] = {"n_jobs": self.n_jobs, "verbose": self.verbose}
        with one_blas_thread():
            distances = self._factor_out(X, priors, keep, exact=exact, **shared)
            operator = getattr(distances, "operator", None)
            if isinstance(operator, Balanced):
                graph = operator.neighbors(self.n_neighbors_)
            else:
                graph = find_neighbors(distances, self.n_neighbors_, exact=exact, **shared)
        self.neighbor_recall_, self.hubness_ = graph.recall, graph.hubness
        return distances, graph

    def _factor_out(
        self, X: Floats, priors: dict[str, Prior], keep: Keep | None, **shared: Any
    ) -> SampleDistances | FactoredDistances:
        """Return the distances with the priors factored out, and set ``strength_``."""
        who = type(self).__name__
        data = data_distances(X, self.metric, who=who)
        self.strength_ = 0.0
        if not priors:
            return data
        if isinstance(X, np.ndarray) and (largest := float(np.abs(X).max())) > LARGEST:
            message = (
                f"{who}: 'X' holds numbers as large as {largest:.0e}, which is too large for the "
                "single precision of operators; divide it by a constant first."
            )
            raise ValueError(message)
        distances = factor_on_demand(
            data,
            priors,
            self.strength,
            operator=self.operator_,
            scale=self.scale,
            n_neighbors=self.n_neighbors_,
            keep=keep,
            who=who,
            **shared,
        )
        strengths = dict(distances.strengths)
        self.strength_ = strengths if len(strengths) > 1 else next(iter(strengths.values()))
        return distances
