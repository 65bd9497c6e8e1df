"""Distances -> affinities at a given perplexity, over all samples or over nearest neighbours."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from unprior._memory import check_square_fits
from unprior._typing import Floats, Indices, PairwiseDistances
from unprior._warnings import UnpriorWarning, caller_level
from unprior.affinities._affinities import Affinities
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.priors import Prior

#: Largest number of distances calibrated at a time (64 MB).
BLOCK_ENTRIES = 8_000_000

#: Smallest perplexity of "auto".
LEAST = 2.0


def dense_affinities(
    distances: PairwiseDistances, perplexity: float, *, who: str = "dense_affinities"
) -> Affinities:
    r"""Return the affinities between all samples, as an n × n array.

    .. math:: p_{j|i} \propto \exp(-d_{ij}^2 / 2 \sigma_i^2), \qquad
              p_{ij} = (p_{j|i} + p_{i|j}) / 2n,

    with :math:`\sigma_i` such that row i has the given perplexity :math:`2^{H_i}`. If ties make
    that impossible, the row is uniform over the nearest, tied samples; if there are too few
    samples, uniform over all of them.

    Parameters
    ----------
    distances : PairwiseDistances
        Data or prior.
    perplexity : float
        Effective number of neighbours.
    who : str, default="dense_affinities"
        Name at the beginning of the error if n × n arrays do not fit into memory.

    Returns
    -------
    affinities : Affinities
    """
    n = distances.n_samples
    check_square_fits(who, n, n_arrays=2)
    columns, step = np.arange(n), max(1, BLOCK_ENTRIES // n)
    conditional = np.empty((n, n))
    for start in range(0, n, step):
        rows = columns[start : start + step]
        conditional[rows] = distances.block(rows, columns)
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
    """Return affinities over nearest neighbours if the perplexity is small relative to n, else all.

    Beyond three neighbours per unit of perplexity affinities are negligible. Sparse sums are faster
    up to a tenth of the pairs. The result does not depend on ``n_jobs``, the number of threads.
    """
    k = int(np.ceil(3 * perplexity))
    if k > distances.n_samples / 10:
        return dense_affinities(distances, perplexity, who=who)
    return sparse_affinities(find_neighbors(distances, k, n_jobs=n_jobs), perplexity)


def sparse_affinities(graph: KNNGraph, perplexity: float) -> Affinities:
    """Return the affinities of each sample to its nearest neighbours, as a sparse array.

    Parameters
    ----------
    graph : KNNGraph
        Neighbours and their distances; usually three per unit of perplexity.
    perplexity : float
        Effective number of neighbours.

    Returns
    -------
    affinities : Affinities
        In single precision, since they take most of the memory of a fit.
    """
    n, k = graph.indices.shape
    conditional = np.array(graph.distances, dtype=np.float64)
    calibrate_rows(conditional, perplexity)
    index = np.int32 if n * k <= np.iinfo(np.int32).max else np.int64
    indices = graph.indices.ravel().astype(index, copy=False)
    starts = np.arange(0, n * k + 1, k, dtype=index)
    values = conditional.ravel().astype(np.float32)
    del conditional  # frees memory for the sums below
    matrix = csr_array((values, indices, starts), shape=(n, n))
    return Affinities.from_conditional(matrix)


def calibrate_rows(rows: Floats, perplexity: float) -> None:
    """Turn rows of distances into conditional affinities, in place; infinite ones become 0."""
    from unprior.kernels._perplexity import find_bandwidths

    # Perplexity does not depend on scale; distances near 1 keep squares from over- and underflow.
    largest = rows[np.isfinite(rows)].max()
    if largest > 0:
        rows /= largest
    np.square(rows, out=rows)
    precision, nearest, total = find_bandwidths(rows, np.log(perplexity))
    # A row without finite distances stays empty.
    rows -= np.where(np.isfinite(nearest), nearest, 0)[:, None]
    rows *= -precision[:, None]
    np.exp(rows, out=rows)
    rows /= np.where(total > 0, total, 1)[:, None]


def prior_affinities(prior: Prior, perplexity: float) -> Affinities:
    """Return the affinities of a prior: uniform within classes for labels, else at a perplexity."""
    codes = prior.class_codes
    return dense_affinities(prior, perplexity) if codes is None else label_affinities(codes)


def label_affinities(codes: Indices) -> Affinities:
    """Return the affinities of labels, given as numbers: uniform within classes, 0 between them.

    Labels have no scale, so no perplexity applies: this is the limit of a narrow kernel. The
    row of a sample alone in its class is empty.
    """
    conditional = (codes[:, None] == codes).astype(np.float64)
    np.fill_diagonal(conditional, 0)
    n_others = conditional.sum(axis=1, keepdims=True)
    conditional /= np.maximum(n_others, 1)
    return Affinities.from_conditional(conditional)


def resolve_perplexity(
    who: str, name: str, perplexity: float | Literal["auto"], n_samples: int, share: float
) -> float:
    """Return a valid perplexity for n samples; "auto" is ``share`` times n.

    More than a third of the other samples is reduced to a third, with a warning: neighbourhoods of
    nearly all samples contain no information.

    Examples
    --------
    >>> resolve_perplexity("JEDI", "perplexity", "auto", 1000, share=1 / 5)
    200.0
    """
    most = (n_samples - 1) / 3
    if perplexity == "auto":
        return min(max(LEAST, n_samples * share), max(1.0, most))
    if perplexity > most:
        most = max(1.0, most)
        warnings.warn(
            f"{who}: {name!r} of {perplexity:g} is too large for {n_samples} samples; "
            f"{most:.3g} is used instead.",
            UnpriorWarning,
            stacklevel=caller_level(),
        )
        return most
    return float(perplexity)
