"""Data and strata -> coarse potentials of all samples, from balanced landmarks.

For all samples of one stratum, the nearest of a distant stratum are the same few on its near side.
Balancing all pairs of landmarks gives potentials that also lead to the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior.geometry import SampleDistances
from unprior.operators._candidates import Candidates
from unprior.operators._sinkhorn import Potentials, balance
from unprior.operators._squares import Squares, kernel_width
from unprior.operators._strata import Strata

#: Number of landmarks, and the smallest number in each stratum (if it has that many).
LANDMARKS, FEWEST = 500, 20

#: Iterations over several priors for each sample.
ROUNDS = 3

#: Largest number of squared distances to landmarks held at a time (8 MB).
BLOCK_ENTRIES = 1_000_000


def coarse_potentials(
    data: SampleDistances,
    strata: Sequence[Strata],
    squares: Squares,
    width: float,
    n_jobs: int | None,
) -> list[Potentials]:
    """Balance the landmarks with each other, and then every sample with the landmarks.

    ``width`` is ε as a fraction of the typical squared distance to a near neighbour. The result
    does not depend on ``n_jobs``, the number of threads.
    """
    landmarks = _choose(strata)
    chosen = data[landmarks]
    chosen_strata = [one[landmarks] for one in strata]
    epsilon = kernel_width(chosen, squares, width)
    pairs = _all_pairs(chosen, squares)
    balanced = balance(pairs, chosen_strata, epsilon, [1.0] * len(strata)).potentials
    extension = Extension(data, strata, squares, landmarks, balanced, epsilon)
    n, step = data.n_samples, max(1, BLOCK_ENTRIES // len(landmarks))
    blocks = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
    found = map_blocks(extension, blocks, title="balance", n_jobs=n_jobs)
    return [
        Potentials(one, np.vstack(parts))
        for one, parts in zip(strata, zip(*found, strict=True), strict=True)
    ]


def _choose(strata: Sequence[Strata]) -> Indices:
    """Return landmarks, several of every stratum."""
    order = np.random.default_rng(0).permutation(strata[0].n_samples)
    chosen = [order[:LANDMARKS]]
    for one in strata:
        codes = one.codes[order]
        by_stratum = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[by_stratum], np.arange(one.count))
        rank = np.arange(len(order)) - starts[codes[by_stratum]]
        chosen.append(order[by_stratum[rank < FEWEST]])
    return np.unique(np.concatenate(chosen))


def _all_pairs(data: SampleDistances, squares: Squares) -> Candidates:
    n = data.n_samples
    samples = np.arange(n)
    others = samples[:, None] != samples
    columns = np.broadcast_to(samples, (n, n))[others].astype(np.int32)
    lengths = np.asarray(squares(data.to_array())[others], dtype=np.float32)
    return Candidates(np.arange(n + 1) * (n - 1), columns, lengths, recall=1.0)


@dataclass(frozen=True, eq=False)
class Extension:
    """Extends the potentials of landmarks, which stay fixed, to all samples.

    Attributes
    ----------
    data : SampleDistances
    strata : sequence of Strata
    squares : Squares
    landmarks : ndarray of int
    balanced : list of Potentials
        Those of the landmarks, one for each prior.
    width : float
    """

    data: SampleDistances
    strata: Sequence[Strata]
    squares: Squares
    landmarks: Indices
    balanced: Sequence[Potentials]
    width: float

    def __call__(self, rows: Indices) -> list[Floats]:
        """Return the potentials of the samples in ``rows``, for each prior."""
        exponents = -self.squares(self.data.block(rows, self.landmarks)) / self.width
        exponents[rows[:, None] == self.landmarks] = -np.inf
        for one, potentials in zip(self.strata, self.balanced, strict=True):
            exponents += potentials.values[:, one.codes[rows]].T / self.width
        values = [np.zeros((len(rows), one.count + 1), dtype=np.float32) for one in self.strata]
        for _ in range(1 if len(self.strata) == 1 else ROUNDS):
            for one, found in zip(self.strata, values, strict=True):
                self._update(one, rows, found, exponents)
        return values

    def _update(self, strata: Strata, rows: Indices, values: Floats, exponents: Floats) -> None:
        """Give each stratum of one prior its share, in place."""
        codes = strata.codes[self.landmarks]
        shares = _shares(strata, self.landmarks, rows)
        for stratum in range(strata.count):
            columns, share = np.flatnonzero(codes == stratum), shares[:, stratum]
            target = np.log(share, where=share > 0, out=np.zeros(len(rows)))
            # A stratum without a share keeps its potential.
            change = np.where(share > 0, target - _log_sum(exponents[:, columns]), 0.0)
            values[:, stratum] += self.width * change
            exponents[:, columns] += change[:, None]


def _shares(strata: Strata, landmarks: Indices, rows: Indices) -> Floats:
    """Return the share of every stratum among the landmarks (of a row's kept class, if any)."""
    sizes = strata[landmarks].sizes_kept()
    sizes[~sizes.any(axis=1)] = sizes[-1]  # no landmark is of this kept class
    kept = np.full(len(rows), -1) if strata.keep is None else strata.keep.codes[rows]
    return (sizes / sizes.sum(axis=1, keepdims=True))[kept]


def _log_sum(exponents: Floats) -> Floats:
    """Return the logarithm of the sum of exponentials of each row."""
    most = exponents.max(axis=1)
    most[~np.isfinite(most)] = 0  # a stratum without other samples
    sums = np.exp(exponents - most[:, None]).sum(axis=1)
    return np.asarray(most + np.log(np.where(sums > 0, sums, 1)))
