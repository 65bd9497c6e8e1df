r"""Candidates and strata -> potentials that give each stratum its share of affinities.

With potentials g, the affinity of two candidates is
:math:`p_{ij} = \exp((\sum_z (g^z_i(s^z_j) + g^z_j(s^z_i)) - d_{ij}^2) / \varepsilon)`, with the
stratum :math:`s^z_j` of sample j in prior z. The potentials are chosen so that each stratum gets
its share of every sample's affinities. This is Sinkhorn's iteration for each pair of strata, as in
entropic optimal transport. p is symmetric and every sample has the same total, so that none becomes
a hub. Several priors are updated in turn, as in iterative proportional fitting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from unprior._typing import Floats, Indices
from unprior.operators._candidates import Candidates
from unprior.operators._strata import Strata

#: Largest number of iterations, and the mean relative error of shares at which they stop. More
#: would also match outliers of the strata that have nothing else in common: with 20 iterations maps
#: of 35 cases scored .648, with these .653.
ROUNDS, TOLERANCE = 5, 0.01

#: Iterations at each broader width. A sample far from a stratum has almost no affinity to it, so
#: that iterations at the final width alone would hardly change its potential. At a broad width all
#: affinities count, and the potentials are a good start for half the width. 2 iterations are too
#: few for distant classes.
BROAD_ROUNDS = 4

#: The broadest width is BROADEST times the MOST quantile of squared distances between candidates.
BROADEST, MOST = 0.25, 0.9


@dataclass(frozen=True, eq=False)
class Potentials:
    """What is subtracted from squared distances, for every sample and stratum of one prior.

    Attributes
    ----------
    strata : Strata
    values : ndarray of shape (n_samples, n_strata + 1)
        The last column is for the sample's own class, if that shares a stratum with others.
    """

    strata: Strata
    values: Floats

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.strata.n_samples

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Sums of the potentials of each row and column."""
        i, j = np.broadcast_arrays(np.asarray(rows)[:, None], np.asarray(cols))
        return self.pairs(i, j)

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Sums of both potentials of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        i, j = np.asarray(i), np.asarray(j)
        of_i = self.values[i, self.strata.groups(i, j)]
        return np.asarray(of_i + self.values[j, self.strata.groups(j, i)], dtype=np.float64)


class Balance(NamedTuple):
    """The potentials and target shares of each prior.

    Attributes
    ----------
    potentials : list of Potentials
    shares : list of ndarray of shape (n_samples, n_strata + 1)
        The target share of every stratum in each sample's affinities.
    error : float
        Mean relative error of the shares.
    """

    potentials: list[Potentials]
    shares: list[Floats]
    error: float


def balance(
    candidates: Candidates,
    strata: Sequence[Strata],
    width: float,
    strengths: Sequence[float],
) -> Balance:
    """Return the potentials of each prior at which every stratum has its share.

    Parameters
    ----------
    candidates : Candidates
    strata : sequence of Strata
        One for each prior.
    width : float
        ε: if squared distances differ by this, p differs by a factor of e.
    strengths : sequence of float
        How strongly each prior is factored out. Target shares are interpolated linearly between
        those in the plain data (0) and the shares of the samples (1).

    Returns
    -------
    balance : Balance
    """
    target_shares = _target_shares(candidates, strata, width, strengths)
    potentials = [_start(candidates, one, len(strata)) for one in strata]
    error = _iterate(candidates, potentials, target_shares, width)
    return Balance(potentials, target_shares, error)


def shifts_of(candidates: Candidates, potentials: Sequence[Potentials]) -> Floats:
    """Return the sums of potentials that are subtracted from the square of every candidate pair."""
    from unprior.kernels._balance import add_potentials

    shifts = np.zeros(len(candidates.columns), dtype=np.float32)
    for one in potentials:
        add_potentials(
            candidates.starts, candidates.columns, _codes(one.strata), one.values, shifts
        )
    return shifts


def _codes(strata: Strata) -> tuple[Any, Any]:
    return strata.codes, strata.classes


