"""Prior -> cells of similar samples, from which likely partners are drawn at little cost.

An estimate is as good as its draws hit what matters, and a pair matters to the prior by its
affinity. Samples are sorted into cells around landmarks; a sample draws its partner's cell with the
affinity between both cells, then any member. The weight of a draw is the inverse of its
probability, so that sums over draws are sums over all pairs, in expectation and whatever the cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities._bandwidths import Bandwidths, squared_block
from unprior.priors import Labels, Prior

#: Most cells; neighbourhoods of a hundredth of the samples still span some of them.
N_CELLS = 256

#: Share of the draws that come from everyone alike, so that no weight exceeds ten times theirs.
UNIFORM = 0.1


@dataclass(frozen=True)
class Cells:
    """A partition of the samples, and how likely each cell draws from each other.

    Attributes
    ----------
    of_sample : ndarray of shape (n_samples,)
        The cell of every sample.
    accept, alias : ndarray of shape (n_cells, n_cells)
        Alias tables: row a draws a cell for samples of cell a in constant time.
    scale : ndarray of shape (n_cells, n_cells)
        Size of cell b over the probability that cell a draws it.
    members : ndarray of shape (n_samples,)
        The samples, cell by cell.
    first : ndarray of shape (n_cells + 1,)
        Where in ``members`` each cell begins.
    """

    of_sample: Indices
    accept: Floats
    alias: Indices
    scale: Floats
    members: Indices
    first: Indices

    def draw(self, n_draws: int, key: np.uint64) -> tuple[Indices, Floats]:
        """Draw partners for every sample, and their weights; the key decides which."""
        from unprior.kernels._draws import draw_partners

        return draw_partners(
            self.of_sample,
            self.accept,
            self.alias,
            self.scale,
            self.members,
            self.first,
            n_draws,
            key,
        )


def class_cells(labels: Labels) -> Cells:
    """Make the classes cells that draw from themselves alone."""
    return _cells(labels.codes, np.eye(len(labels.classes)))


def prior_cells(prior: Prior, bandwidths: Bandwidths, rng: np.random.RandomState) -> Cells:
    """Sort samples to the nearest of random landmarks; cells draw by their mean affinities."""
    n = prior.n_samples
    landmarks = np.sort(rng.permutation(n)[: min(N_CELLS, max(1, n // 4))])
    nearest = np.empty(n, dtype=np.intp)
    affinity = np.zeros((len(landmarks), len(landmarks)))
    step = max(1, 4_000_000 // len(landmarks))
    for start in range(0, n, step):
        rows = np.arange(start, min(n, start + step))
        squared = squared_block(prior, rows, landmarks)
        nearest[rows] = squared.argmin(axis=1)
        excess = np.maximum(squared - bandwidths.nearest[rows, None], 0)
        conditional = np.exp(-bandwidths.precision[rows, None] * excess)
        conditional /= bandwidths.total[rows, None]
        np.add.at(affinity, nearest[rows], conditional)
    # Landmarks that coincide leave cells empty: close the ranks.
    used, of_sample = np.unique(nearest, return_inverse=True)
    affinity = affinity[np.ix_(used, used)]
    size = np.bincount(of_sample)
    between = affinity / size[:, None]
    between = (between + between.T) / 2 * size
    between /= np.maximum(between.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return _cells(of_sample, (1 - UNIFORM) * between + UNIFORM * size / n)


def _cells(of_sample: Indices, probabilities: Floats) -> Cells:
    size = np.bincount(of_sample)
    with np.errstate(divide="ignore"):
        scale = np.where(probabilities > 0, size / probabilities, 0.0)
    members = np.argsort(of_sample, kind="stable").astype(np.int32)
    tables = [_alias_table(row) for row in probabilities]
    accept, alias = (np.array(part) for part in zip(*tables, strict=True))
    return Cells(of_sample, accept, alias, scale, members, np.append(0, np.cumsum(size)))


def _alias_table(probabilities: Floats) -> tuple[Floats, Indices]:
    """Walker's alias table, by Vose's way of filling it: two lookups draw from any distribution."""
    n = len(probabilities)
    accept = probabilities * (n / probabilities.sum())
    alias = np.arange(n)
    small = [b for b in range(n) if accept[b] < 1]
    large = [b for b in range(n) if accept[b] >= 1]
    while small and large:
        poor, rich = small.pop(), large[-1]
        alias[poor] = rich
        accept[rich] -= 1 - accept[poor]
        if accept[rich] < 1:
            small.append(large.pop())
    # What rounding left over keeps itself.
    accept[[*small, *large]] = 1.0
    return accept, alias
