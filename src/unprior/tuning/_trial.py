"""Fitting an estimator at one strength and scoring the result, on a subset of many samples."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import clone

from unprior._threads import one_blas_thread
from unprior._typing import Indices
from unprior._warnings import InterruptedFitWarning
from unprior.estimators._base import DescentEstimator, MapEstimator, keep_for
from unprior.geometry import SampleDistances, data_distances
from unprior.priors import Distances, Prior
from unprior.scores._coherence import reachable
from unprior.scores._distances import read_map
from unprior.scores._measurement import ScoreSettings, Yardstick
from unprior.scores._report import report_on
from unprior.scores._yardsticks import with_rest
from unprior.tuning._chance import PairSums, chance_deviation, sum_prior
from unprior.tuning._path import Step

if TYPE_CHECKING:
    from pathlib import Path as FilePath

    from unprior._typing import Floats, Indices
    from unprior.estimators._base import PriorEstimator
    from unprior.optimize import Checkpoint
    from unprior.priors import Keep

#: Standard deviations of chance that count as noise.
DEVIATIONS = 2.0

#: Samples added if all samples that differ in a prior were missed by the random subset.
RARE = 15

#: Most others of the same class counted for each sample, and the fraction of them that a subset
#: should keep.
MATES, ENOUGH = 15, 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Linked(Prior):
    """A sparse graph of neighbours: samples without an edge are infinitely far apart.

    Attributes
    ----------
    edges : csr_array of shape (n_samples, n_samples)
        Lengths of the edges plus one, so that edges of length zero are stored.
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
    """Read the result of ``fit_transform``: a map, data, distances or a sparse graph."""
    if issparse(result):
        edges = csr_array(result, dtype=np.float64, copy=True)
        edges.data += 1
        return Linked(edges)
    if estimator.metric == "precomputed" and not isinstance(estimator, MapEstimator):
        return Distances(np.asarray(result))
    return read_map(who, result)


@dataclass(frozen=True, eq=False)
class Trial:
    """The estimator, data, priors and yardsticks shared by the trials of all strengths."""

    estimator: PriorEstimator
    X: Floats
    priors: dict[str, Prior]
    sums: dict[str, PairSums]
    yardsticks: list[Yardstick]
    k: int
    checkpoint: Checkpoint | None = None
    keep: Keep | None = None

    def run(self, strength: float) -> Step:
        """Fit at one strength and score the result, unless a checkpoint has the scores."""
        if self.checkpoint is None:
            return self._run(strength, None)
        folder = self.checkpoint.folder / f"strength-{strength!r}"
        saved = self.checkpoint.load(folder.name)
        if saved is not None:
            return Step.from_dict(saved[0])
        step = self._run(strength, folder)
        self.checkpoint.save(folder.name, asdict(step), {})
        shutil.rmtree(folder, ignore_errors=True)  # the checkpoint of the finished fit
        return step

    def _run(self, strength: float, folder: FilePath | None) -> Step:
        # The number of threads could change rounding, and so the map.
        with one_blas_thread():
            Y = read_result("tune", self.estimator, self._fit(strength, folder))
            report = report_on(Y, self.yardsticks, ScoreSettings("tune", self.k, None, 0))
            noise = {
                name: DEVIATIONS
                * chance_deviation(Y, self.k, sums)
                / reachable(self.priors[name], self.k)
                for name, sums in self.sums.items()
            }
        return Step(strength, report, noise)

    def _fit(self, strength: float, folder: FilePath | None) -> Any:
        estimator = clone(self.estimator).set_params(strength=strength)
        if folder is not None and isinstance(estimator, DescentEstimator):
            estimator.set_params(checkpoint=folder)
        with warnings.catch_warnings():
            # An interrupted estimator returns its unfinished map; here an interrupt stops all.
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
    """Prepare the trials of all strengths: read what their results are compared with, once."""
    parts = [Yardstick("prior", name, part, keep=keep) for name, part in priors.items()]
    data = Yardstick("data", "data", data_distances(X, estimator.metric, who="tune"))
    return Trial(
        estimator,
        X,
        priors,
        {name: sum_prior(part) for name, part in priors.items()},
        with_rest([*parts, data]),
        k,
        checkpoint,
        keep,
    )


def draw_part(priors: Iterable[Prior], n_samples: int, size: int, seed: int) -> Indices:
    """Return a sorted random subset of the samples; all of them if there are at most ``size``.

    If the subset misses a rare class, some of its samples replace others. If it has only single
    samples of many small classes, classes are drawn instead, up to a neighbourhood of each.

    Examples
    --------
    >>> from unprior.priors import labels
    >>> rare = labels(["a"] * 99 + ["b"])
    >>> rows = draw_part([rare], 100, 10, seed=0)
    >>> len(rows), 99 in rows
    (10, True)
    """
    if size >= n_samples:
        return np.arange(n_samples)
    rng = np.random.RandomState(seed)
    rows: Indices = rng.choice(n_samples, size, replace=False)
    priors = [*priors]
    for prior in priors:
        codes = prior.class_codes
        if codes is not None and _mates(codes[rows]) < ENOUGH * _mates(codes):
            rows = _draw_classes(codes, size, rng)
    for prior in 2 * priors:  # twice: samples added for one prior may replace those for another
        if prior[np.sort(rows)].is_constant():
            different = np.flatnonzero(prior.block(rows[:1], np.arange(n_samples))[0] > 0)
            added = rng.permutation(np.setdiff1d(different, rows))[: min(RARE, size // 2)]
            rows = np.concatenate((added, rows[: size - len(added)]))
    return np.sort(rows)


def _mates(codes: Indices) -> float:
    """Return the mean number of others of the same class, counted up to MATES."""
    sizes = np.unique(codes, return_counts=True)[1]
    return float(sizes @ np.minimum(sizes - 1, MATES) / len(codes))


def _draw_classes(codes: Indices, size: int, rng: np.random.RandomState) -> Indices:
    """Draw classes, up to a neighbourhood of each; classes of one sample come last."""
    rows = rng.permutation(len(codes))
    rows = rows[np.argsort(codes[rows], kind="stable")]  # by class, each in random order
    sizes = np.bincount(codes)
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    of_class = rng.permutation(len(sizes))[codes[rows]]
    order = np.lexsort((rank, of_class, sizes[codes[rows]] == 1, rank > MATES))
    return rows[order[:size]]
