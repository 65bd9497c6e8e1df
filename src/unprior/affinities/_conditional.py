"""Affinities and weights of pairs given labels, for ct-SNE and revised ct-SNE.

Samples with the same label often fill the whole neighbourhood of a sample, and then nothing else
attracts it. So revised ct-SNE takes half of the neighbours from samples with other labels, and
gives pairs with the same label a smaller weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.affinities._affinities import Affinities
from unprior.affinities._entropic import calibrate_rows
from unprior.neighbors import KNNGraph, smallest, sort_nearest
from unprior.priors import Labels

#: Largest number of distances that one thread holds at a time (16 MB).
BLOCK_ENTRIES = 2_000_000


@dataclass(frozen=True)
class PairWeights:
    """Weights of pairs with the same label and with different labels, with mean 1 over all pairs.

    ct-SNE applies them to the map (A same, B other), revised ct-SNE to the data (α same, β other).
    One weight determines the other.

    Examples
    --------
    >>> from unprior import priors
    >>> PairWeights.from_other(priors.labels(["a", "a", "b", "b"]), 0.5)
    PairWeights(same=2.0, other=0.5)
    """

    same: float
    other: float

    @classmethod
    def from_other(cls, labels: Labels, other: float) -> PairWeights:
        """Return the weights with a given weight of pairs with different labels."""
        share = same_label_share(labels)
        return cls((1 - other * (1 - share)) / share, float(other))

    @classmethod
    def from_same(cls, labels: Labels, same: float) -> PairWeights:
        """Return the weights with a given weight of pairs with the same label."""
        share = same_label_share(labels)
        return cls(float(same), (1 - same * share) / (1 - share))


def same_label_share(labels: Labels) -> float:
    """Return the fraction of all pairs that have the same label (ρ)."""
    n = labels.n_samples
    return float((labels.counts * (labels.counts - 1)).sum() / (n * (n - 1)))


def conditional_affinities(
    distances: PairwiseDistances,
    labels: Labels,
    perplexity: float,
    same_label_weight: float,
    *,
    n_jobs: int | None = None,
) -> Affinities:
    r"""Return affinities to balanced neighbours, scaled down for the same label.

    .. math:: \tilde p_{j|i} \propto a_{ij} p_{j|i}, \qquad
              \tilde p_{ij} = (\tilde p_{j|i} + \tilde p_{i|j}) / 2n

    Bandwidths are those of the plain :math:`p_{j|i}` over the same neighbours.

    Parameters
    ----------
    distances : PairwiseDistances
        The data.
    labels : Labels
        The prior.
    perplexity : float
        Effective number of neighbours; three times as many are found.
    same_label_weight : float
        Weight of pairs with the same label (α), in (0, 1]; it determines the other weight (β).
    n_jobs : int, optional
        Number of threads. The result does not depend on it.

    Returns
    -------
    affinities : Affinities
    """
    n = distances.n_samples
    k = min(int(np.ceil(3 * perplexity)), n - 1)
    graph = balanced_neighbors(distances, labels, k, n_jobs=n_jobs)
    conditional = np.array(graph.distances)
    calibrate_rows(conditional, perplexity)
    weights = PairWeights.from_same(labels, same_label_weight)
    same = labels.codes[graph.indices] == labels.codes[:, None]
    conditional *= np.where(same, weights.same, weights.other)
    conditional /= conditional.sum(axis=1, keepdims=True)
    starts = np.arange(0, n * k + 1, k)
    return Affinities.from_conditional(
        csr_array((conditional.ravel(), graph.indices.ravel(), starts), shape=(n, n))
    )


def balanced_neighbors(
    distances: PairwiseDistances, labels: Labels, k: int, *, n_jobs: int | None = None
) -> KNNGraph:
    """Find k neighbours of each sample, half of them with its own label, half with others.

    If k is odd, the larger half has the sample's own label. If either half has too few samples, all
    of them are taken, and more of the other.

    Parameters
    ----------
    distances : PairwiseDistances
        The data.
    labels : Labels
        The label of each sample.
    k : int
        Number of neighbours of each sample, not counting itself.
    n_jobs : int, optional
        Number of threads, in joblib's sense. The result does not depend on it.

    Returns
    -------
    graph : KNNGraph

    Examples
    --------
    >>> from unprior import priors
    >>> labels = priors.labels(["a", "a", "a", "b", "b"])
    >>> balanced_neighbors(priors.features([0.0, 1.0, 2.0, 9.0, 10.0]), labels, 2).indices
    array([[1, 3],
           [0, 3],
           [1, 3],
           [4, 2],
           [3, 2]])
    """
    n = labels.n_samples
    step = max(1, BLOCK_ENTRIES // n)
    blocks = [
        members[start : start + step]
        for members in (np.flatnonzero(labels.codes == c) for c in range(len(labels.classes)))
        for start in range(0, len(members), step)
    ]
    found = map_blocks(
        partial(_search, distances, labels.codes, k), blocks, title="neighbours", n_jobs=n_jobs
    )
    back = np.argsort(np.concatenate(blocks))
    indices, lengths = (np.vstack(parts)[back] for parts in zip(*found, strict=True))
    return KNNGraph(indices, lengths)


def _search(
    distances: PairwiseDistances, codes: Indices, k: int, rows: Indices
) -> tuple[Indices, Floats]:
    """Find the balanced neighbours of some rows, all with the same label."""
    block = np.array(distances.block(rows, np.arange(len(codes))), dtype=np.float64)
    block[np.arange(len(rows)), rows] = np.inf
    has_label = codes == codes[rows[0]]
    same, other = np.flatnonzero(has_label), np.flatnonzero(~has_label)
    n_other = min(k - min((k + 1) // 2, len(same) - 1), len(other))
    halves = (same, k - n_other), (other, n_other)
    indices = np.hstack([_nearest(block, rows, columns, count) for columns, count in halves])
    lengths = np.take_along_axis(block, indices, axis=1)
    order = sort_nearest(rows, indices, lengths)
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(lengths, order, axis=1)


def _nearest(block: Floats, rows: Indices, columns: Indices, count: int) -> Indices:
    """Return the nearest columns of each row, among some columns."""
    if count == 0:
        return np.empty((len(block), 0), dtype=np.intp)
    return columns[smallest(block[:, columns], count, rows, columns)]
