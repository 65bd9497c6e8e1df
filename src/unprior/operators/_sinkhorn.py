r"""Candidates and strata -> potentials that give each stratum its share of every sample's nearness.

With potentials g, the nearness of two candidates is
:math:`p_{ij} = \exp((\sum_z (g^z_i(s^z_j) + g^z_j(s^z_i)) - d_{ij}^2) / \varepsilon)`, with the
stratum :math:`s^z_j` of sample j in prior z. They are such that of every sample's nearness to the
others each stratum gets its share. It is what Sinkhorn's iteration finds between each two strata,
as for entropic optimal transport. p is symmetric, so that nobody is near to more than others are.
Several priors take turns, each at what the others leave, as in iterative proportional fitting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from unprior._typing import Floats, Indices
from unprior.operators._candidates import Candidates
from unprior.operators._strata import Strata

#: Rounds at most, and the mean relative error of shares at which they end. More rounds would match
#: the last samples of each stratum, and so draw together what is alike in nothing else: with 20 of
#: them maps of 35 cases scored .648, with these .653.
ROUNDS, TOLERANCE = 5, 0.01

#: Rounds at each broader width. A sample far from a stratum has almost no nearness to it, so that
#: rounds at the final width alone would hardly move it. At a broad width everything is near, and
#: what is found there is a good start for half the width. 2 rounds are too few for far classes.
BROAD_ROUNDS = 4

#: The broadest width is this part of the squared distance within which most candidates are.
BROADEST, MOST = 0.25, 0.9


@dataclass(frozen=True, eq=False)
class Potentials:
    """By how much squared distances are shortened, for every sample and stratum of one prior.

    Attributes
    ----------
    strata : Strata
    values : ndarray of shape (n_samples, n_strata + 1)
        The last column is for samples of the own class, if that shares a stratum with others.
    """

    strata: Strata
    values: Floats

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.strata.n_samples

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Sums of the potentials at both ends of every row and every column."""
        i, j = np.broadcast_arrays(np.asarray(rows)[:, None], np.asarray(cols))
        return self.pairs(i, j)

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Sums of the potentials at both ends of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        i, j = np.asarray(i), np.asarray(j)
        away = self.values[i, self.strata.groups(i, j)]
        return np.asarray(away + self.values[j, self.strata.groups(j, i)], dtype=np.float64)


class Balance(NamedTuple):
    """What was found for each prior.

    Attributes
    ----------
    potentials : list of Potentials
    shares : list of ndarray of shape (n_samples, n_strata + 1)
        What every stratum is to have of each sample's nearness.
    error : float
        How far shares are off, relative to themselves, on average.
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
    """Return potentials of each prior at which every stratum has its share.

    Parameters
    ----------
    candidates : Candidates
    strata : sequence of Strata
        Those of each prior.
    width : float
        Squared distances that differ by this make p differ by the factor e.
    strengths : sequence of float
        How strongly each prior is factored out. What every stratum is to have goes evenly from
        what it has anyway, at 0, to its share of the samples, at 1.

    Returns
    -------
    balance : Balance
    """
    wanted = _wanted(candidates, strata, width, strengths)
    potentials = [_start(candidates, one, len(strata)) for one in strata]
    return Balance(potentials, wanted, _take_turns(candidates, potentials, wanted, width))


def shifts_of(candidates: Candidates, potentials: Sequence[Potentials]) -> Floats:
    """Return what the potentials of some priors take off the square of every candidate pair."""
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


def _wanted(
    candidates: Candidates,
    strata: Sequence[Strata],
    width: float,
    strengths: Sequence[float],
) -> list[Floats]:
    """Return the share that every group of each prior is to have of every sample's nearness."""
    shares = [one.shares() for one in strata]
    if min(strengths) == 1:
        return shares
    # With a single stratum there is nothing to balance.
    nothing = np.zeros(candidates.n_samples, dtype=np.int32)
    everyone = Strata(nothing, nothing - 1)
    even = [_start(candidates, everyone, 1)]
    _take_turns(candidates, even, [everyone.shares()], width)
    beside = shifts_of(candidates, even)
    blended = []
    for one, share, strength in zip(strata, shares, strengths, strict=True):
        values = np.zeros(share.shape, dtype=np.float32)
        plain = np.exp(_nearness(candidates, Potentials(one, values), width, beside))
        blended.append((strength * share + (1 - strength) * plain).astype(np.float32))
    return blended


def _nearness(
    candidates: Candidates, potentials: Potentials, width: float, beside: Floats
) -> Floats:
    """Return the logarithm of every group's nearness to each sample."""
    from unprior.kernels._balance import measure_groups

    logs = np.empty(potentials.values.shape)
    task = candidates.arrays, _codes(potentials.strata), width, potentials.values
    measure_groups(*task, beside, logs)
    return logs


def _take_turns(
    candidates: Candidates,
    potentials: Sequence[Potentials],
    wanted: Sequence[Floats],
    width: float,
) -> float:
    """Balance prior after prior, in place; the mean relative error of shares.

    Priors undo a part of each other's turns, so several of them take more rounds.
    """
    error = np.inf
    for broader in _broader_widths(candidates, width):
        for _ in range(BROAD_ROUNDS * len(potentials)):
            _take_turn(candidates, potentials, wanted, broader)
    for _ in range(ROUNDS * len(potentials) ** 2):
        error = _take_turn(candidates, potentials, wanted, width)
        if error <= TOLERANCE:
            break
    return error


def _broader_widths(candidates: Candidates, width: float) -> Floats:
    """Return widths from the broadest down, each half of the one before."""
    broadest = BROADEST * float(np.quantile(candidates.squares, MOST))
    halvings = int(np.ceil(np.log2(broadest / width))) if broadest > width else 0
    return np.asarray(width * 2.0 ** np.arange(halvings, 0, -1))


def _take_turn(
    candidates: Candidates,
    potentials: Sequence[Potentials],
    wanted: Sequence[Floats],
    width: float,
) -> float:
    """Move the potentials of one prior after another; how far shares were off, on average."""
    errors, nobody = [], np.empty(0, dtype=np.float32)
    for number, (one, share) in enumerate(zip(potentials, wanted, strict=True)):
        others = [*potentials[:number], *potentials[number + 1 :]]
        beside = shifts_of(candidates, others) if others else nobody
        logs = _nearness(candidates, one, width, beside)
        # A stratum without other samples is left alone.
        there = np.isfinite(logs) & (share > 0)
        missing = np.zeros_like(logs)
        np.subtract(np.log(share, where=there, out=missing), logs, where=there, out=missing)
        errors.append(float(np.abs(np.expm1(-np.abs(missing[there]))).mean()))
        # Both ends of a pair change, so each goes half the way.
        one.values[...] += np.float32(width / 2) * missing
    return max(errors)
