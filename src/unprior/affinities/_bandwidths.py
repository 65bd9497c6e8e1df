"""Distances -> a bandwidth for every sample, from a random part of the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import Curve, SampleDistances

#: Entries of the block of distances that is held at a time (64 MB).
BLOCK_ENTRIES = 8_000_000

#: Neighbours, as perplexity counts them, that a random part of the samples should hold; and the
#: least size of that part. With a thousand samples, errors of the bandwidths changed maps.
EFFECTIVE, LEAST = 100, 5000


@dataclass(frozen=True)
class Bandwidths:
    """What turns a distance into p_{j|i} = exp(−precision_i (d² − nearest_i)) / total_i.

    Attributes
    ----------
    precision : ndarray of shape (n_samples,)
        1 / 2σ².
    nearest : ndarray of shape (n_samples,)
        The smallest squared distance seen.
    total : ndarray of shape (n_samples,)
        The sum over all other samples, extrapolated from those seen.
    """

    precision: Floats
    nearest: Floats
    total: Floats

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """All three, in the order in which compiled loops take them."""
        return self.precision, self.nearest, self.total

    def scaled(self, factor: float) -> Bandwidths:
        """Return bandwidths of affinities that are all larger by a factor."""
        return replace(self, total=self.total / factor)


@dataclass(frozen=True)
class Seen:
    """Some samples, the columns drawn for them, and the squared distances between both."""

    rows: Indices
    columns: Indices
    squared: Floats


def n_columns(n_samples: int, perplexity: float) -> int:
    """Columns to draw so that a neighbourhood of this perplexity is seen well enough."""
    return int(min(n_samples, max(LEAST, EFFECTIVE * n_samples / perplexity)))


def find_bandwidths(
    distances: SampleDistances, perplexity: float, rng: np.random.RandomState
) -> Bandwidths:
    """Calibrate every sample on a random part of the others, drawn afresh for every block."""
    from unprior.kernels import _perplexity

    n = distances.n_samples
    found = np.empty((3, n))
    for seen in draw_blocks(distances, n_columns(n, perplexity), rng):
        share = len(seen.columns) / n
        found[:, seen.rows] = _perplexity.find_bandwidths(seen.squared, np.log(perplexity * share))
        found[2, seen.rows] /= share
    return Bandwidths(*found)


def draw_blocks(distances: SampleDistances, m: int, rng: np.random.RandomState) -> Iterator[Seen]:
    """Go through all samples, some at a time, each block with m columns of its own."""
    n = distances.n_samples
    step = max(1, BLOCK_ENTRIES // m)
    for start in range(0, n, step):
        rows = np.arange(start, min(n, start + step))
        columns = np.arange(n) if m == n else np.sort(_choose(n, m, rng))
        squared = squared_block(distances, rows, columns)
        squared[rows[:, None] == columns] = np.inf
        yield Seen(rows, columns, squared)


def squared_block(distances: SampleDistances, rows: Indices, columns: Indices) -> Floats:
    """Squared distances, by matrix products where points allow: quick, and exact enough here."""
    points = distances.points()
    if points is None or points.curve is not Curve.LINE:
        return np.square(distances.block(rows, columns))
    a, b = points.values[rows], points.values[columns]
    middle = b.mean(axis=0)
    a, b = a - middle, b - middle
    squared = a @ b.T
    squared *= -2
    squared += np.einsum("ij,ij->i", a, a)[:, None]
    squared += np.einsum("ij,ij->i", b, b)
    np.maximum(squared, 0, out=squared)
    return squared.astype(np.float64, copy=False)


def _choose(n: int, m: int, rng: np.random.RandomState) -> Indices:
    """Draw m different samples without permuting all n."""
    drawn = np.unique(rng.randint(n, size=int(1.2 * m) + 10))
    while len(drawn) < m:
        drawn = np.unique(np.append(drawn, rng.randint(n, size=m)))
    return drawn if len(drawn) == m else drawn[np.sort(rng.permutation(len(drawn))[:m])]
