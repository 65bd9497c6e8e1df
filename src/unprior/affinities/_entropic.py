"""Distances -> affinities of a given perplexity, over all samples or over nearest neighbours."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from unprior._memory import check_square_fits
from unprior._typing import Floats, PairwiseDistances
from unprior.affinities._affinities import Affinities
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.priors import Labels, Prior

#: Entries of the distance block that is squared and calibrated at a time (64 MB).
BLOCK_ENTRIES = 8_000_000


def dense_affinities(
    distances: PairwiseDistances, perplexity: float, *, who: str = "dense_affinities"
) -> Affinities:
    r"""Affinities of every sample to every other one, as an n × n array.

    .. math:: p_{j|i} \propto \exp(-d_{ij}^2 / 2 \sigma_i^2), \qquad
              p_{ij} = (p_{j|i} + p_{i|j}) / 2n,

    with :math:`\sigma_i` such that row i has the given perplexity :math:`2^{H_i}`. Where ties make
    it unreachable, the row is uniform over the nearest, tied samples; where there are too few
    samples, uniform over all of them.

    Parameters
    ----------
    distances : PairwiseDistances
        Data or prior, as distances in blocks.
    perplexity : float
        Effective number of neighbours.
    who : str, default="dense_affinities"
        Whose name begins the error if n × n arrays do not fit into memory.

    Returns
    -------
    affinities : Affinities
    """
    n = distances.n_samples
    check_square_fits(who, n, n_arrays=2)
    everyone, step = np.arange(n), max(1, BLOCK_ENTRIES // n)
    conditional = np.empty((n, n))
    for start in range(0, n, step):
        rows = everyone[start : start + step]
        conditional[rows] = distances.block(rows, everyone)
        conditional[rows, rows] = np.inf
        calibrate_rows(conditional[rows[0] : rows[-1] + 1], perplexity)
    return Affinities.from_conditional(conditional)


def data_affinities(
    distances: PairwiseDistances,
    perplexity: float,
    *,
    n_jobs: int | None = None,
    who: str = "data_affinities",
) -> Affinities:
    """Affinities over nearest neighbours if the perplexity is small against n, else over all.

    Beyond three neighbours for each unit of perplexity affinities are negligible, and a tenth of
    the pairs is where sparse sums stop being the quicker ones. ``n_jobs`` threads search for the
    neighbours; the result does not depend on it.
    """
    k = int(np.ceil(3 * perplexity))
    if k > distances.n_samples / 10:
        return dense_affinities(distances, perplexity, who=who)
    return sparse_affinities(find_neighbors(distances, k, n_jobs=n_jobs), perplexity)


def sparse_affinities(graph: KNNGraph, perplexity: float) -> Affinities:
    """Affinities of every sample to its nearest neighbours, as a sparse array.

    Parameters
    ----------
    graph : KNNGraph
        Neighbours and their distances; three for each unit of perplexity are customary.
    perplexity : float
        Effective number of neighbours.

    Returns
    -------
    affinities : Affinities
        In single precision, since their memory is most of what a map takes.
    """
    n, k = graph.indices.shape
    conditional = np.array(graph.distances, dtype=np.float64)
    calibrate_rows(conditional, perplexity)
    index = np.int32 if n * k <= np.iinfo(np.int32).max else np.int64
    indices = graph.indices.ravel().astype(index, copy=False)
    starts = np.arange(0, n * k + 1, k, dtype=index)
    values = conditional.ravel().astype(np.float32)
    del conditional  # the sums to come take memory enough
    matrix = csr_array((values, indices, starts), shape=(n, n))
    return Affinities.from_conditional(matrix)


def calibrate_rows(rows: Floats, perplexity: float) -> None:
    """Turn rows of distances, in place, into conditional affinities; infinite ones become zero."""
    from unprior.kernels._perplexity import find_bandwidths

    # Perplexity knows no unit: distances near one keep their squares from over- or underflowing.
    largest = rows[np.isfinite(rows)].max()
    if largest > 0:
        rows /= largest
    np.square(rows, out=rows)
    precision, nearest, total = find_bandwidths(rows, np.log(perplexity))
    # A row may have nobody at a finite distance, and then stays empty.
    rows -= np.where(np.isfinite(nearest), nearest, 0)[:, None]
    rows *= -precision[:, None]
    np.exp(rows, out=rows)
    rows /= np.where(total > 0, total, 1)[:, None]


def prior_affinities(prior: Prior, perplexity: float) -> Affinities:
    """Affinities of a prior: uniform within classes for labels, of a perplexity otherwise."""
    if isinstance(prior, Labels):
        return label_affinities(prior)
    return dense_affinities(prior, perplexity)


def label_affinities(labels: Labels) -> Affinities:
    """Affinities of labels: every other sample of the class alike, and no one else.

    Labels have no scale, so no perplexity applies: this is the limit of a narrow kernel, whatever
    the sizes of the classes. A sample alone in its class knows no neighbour; its row is empty.
    """
    conditional = (labels.codes[:, None] == labels.codes).astype(np.float64)
    np.fill_diagonal(conditional, 0)
    mates = conditional.sum(axis=1, keepdims=True)
    conditional /= np.maximum(mates, 1)
    return Affinities.from_conditional(conditional)
