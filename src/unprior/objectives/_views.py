"""Views of the same samples, data and residual: their neighbours, affinities and initial map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.decomposition import PCA

from unprior._typing import Floats, Metric
from unprior.affinities import Affinities, mean_affinities, sparse_affinities
from unprior.geometry import SampleDistances, data_distances, power_of_two, principal_coordinates
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.objectives._divergences import DataDivergence
from unprior.operators import BalancedRows, keep_balance, learn_balanced, strata_of
from unprior.priors import Keep, Prior
from unprior.priors._left import PriorLeft
from unprior.priors._left_within import PriorLeftWithin

#: Neighbours per unit of perplexity; affinities beyond them are negligible.
NEIGHBORS_PER_UNIT = 3

#: Smallest perplexity of the first steps, or this fraction of the samples if that is less: groups
#: that the prior separates are too far from each other for small neighbourhoods.
BROAD_PERPLEXITY, BROAD_SHARE = 100.0, 1 / 5

#: Beyond this many samples all steps use the same neighbours: the search for broad ones takes twice
#: as long.
MOST_BROAD = 20_000

#: From this many samples on, the data's neighbours are balanced over priors without classes, as in
#: CONFETTI: samples that the prior separates are too far apart to be neighbours otherwise. With
#: images and their brightness as prior, maps then kept .42 instead of .38 of the garments at 10 000
#: samples, and .42 instead of .35 at 50 000. Priors with classes lost as often as they gained.
FAIR_FROM = 5000

#: Standard deviation of the initial map, and of the noise that separates samples at the same place.
SPREAD, NOISE = 1e-2, 1e-4

#: A prior is visible among neighbours if they share more of it than of permuted priors, by VISIBLE
#: standard deviations; number of permutations, and largest number of samples measured.
VISIBLE, PERMUTATIONS, MOST_ROWS = 3.0, 30, 2000

#: Range of the largest distance within which single precision holds distances and their squares.
SINGLE = (1e-15, 1e15)


@dataclass(frozen=True, eq=False)
class View:
    """Data, or their residual, with the neighbours of each sample.

    ``factor`` balances the neighbours of new samples, if the view's own are balanced.
    """

    X: Floats
    metric: Metric
    distances: SampleDistances
    graph: KNNGraph
    factor: BalancedRows | None = None

    @classmethod
    def of(cls, X: Floats, metric: Metric, perplexity: float, n_jobs: int | None) -> View:
        """Find the neighbours that the affinities of this perplexity and the broad one need."""
        distances = data_distances(X, metric, who="IndependentTSNE")
        k = neighbors_of_perplexity(max(perplexity, broad_perplexity(len(X))), len(X))
        graph = find_neighbors(distances, k, n_jobs=n_jobs)
        return cls(X, metric, distances, _narrow(graph))

    def affinities(self, perplexity: float) -> Affinities:
        """Return the affinities at a perplexity."""
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
        """Return the view with neighbours balanced over priors, as in CONFETTI.

        Neighbours then have the distribution of the prior among all samples; with kept labels, that
        within the sample's kept class.
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
        """Whether neighbours share more of a prior than by chance."""
        n = self.graph.n_samples
        rows = rng.permutation(n)[:MOST_ROWS]
        near = self.graph.indices[rows, : measure.k]
        by_chance = []
        for _ in range(PERMUTATIONS):
            order = measure.permutation(rng)
            by_chance.append(measure.among(order[rows], order[near]))
        return bool(measure.among(rows, near) > np.mean(by_chance) + VISIBLE * np.std(by_chance))

    def start(self, n_components: int, rng: np.random.RandomState) -> Floats:
        """Return the leading principal axes as a small map."""
        if self.metric == "euclidean":
            n_axes = min(n_components, *self.X.shape)
            pca = PCA(n_axes, random_state=rng.randint(2**31 - 1))
            axes = np.asarray(pca.fit_transform(self.X))  # also if pandas output is configured
        else:
            axes = principal_coordinates(self.distances, most=n_components)
        start = NOISE * rng.standard_normal((len(self.X), n_components))
        if axes.size:  # no axes if all distances are equal
            axes = axes / power_of_two(axes)
            start[:, : axes.shape[1]] += SPREAD * axes / max(axes.std(), np.finfo(float).tiny)
        return start - start.mean(axis=0)


def broad_perplexity(n_samples: int) -> float:
    """Return the perplexity of the first steps; 1 if all steps use the same."""
    if n_samples > MOST_BROAD:
        return 1.0
    return min(BROAD_PERPLEXITY, max(1.0, BROAD_SHARE * n_samples), max(1.0, (n_samples - 1) / 3))


def attraction(
    views: Sequence[View], weights: Sequence[float], perplexity: float
) -> DataDivergence:
    """Return the term of the weighted mean of all views' affinities."""
    return DataDivergence(mean_affinities([view.affinities(perplexity) for view in views], weights))


def _narrow(graph: KNNGraph) -> KNNGraph:
    """Return neighbours in half the memory, to hold them while those of another view are found."""
    distances, largest = graph.distances, graph.distances.max(initial=0.0)
    if not SINGLE[0] <= largest <= SINGLE[1]:
        distances = distances / max(
            largest, np.finfo(float).tiny
        )  # affinities do not depend on scale
    return KNNGraph(graph.indices.astype(np.int32), distances.astype(np.float32), graph.recall)


def neighbors_of_perplexity(perplexity: float, n_samples: int) -> int:
    """Return the number of neighbours for the affinities of a perplexity."""
    return int(min(n_samples - 1, np.ceil(NEIGHBORS_PER_UNIT * perplexity)))
