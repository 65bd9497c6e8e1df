r"""JEDI's objective: KL(P‖Q) − Σ_k strength_k · pJSD(P'_k‖Q).

.. math:: \frac{\partial C}{\partial y_i} = 4 \Big[ \sum_j p w (y_i - y_j)
          + \eta \sum_j s q w (y_i - y_j) - (1 + \eta \bar s) \sum_j q w (y_i - y_j) \Big]

The last sum is t-SNE's own repulsion, times one number; without a prior this is t-SNE. The sums run
over all pairs (`exact_objective`), or are estimated from sampled pairs (`sampled_objective`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities import (
    Bandwidths,
    Strata,
    affinity_strata,
    data_affinities,
    estimate_bandwidths,
    prior_affinities,
    sparse_affinities,
)
from unprior.forces import Field, choose_repulsion, exact_field
from unprior.geometry import SampleDistances
from unprior.neighbors import find_neighbors
from unprior.objectives._divergences import DataDivergence, PriorDivergence
from unprior.objectives._evaluation import Evaluation
from unprior.objectives._sampled import (
    ClassPairs,
    DistancePairs,
    LikelyPartners,
    NearPartners,
    PointPairs,
    SampledAttraction,
    SampledDivergence,
    estimate_sums,
)
from unprior.priors import Prior
from unprior.priors._simplified import quick_pairs

#: The sampled objective uses nearest neighbours, three per unit of perplexity, if these are at most
#: this many; otherwise it samples pairs.
MOST_NEIGHBORS = 300

#: Smallest perplexity of a subset of the samples, unless the perplexity of all is smaller.
COARSE_PERPLEXITY = 30.0

#: With a prior, the first steps use neighbourhoods of at least this fraction of the samples.
BROAD_NEIGHBORHOOD = 1 / 5

#: KL(P‖Q) over all pairs or neighbours, or over sampled pairs.
Attraction: TypeAlias = DataDivergence | SampledAttraction


@dataclass(frozen=True)
class JEDIObjective:
    """JEDI's objective: terms of the data and the priors, and a method to sum the repulsion.

    ``broad`` is the data's term at a larger perplexity, for the steps that find the coarse shape of
    the map; None if all steps use the same.
    """

    data: Attraction
    priors: Sequence[PriorDivergence | SampledDivergence] = ()
    repulsion: Callable[[Floats], Field] = exact_field
    broad: Attraction | None = None

    def pulls_at_origin(self, emphasis: float = 1.0) -> Floats:
        """Return m such that the gradient at a tiny map is 4 Σ_j m_ij (y_i − y_j).

        There all w are 1 and all q are equal, so the forces are linear in the map. This takes
        all pairs, with the broad neighbourhoods if there are any.
        """
        data = self.data if self.broad is None else self.broad
        priors = [prior for prior in self.priors if isinstance(prior, PriorDivergence)]
        if not isinstance(data, DataDivergence) or len(priors) < len(self.priors):
            message = "pulls_at_origin: takes an objective over all pairs; got a sampled one."
            raise TypeError(message)
        P = data.affinities.matrix
        pulls: Floats = P.toarray() if data.affinities.is_sparse else P.copy()
        n_samples = len(pulls)
        q = 1 / (n_samples * (n_samples - 1))
        balance = 1.0
        for prior in priors:
            slopes = prior.slopes_at(q)
            weight = emphasis * prior.strength * q
            balance += weight * slopes.sum()
            slopes *= weight
            pulls += slopes
        pulls -= balance * q
        return pulls

    def evaluate(
        self, Y: Floats, exaggeration: float = 1.0, emphasis: float = 1.0, *, broad: bool = False
    ) -> Evaluation:
        """Value and gradient at a map; see `Objective.evaluate`."""
        data = self.broad if broad and self.broad is not None else self.data
        n_samples, n_components = Y.shape
        space = np.zeros((n_samples, 3))
        space[:, :n_components] = Y
        field = self.repulsion(space)
        attraction, log_kernel = data.attract(space)
        value = data.value(log_kernel, field.normalizer)
        forces, balance = exaggeration * attraction, 1.0
        for prior in self.priors:
            terms = prior.repel(space, field.normalizer)
            forces += emphasis * prior.strength * terms.force
            balance += emphasis * prior.strength * terms.mean_slope
            value -= prior.strength * terms.divergence
        forces -= balance / field.normalizer * field.force
        return Evaluation(value, 4 * forces[:, :n_components])


@dataclass(frozen=True)
class WeightedPrior:
    """A prior and the strength at which it enters the objective."""

    prior: Prior
    strength: float


@dataclass(frozen=True)
class Problem:
    """The inputs of JEDI's objective: data and priors as distances, and its parameters."""

    data: SampleDistances
    priors: Sequence[WeightedPrior]
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
        """Perplexity of the data in the first steps; without a prior, in all steps."""
        broad = min(BROAD_NEIGHBORHOOD * self.n_samples, (self.n_samples - 1) / 3)
        return max(self.perplexity, broad) if self.priors else self.perplexity

    def part(self, rows: Indices) -> Problem:
        """Return the problem of a subset of the samples, with smaller perplexities."""
        share = len(rows) / self.n_samples
        return replace(
            self,
            data=self.data[rows],
            priors=[WeightedPrior(p.prior[rows], p.strength) for p in self.priors],
            perplexity=_shrink(self.perplexity, share),
            prior_perplexity=_shrink(self.prior_perplexity, share),
        )


