"""Base class of Confetti and ConfettiNeighbors: factored distances and their neighbours."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from unprior._params import Either, OneOf, Option
from unprior._threads import one_blas_thread
from unprior._typing import Floats
from unprior.estimators._base import PriorEstimator, read_kept, read_priors
from unprior.estimators._composition import find_shared
from unprior.estimators._kept_labels import transfer_labels, warn_if_nothing_is_left
from unprior.estimators._options import STRENGTHS, WITH_RESIDUAL
from unprior.geometry import SampleDistances, data_distances
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.operators import (
    OPERATORS,
    SCALES,
    Balanced,
    FactoredDistances,
    factor_on_demand,
)
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


class FactoringEstimator(PriorEstimator):
    """An estimator that finds neighbours in distances from which priors are factored out."""

    _reads_rows_on_demand: ClassVar = True
    _takes_keep: ClassVar = True

    __metadata_request__fit: ClassVar = {"keep": True}

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

    def _read_known(self, X: Any, prior: Any, keep: Any) -> tuple[dict[str, Prior], Keep | None]:
        """Return priors and kept labels, missing ones filled in; warn if nothing can be removed.

        If groups differ in composition, the kept labels are the clusters that they share.
        """
        kept = read_kept(self, keep, len(X))  # first: see there
        priors = read_priors(self, prior, len(X))
        warn_if_nothing_is_left(type(self).__name__, priors, kept)
        kept = transfer_labels(X, kept, priors, str(self.metric))
        if self.operator != "auto" or not priors or not np.any(self.strength != 0):
            return priors, kept
        return priors, self._shared_clusters(X, priors, kept) or kept

    def _shared_clusters(self, X: Any, priors: dict[str, Prior], kept: Keep | None) -> Keep | None:
        """Return the clusters that groups share, if they differ in composition."""
        if self.metric not in WITH_RESIDUAL or not isinstance(X, np.ndarray):  # stored
            return None
        options = {"who": type(self).__name__, "everything": "operator='balanced'"}
        with one_blas_thread():
            shared = find_shared(X, priors, kept, str(self.metric), **options)
        return None if shared is None else shared.keep

    def _find_neighbors(
        self, X: Floats, priors: dict[str, Prior], keep: Keep | None
    ) -> tuple[SampleDistances | FactoredDistances, KNNGraph]:
        """Return the factored distances and ``n_neighbors_`` neighbours of each sample."""
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
