"""An estimator and a strength → the scores of what it makes of the data."""

from __future__ import annotations

import shutil
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import clone

from unprior._threads import one_blas_thread
from unprior._warnings import InterruptedFitWarning
from unprior.estimators._base import MapEstimator, keep_for
from unprior.estimators._descent import DescentEstimator
from unprior.geometry import SampleDistances, data_distances
from unprior.priors import Distances, Prior
from unprior.scores._coherence import reachable
from unprior.scores._distances import read_map
from unprior.scores._measurement import ScoreSettings, Yardstick
from unprior.scores._report import report_on
from unprior.scores._yardsticks import with_rest
from unprior.tuning._chance import PairSums, luck, sum_prior
from unprior.tuning._kept import plain_step, read_step, stage_folder
from unprior.tuning._path import Step

if TYPE_CHECKING:
    from pathlib import Path as FilePath

    from unprior._typing import Floats, Indices
    from unprior.estimators._base import PriorEstimator
    from unprior.optimize._checkpoint import Checkpoint
    from unprior.priors._keep import Keep

#: Standard deviations of luck that count as noise.
DEVIATIONS = 2.0


@dataclass(frozen=True, eq=False, repr=False)
class Linked(Prior):
    """A sparse graph of neighbours: samples without an edge are infinitely far apart.

    Attributes
    ----------
    edges : csr_array of shape (n_samples, n_samples)
        Lengths of the edges plus one, as an edge may be of length zero.
    """

    kind: ClassVar[str] = "neighbours"

    edges: csr_array

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.edges.shape[0])

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        return _lengths(self.edges[rows][:, cols].toarray())

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        return _lengths(np.asarray(self.edges[i, j]).ravel())

    def _take(self, rows: Indices) -> Linked:
        return replace(self, edges=self.edges[rows][:, rows])


def _lengths(edges: Floats) -> Floats:
    return np.where(edges == 0, np.inf, edges - 1)


def read_result(who: str, estimator: Any, result: Any) -> SampleDistances:
    """Read a map, data, distances, or a sparse graph of neighbours."""
    if issparse(result):
        edges = csr_array(result, dtype=np.float64, copy=True)
        edges.data += 1
        return Linked(edges)
    if estimator.metric == "precomputed" and not isinstance(estimator, MapEstimator):
        return Distances(np.asarray(result))
    return read_map(who, result)


@dataclass(frozen=True, eq=False)
class Trial:
    """All that the trials of all strengths have in common."""

    estimator: PriorEstimator
    X: Floats
    priors: dict[str, Prior]
    sums: dict[str, PairSums]
    yardsticks: list[Yardstick]
    k: int
    checkpoint: Checkpoint | None = None
    keep: Keep | None = None

    def run(self, strength: float) -> Step:
        """Fit at one strength, and score; with a checkpoint, unless that was done before."""
        if self.checkpoint is None:
            return self._run(strength, None)
        folder = stage_folder(self.checkpoint, strength)
        kept = self.checkpoint.load(folder.name)
        if kept is not None:
            return read_step(kept[0])
        step = self._run(strength, folder)
        self.checkpoint.save(folder.name, plain_step(step), {})
        shutil.rmtree(folder, ignore_errors=True)  # of the fit, which is done
        return step

    def _run(self, strength: float, folder: FilePath | None) -> Step:
        # The number of threads could change the last bits, and with them the map.
        with one_blas_thread():
            Y = read_result("tune", self.estimator, self._fit(strength, folder))
            report = report_on(Y, self.yardsticks, ScoreSettings("tune", self.k, None, 0))
            noise = {
                name: DEVIATIONS * luck(Y, self.k, sums) / reachable(self.priors[name], self.k)
                for name, sums in self.sums.items()
            }
        return Step(strength, report, noise)

    def _fit(self, strength: float, folder: FilePath | None) -> Any:
        estimator = clone(self.estimator).set_params(strength=strength)
        if folder is not None and isinstance(estimator, DescentEstimator):
            estimator.set_params(checkpoint=folder)
        with warnings.catch_warnings():
            # An estimator keeps a map that was interrupted; here the stop means all of them.
            warnings.filterwarnings("error", category=InterruptedFitWarning)
            try:
                return estimator.fit_transform(
                    self.X, prior=self.priors, **keep_for(estimator, self.keep)
                )
            except InterruptedFitWarning:
                raise KeyboardInterrupt from None


def plan_trial(
    estimator: PriorEstimator,
    X: Floats,
    priors: dict[str, Prior],
    k: int,
    checkpoint: Checkpoint | None = None,
    keep: Keep | None = None,
) -> Trial:
    """Read what results are held against, once for all strengths."""
    known = [Yardstick("prior", name, part, keep=keep) for name, part in priors.items()]
    data = Yardstick("data", "data", data_distances(X, estimator.metric, who="tune"))
    return Trial(
        estimator,
        X,
        priors,
        {name: sum_prior(part) for name, part in priors.items()},
        with_rest([*known, data]),
        k,
        checkpoint,
        keep,
    )
