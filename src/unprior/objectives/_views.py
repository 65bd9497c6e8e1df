"""Data and residual, as views of the same samples -> their neighbours, affinities and a start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.decomposition import PCA

from unprior._typing import Floats, Metric
from unprior.affinities import Affinities, mean_affinities, sparse_affinities
from unprior.geometry import SampleDistances, data_distances, principal_coordinates
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.objectives import DataDivergence
from unprior.operators._balanced import learn_balanced
from unprior.operators._balanced_rows import BalancedRows, keep_balance
from unprior.operators._strata import strata_of
from unprior.priors import Prior
from unprior.priors._keep import Keep
from unprior.priors._left import PriorLeft
from unprior.priors._left_within import PriorLeftWithin

#: Neighbours for each unit of perplexity; beyond them affinities are negligible.
NEIGHBORS_PER_UNIT = 3

#: The first steps see at least so many neighbours, or this share of the samples if that is less:
#: groups that the prior has parted are too far from each other for small neighbourhoods.
BROAD_PERPLEXITY, BROAD_SHARE = 100.0, 1 / 5

#: Beyond so many samples all steps see the same neighbours: broad ones take twice as long to find.
MOST_BROAD = 20_000

#: From so many samples on the data's neighbours are balanced over a prior without classes, as in
#: CONFETTI: samples that it has parted are too far from each other for others. Of images by their
#: brightness maps then kept .42 instead of .38 of the garments at 10 000, and .42 instead of .35 at
#: 50 000. Priors with classes lost as often as they gained.
FAIR_FROM = 5000

#: Spread of a start, and of the noise that parts samples which share their place in it.
SPREAD, NOISE = 1e-2, 1e-4

#: A prior is visible among neighbours if they share more of it than of priors dealt out at random,
#: by so many standard deviations; so many deals and samples tell.
VISIBLE, DEALS, MOST_ROWS = 3.0, 30, 2000

#: Largest distances that single precision tells from 0 and from infinity, with room for squares.
SINGLE = (1e-15, 1e15)


@dataclass(frozen=True, eq=False)
class View:
    """Data, or what a residual leaves of them, with the neighbours of every sample.

    ``factor`` balances those of new samples, if these are balanced.
    """

    X: Floats
    metric: Metric
    distances: SampleDistances
    graph: KNNGraph
    factor: BalancedRows | None = None

    @classmethod
    def of(cls, X: Floats, metric: Metric, perplexity: float, n_jobs: int | None) -> View:
        """Find as many neighbours as the affinities of this perplexity and the broad ones need."""
        distances = data_distances(X, metric, who="IndependentTSNE")
        k = neighbors_of_perplexity(max(perplexity, broad_perplexity(len(X))), len(X))
        graph = find_neighbors(distances, k, n_jobs=n_jobs)
        return cls(X, metric, distances, _narrow(graph))

    def affinities(self, perplexity: float) -> Affinities:
        """Return the affinities of a perplexity."""
        k = neighbors_of_perplexity(perplexity, self.graph.n_samples)
        nearest = KNNGraph(self.graph.indices[:, :k], self.graph.distances[:, :k])
        return sparse_affinities(nearest, perplexity)

    def balanced(
        self,
        priors: Mapping[str, Prior],
        strengths: Sequence[float],
        n_jobs: int | None,
        keep: Keep | None = None,
    ) -> View:
        """Return a view of neighbours that have the prior of all, as CONFETTI finds them.

        With kept labels, they have the prior of the sample's kept class.
        """
        operator = learn_balanced(
            self.distances,
            [strata_of(prior, keep) for prior in priors.values()],
            scale=float(self.graph.distances.max()) or 1.0,
            strengths=strengths,
            k=self.graph.k,
            n_jobs=n_jobs,
        )
        graph = operator.neighbors(self.graph.k)
        factor = keep_balance(operator, [*priors], strengths)
        return replace(self, graph=_narrow(graph), factor=factor)

    def shows(self, measure: PriorLeft | PriorLeftWithin, rng: np.random.RandomState) -> bool:
        """Whether neighbours share more of a prior than chance would have it."""
        n = self.graph.n_samples
        rows = rng.permutation(n)[:MOST_ROWS]
        near = self.graph.indices[rows, : measure.k]
        by_chance = []
        for _ in range(DEALS):
            order = measure.permutation(rng)
            by_chance.append(measure.among(order[rows], order[near]))
        return bool(measure.among(rows, near) > np.mean(by_chance) + VISIBLE * np.std(by_chance))

    def start(self, n_components: int, rng: np.random.RandomState) -> Floats:
        """Return principal axes as a small map, the leading ones first."""
        if self.metric == "euclidean":
            n_axes = min(n_components, *self.X.shape)
            pca = PCA(n_axes, random_state=rng.randint(2**31 - 1))
            axes = np.asarray(pca.fit_transform(self.X))  # whatever output is configured
        else:
            axes = principal_coordinates(self.distances, most=n_components)
        start = NOISE * rng.standard_normal((len(self.X), n_components))
        if axes.size:  # none of distances that are all alike
            start[:, : axes.shape[1]] += SPREAD * axes / max(axes.std(), np.finfo(float).tiny)
        return start - start.mean(axis=0)


def broad_perplexity(n_samples: int) -> float:
    """Return the perplexity of the first steps; 1 if it is to be no other than that of all."""
    if n_samples > MOST_BROAD:
        return 1.0
    return min(BROAD_PERPLEXITY, max(1.0, BROAD_SHARE * n_samples), max(1.0, (n_samples - 1) / 3))


def attraction(
    views: Sequence[View], weights: Sequence[float], perplexity: float
) -> DataDivergence:
    """Return the pull of the weighted mean of all views' affinities."""
    return DataDivergence(mean_affinities([view.affinities(perplexity) for view in views], weights))


def _narrow(graph: KNNGraph) -> KNNGraph:
    """Return neighbours in half the memory, while those of another view are sought."""
    distances, largest = graph.distances, graph.distances.max(initial=0.0)
    if not SINGLE[0] <= largest <= SINGLE[1]:
        distances = distances / max(largest, np.finfo(float).tiny)  # no affinity depends on it
    return KNNGraph(graph.indices.astype(np.int32), distances.astype(np.float32), graph.recall)


def neighbors_of_perplexity(perplexity: float, n_samples: int) -> int:
    """Return how many neighbours the affinities of a perplexity look at."""
    return int(min(n_samples - 1, np.ceil(NEIGHBORS_PER_UNIT * perplexity)))
