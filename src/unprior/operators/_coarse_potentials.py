"""Data and strata -> rough potentials of all samples, from some that stand for them.

Of a far stratum all samples see the same few first, those on its near side. Balancing a few samples
with each other, all pairs of them, tells who of it belongs to whom.
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
from unprior.operators._squares import Squares, near_width
from unprior.operators._strata import Strata

#: Samples that stand for all, and the fewest of a stratum, if it has so many.
LANDMARKS, FEWEST = 500, 20

#: Times that several priors take turns for every sample.
TURNS = 3

#: Squared distances to landmarks that are held at a time (8 MB of float64).
BLOCK_ENTRIES = 1_000_000


def coarse_potentials(
    data: SampleDistances,
    strata: Sequence[Strata],
    squares: Squares,
    width: float,
    n_jobs: int | None,
) -> list[Potentials]:
    """Balance landmarks among each other, and then every sample with the landmarks.

    Parameters
    ----------
    data : Prior
        The data as distances.
    strata : sequence of Strata
        Those of each prior.
    squares : Squares
        Of the data.
    width : float
        That of the potentials, in parts of the usual square of near samples.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.

    Returns
    -------
    potentials : list of Potentials
    """
    landmarks = _choose(strata)
    few = data[landmarks]
    own = [one[landmarks] for one in strata]
    among = near_width(few, squares, width)
    balanced = balance(_all_pairs(few, squares), own, among, [1.0] * len(own)).potentials
    response = Response(data, strata, squares, landmarks, balanced, among)
    n, step = data.n_samples, max(1, BLOCK_ENTRIES // len(landmarks))
    blocks = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
    found = map_blocks(response, blocks, title="balance", n_jobs=n_jobs)
    return [
        Potentials(one, np.vstack(parts))
        for one, parts in zip(strata, zip(*found, strict=True), strict=True)
    ]


def _choose(strata: Sequence[Strata]) -> Indices:
    """Return landmarks, some of every stratum."""
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
    everyone = np.arange(n)
    others = everyone[:, None] != everyone
    columns = np.broadcast_to(everyone, (n, n))[others].astype(np.int32)
    lengths = np.asarray(squares(data.to_array())[others], dtype=np.float32)
    return Candidates(np.arange(n + 1) * (n - 1), columns, lengths, recall=1.0)


@dataclass(frozen=True, eq=False)
class Response:
    """Finds potentials that balance samples with landmarks, whose own stay as they are.

    Attributes
    ----------
    data : Prior
    strata : sequence of Strata
    squares : Squares
    landmarks : ndarray of int
    balanced : list of Potentials
        Those of the landmarks, for each prior.
    width : float
    """

    data: SampleDistances
    strata: Sequence[Strata]
    squares: Squares
    landmarks: Indices
    balanced: Sequence[Potentials]
    width: float

    def __call__(self, rows: Indices) -> list[Floats]:
        """Return the potentials of some samples for each prior."""
        exponents = -self.squares(self.data.block(rows, self.landmarks)) / self.width
        exponents[rows[:, None] == self.landmarks] = -np.inf
        for one, own in zip(self.strata, self.balanced, strict=True):
            exponents += own.values[:, one.codes[rows]].T / self.width
        values = [np.zeros((len(rows), one.count + 1), dtype=np.float32) for one in self.strata]
        for _ in range(1 if len(self.strata) == 1 else TURNS):
            for one, mine in zip(self.strata, values, strict=True):
                self._take_turn(one, rows, mine, exponents)
        return values

    def _take_turn(self, strata: Strata, rows: Indices, values: Floats, exponents: Floats) -> None:
        """Give each stratum of one prior its share, in place."""
        codes = strata.codes[self.landmarks]
        shares = _shares(strata, self.landmarks, rows)
        for stratum in range(strata.count):
            here, share = np.flatnonzero(codes == stratum), shares[:, stratum]
            wanted = np.log(share, where=share > 0, out=np.zeros(len(rows)))
            # A stratum that has no share is left alone.
            missing = np.where(share > 0, wanted - _log_sum(exponents[:, here]), 0.0)
            values[:, stratum] += self.width * missing
            exponents[:, here] += missing[:, None]


def _shares(strata: Strata, landmarks: Indices, rows: Indices) -> Floats:
    """Return the share of every stratum among the landmarks, or those of a row's kept class."""
    sizes = strata[landmarks].sizes_kept()
    sizes[~sizes.any(axis=1)] = sizes[-1]  # no landmark is of this kept class
    kept = np.full(len(rows), -1) if strata.keep is None else strata.keep.codes[rows]
    return (sizes / sizes.sum(axis=1, keepdims=True))[kept]


def _log_sum(exponents: Floats) -> Floats:
    """Return the logarithm of the sum of exponentials of each row."""
    most = exponents.max(axis=1)
    most[~np.isfinite(most)] = 0  # a stratum with nobody else
    sums = np.exp(exponents - most[:, None]).sum(axis=1)
    return np.asarray(most + np.log(np.where(sums > 0, sums, 1)))
