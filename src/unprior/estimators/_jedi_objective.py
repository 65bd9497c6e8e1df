"""Data, priors and settings -> JEDI's objective, over all pairs or over fresh draws of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities import (
    Bandwidths,
    Strata,
    affinity_strata,
    data_affinities,
    find_bandwidths,
    prior_affinities,
    sparse_affinities,
    squared_block,
)
from unprior.forces import choose_repulsion
from unprior.geometry import SampleDistances
from unprior.neighbors import find_neighbors
from unprior.objectives import (
    AnyPairs,
    Attraction,
    ClassMates,
    DataDivergence,
    DrawnAttraction,
    DrawnDivergence,
    JEDIObjective,
    LikelyPartners,
    NearPartners,
    PointPairs,
    PriorDivergence,
    estimate_sums,
)
from unprior.optimize import SPREAD, spectral_start
from unprior.priors import Labels, Prior
from unprior.priors._simplified import quick_pairs

#: Up to three neighbours for each unit of perplexity, and no more than these, a graph of nearest
#: neighbours is exact and small; beyond, partners are drawn.
MOST_NEIGHBORS = 300

#: Samples on which a large problem is solved roughly to find its start, and the nearest of them
#: that place every other sample.
COARSE_SAMPLES, COARSE_NEIGHBORS = 1500, 10

#: Distances that are held at a time when all samples are placed (32 MB).
BLOCK_ENTRIES = 4_000_000

#: A coarse problem has at least this perplexity, if the whole one has.
COARSE_PERPLEXITY = 30.0

#: In the first steps against a prior, neighbourhoods hold at least this share of the samples.
BROAD_NEIGHBORHOOD = 1 / 5


@dataclass(frozen=True)
class Known:
    """A prior and its strength."""

    prior: Prior
    strength: float


@dataclass(frozen=True)
class Problem:
    """What JEDI is to solve: data and priors as distances, with their perplexities.

    ``broad_perplexity`` is that of the data in the first steps; without a prior it equals
    ``perplexity``.
    """

    data: SampleDistances
    known: Sequence[Known]
    perplexity: float
    prior_perplexity: float
    symmetry: float
    skewness: float

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.data.n_samples

    @property
    def broad_perplexity(self) -> float:
        """Perplexity of the data in the first steps."""
        broad = min(BROAD_NEIGHBORHOOD * self.n_samples, (self.n_samples - 1) / 3)
        return max(self.perplexity, broad) if self.known else self.perplexity

    def part(self, rows: Indices) -> Problem:
        """The same problem for some of the samples; neighbourhoods shrink with their number."""
        share = len(rows) / self.n_samples
        return replace(
            self,
            data=self.data[rows],
            known=[Known(k.prior[rows], k.strength) for k in self.known],
            perplexity=_shrink(self.perplexity, share),
            prior_perplexity=_shrink(self.prior_perplexity, share),
        )


def exact_objective(problem: Problem) -> JEDIObjective:
    """Objective over all pairs."""

    def attraction(perplexity: float) -> DataDivergence:
        return DataDivergence(data_affinities(problem.data, perplexity))

    return JEDIObjective(
        attraction(problem.perplexity),
        [
            PriorDivergence(
                prior_affinities(known.prior, problem.prior_perplexity),
                known.strength,
                problem.symmetry,
                problem.skewness,
            )
            for known in problem.known
        ],
        broad=_broad(problem, attraction),
    )


def sampled_objective(
    problem: Problem, n_components: int, rng: np.random.RandomState, n_jobs: int | None
) -> JEDIObjective:
    """Objective whose sums over pairs are estimated from fresh draws at every step."""

    def attraction(perplexity: float) -> Attraction:
        return _attraction(problem.data, perplexity, rng, n_jobs)

    return JEDIObjective(
        attraction(problem.perplexity),
        [_divergence(known, problem, rng, n_jobs) for known in problem.known],
        choose_repulsion(problem.n_samples, n_components),
        _broad(problem, attraction),
    )


def coarse_start(
    problem: Problem, n_components: int, rng: np.random.RandomState, emphasis: float
) -> Floats:
    """Spectral start of a random part of the samples; the others are put where their nearest are.

    The forces are those of all pairs: axes of noisy ones would be noise.
    """
    n = problem.n_samples
    if n <= COARSE_SAMPLES:
        return spectral_start(exact_objective(problem).pulls_at_origin(emphasis), n_components, rng)
    rows = np.sort(rng.permutation(n)[:COARSE_SAMPLES])
    pulls = exact_objective(problem.part(rows)).pulls_at_origin(emphasis)
    start = spectral_start(pulls, n_components, rng)
    everyone = _at_nearest(problem.data, rows, start)
    return SPREAD * (everyone - everyone.mean(axis=0)) / everyone.std(axis=0)


def _broad(problem: Problem, attraction: Callable[[float], Attraction]) -> Attraction | None:
    """Return the attraction of broad neighbourhoods, if they are broader than those asked for."""
    if problem.broad_perplexity <= problem.perplexity:
        return None
    return attraction(problem.broad_perplexity)


def _attraction(
    data: SampleDistances, perplexity: float, rng: np.random.RandomState, n_jobs: int | None
) -> Attraction:
    k = int(np.ceil(3 * perplexity))
    if k <= min(MOST_NEIGHBORS, data.n_samples - 1):
        graph = find_neighbors(data, k, n_jobs=n_jobs)
        return DataDivergence(sparse_affinities(graph, perplexity))
    pairs, strata = _affinities(quick_pairs(data), perplexity, rng)
    return DrawnAttraction.of(pairs, LikelyPartners(strata), _seed(rng))


def _divergence(
    known: Known, problem: Problem, rng: np.random.RandomState, n_jobs: int | None
) -> PriorDivergence | DrawnDivergence:
    prior, perplexity = known.prior, problem.prior_perplexity
    shape = (known.strength, problem.symmetry, problem.skewness)
    if isinstance(prior, Labels):
        classmates = NearPartners.of(prior.codes)
        return DrawnDivergence(ClassMates.of(prior), classmates, *shape, _seed(rng))
    k = int(np.ceil(3 * perplexity))
    if k <= min(MOST_NEIGHBORS, prior.n_samples / 20):
        graph = find_neighbors(prior, k, n_jobs=n_jobs)
        return PriorDivergence(sparse_affinities(graph, perplexity), *shape)
    pairs, _ = _affinities(quick_pairs(prior), perplexity, rng)
    everyone = NearPartners.of(np.zeros(prior.n_samples, dtype=np.intp))
    return DrawnDivergence(pairs, everyone, *shape, _seed(rng))


def _affinities(
    distances: SampleDistances, perplexity: float, rng: np.random.RandomState
) -> tuple[PointPairs | AnyPairs, Strata]:
    """Return affinities on demand, and the strata they make likely.

    Bandwidths come from a part of the samples, and their errors do not cancel in 1 / total: without
    the last line, affinities would not add up to one.
    """
    bandwidths = find_bandwidths(distances, perplexity, rng)
    strata = affinity_strata(distances, bandwidths, rng)
    total, _ = estimate_sums(_pairs(distances, bandwidths), LikelyPartners(strata), _seed(rng))
    return _pairs(distances, bandwidths.scaled(1 / total if total > 0 else 1.0)), strata


def _pairs(distances: SampleDistances, bandwidths: Bandwidths) -> PointPairs | AnyPairs:
    """Return affinities on demand, in a compiled loop where the samples are points."""
    points = distances.points()
    if points is None:
        return AnyPairs(distances, bandwidths)
    return PointPairs(points.in_single(), bandwidths)


def _seed(rng: np.random.RandomState) -> int:
    return int(rng.randint(2**31 - 1))


def _shrink(perplexity: float, share: float) -> float:
    return max(perplexity * share, min(perplexity, COARSE_PERPLEXITY))


def _at_nearest(data: SampleDistances, rows: Indices, places: Floats) -> Floats:
    """Put every sample at the mean place of its nearest among some rows."""
    everyone = np.empty((data.n_samples, places.shape[1]))
    step = max(1, BLOCK_ENTRIES // len(rows))
    for start in range(0, data.n_samples, step):
        some = np.arange(start, min(data.n_samples, start + step))
        squared = squared_block(data, some, rows)
        nearest = np.argpartition(squared, COARSE_NEIGHBORS, axis=1)[:, :COARSE_NEIGHBORS]
        everyone[some] = places[nearest].mean(axis=1)
    return everyone