def exact_objective(problem: Problem) -> JEDIObjective:
    """Return the objective over all pairs."""

    def attraction(perplexity: float) -> DataDivergence:
        return DataDivergence(data_affinities(problem.data, perplexity))

    return JEDIObjective(
        attraction(problem.perplexity),
        [
            PriorDivergence(
                prior_affinities(each.prior, problem.prior_perplexity),
                each.strength,
                problem.symmetry,
                problem.skewness,
            )
            for each in problem.priors
        ],
        broad=_broad(problem, attraction),
    )


def sampled_objective(
    problem: Problem, n_components: int, rng: np.random.RandomState, n_jobs: int | None
) -> JEDIObjective:
    """Return the objective over neighbours or sampled pairs, in O(n) time and memory."""

    def attraction(perplexity: float) -> Attraction:
        return _attraction(problem.data, perplexity, rng, n_jobs)

    return JEDIObjective(
        attraction(problem.perplexity),
        [_divergence(each, problem, rng, n_jobs) for each in problem.priors],
        choose_repulsion(problem.n_samples, n_components),
        _broad(problem, attraction),
    )


def _broad(problem: Problem, attraction: Callable[[float], Attraction]) -> Attraction | None:
    """Return the attraction of broad neighbourhoods, or None if the others are as broad."""
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
    return SampledAttraction.of(pairs, LikelyPartners(strata), _seed(rng))


def _divergence(
    weighted: WeightedPrior, problem: Problem, rng: np.random.RandomState, n_jobs: int | None
) -> PriorDivergence | SampledDivergence:
    prior, perplexity = weighted.prior, problem.prior_perplexity
    shape = (weighted.strength, problem.symmetry, problem.skewness)
    codes = prior.class_codes
    if codes is not None:
        return SampledDivergence(ClassPairs.of(codes), NearPartners.of(codes), *shape, _seed(rng))
    k = int(np.ceil(3 * perplexity))
    if k <= min(MOST_NEIGHBORS, prior.n_samples / 20):
        graph = find_neighbors(prior, k, n_jobs=n_jobs)
        return PriorDivergence(sparse_affinities(graph, perplexity), *shape)
    pairs, _ = _affinities(quick_pairs(prior), perplexity, rng)
    one_group = NearPartners.of(np.zeros(prior.n_samples, dtype=np.intp))
    return SampledDivergence(pairs, one_group, *shape, _seed(rng))


def _affinities(
    distances: SampleDistances, perplexity: float, rng: np.random.RandomState
) -> tuple[PointPairs | DistancePairs, Strata]:
    """Return affinities on demand, and strata to draw likely partners from.

    Bandwidths are estimated from a part of the samples, and their errors do not cancel in 1 /
    total: the last line makes the affinities sum to one.
    """
    bandwidths = estimate_bandwidths(distances, perplexity, rng)
    strata = affinity_strata(distances, bandwidths, rng)
    total, _ = estimate_sums(_pairs(distances, bandwidths), LikelyPartners(strata), _seed(rng))
    return _pairs(distances, bandwidths.scaled(1 / total if total > 0 else 1.0)), strata


def _pairs(distances: SampleDistances, bandwidths: Bandwidths) -> PointPairs | DistancePairs:
    """Return affinities on demand, in a compiled loop where the samples are points."""
    points = distances.points()
    if points is None:
        return DistancePairs(distances, bandwidths)
    return PointPairs(points.in_single(), bandwidths)


def _seed(rng: np.random.RandomState) -> int:
    return int(rng.randint(2**31 - 1))


def _shrink(perplexity: float, share: float) -> float:
    return max(perplexity * share, min(perplexity, COARSE_PERPLEXITY))