def _start(candidates: Candidates, strata: Strata, n_priors: int) -> Potentials:
    from unprior.kernels._balance import start_potentials

    values = np.empty((strata.n_samples, strata.count + 1), dtype=np.float32)
    start_potentials(candidates.arrays, _codes(strata), values)
    return Potentials(strata, values / np.float32(n_priors))


def _target_shares(
    candidates: Candidates,
    strata: Sequence[Strata],
    width: float,
    strengths: Sequence[float],
) -> list[Floats]:
    """Return the target share of every group of each prior in every sample's affinities."""
    shares = [one.shares() for one in strata]
    if min(strengths) == 1:
        return shares
    # Shares in the plain data: all samples are a single stratum, so that only hubs are balanced.
    zeros = np.zeros(candidates.n_samples, dtype=np.int32)
    single = Strata(zeros, zeros - 1)
    plain_potentials = [_start(candidates, single, 1)]
    _iterate(candidates, plain_potentials, [single.shares()], width)
    shifts = shifts_of(candidates, plain_potentials)
    blended = []
    for one, share, strength in zip(strata, shares, strengths, strict=True):
        none = Potentials(one, np.zeros(share.shape, dtype=np.float32))
        plain = np.exp(_log_totals(candidates, none, width, shifts))
        # Few iterations leave the totals of outliers off by up to a third.
        plain /= plain.sum(axis=1, keepdims=True)
        blended.append((strength * share + (1 - strength) * plain).astype(np.float32))
    return blended


def _log_totals(
    candidates: Candidates, potentials: Potentials, width: float, shifts: Floats
) -> Floats:
    """Return the logarithm of each sample's total affinity to every group."""
    from unprior.kernels._balance import log_totals

    logs = np.empty(potentials.values.shape)
    codes = _codes(potentials.strata)
    log_totals(candidates.arrays, codes, width, potentials.values, shifts, logs)
    return logs


def _iterate(
    candidates: Candidates,
    potentials: Sequence[Potentials],
    target_shares: Sequence[Floats],
    width: float,
) -> float:
    """Run Sinkhorn's iteration in place; return the mean relative error of shares.

    Updates of one prior partly undo those of another, so several priors take more iterations.
    """
    error = np.inf
    for broader in _broader_widths(candidates, width):
        for _ in range(BROAD_ROUNDS * len(potentials)):
            _sinkhorn_step(candidates, potentials, target_shares, broader)
    for _ in range(ROUNDS * len(potentials) ** 2):
        error = _sinkhorn_step(candidates, potentials, target_shares, width)
        if error <= TOLERANCE:
            break
    return error


def _broader_widths(candidates: Candidates, width: float) -> Floats:
    """Return widths broader than the final one in descending order, each half of the one before."""
    broadest = BROADEST * float(np.quantile(candidates.squares, MOST))
    halvings = int(np.ceil(np.log2(broadest / width))) if broadest > width else 0
    return np.asarray(width * 2.0 ** np.arange(halvings, 0, -1))


def _sinkhorn_step(
    candidates: Candidates,
    potentials: Sequence[Potentials],
    target_shares: Sequence[Floats],
    width: float,
) -> float:
    """Update the potentials of all priors in turn; return the mean relative error before."""
    errors, no_shifts = [], np.empty(0, dtype=np.float32)
    for number, (one, share) in enumerate(zip(potentials, target_shares, strict=True)):
        others = [*potentials[:number], *potentials[number + 1 :]]
        shifts = shifts_of(candidates, others) if others else no_shifts
        logs = _log_totals(candidates, one, width, shifts)
        # Groups without candidates keep their potential.
        present = np.isfinite(logs) & (share > 0)
        change = np.zeros_like(logs)
        np.subtract(np.log(share, where=present, out=change), logs, where=present, out=change)
        errors.append(float(np.abs(np.expm1(-np.abs(change[present]))).mean()))
        # The potentials of both samples of a pair change, so each by half.
        one.values[...] += np.float32(width / 2) * change
    return max(errors)
