"""Data distances and strata -> distances under which neighbours are balanced over the strata."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats
from unprior._warnings import BalanceWarning, caller_level
from unprior.geometry import SampleDistances
from unprior.neighbors import KNNGraph, Lift
from unprior.operators._candidates import Candidates, CandidateSearch, join_lists
from unprior.operators._coarse_potentials import coarse_potentials
from unprior.operators._sinkhorn import Potentials, balance, shifts_of
from unprior.operators._squares import Squares, kernel_width
from unprior.operators._strata import Strata

#: The width ε, as a fraction of the typical squared distance to a near neighbour.
WIDTH = 0.15

#: Mean relative error of the shares above which balancing has failed.
FAILED = 0.5

#: Potentials give all samples the same total affinity, yet of many samples a few are still among
#: the k nearest of too many others. Where the skewness of these numbers is above MOST_HUBNESS, the
#: potentials of samples that are neighbours of more than HUB * k others are lowered, by HUB_STEP *
#: width for each factor of e, until it is not, at most HUB_ROUNDS times. On maps of 50 000 samples
#: this changes what is left and kept by less than .005. Raising the potentials of the others as
#: well would turn outliers into hubs.
MOST_HUBNESS, HUB, HUB_STEP, HUB_ROUNDS = 1.0, 1.5, 2.0, 6


@dataclass(frozen=True, eq=False)
class Balanced:
    r"""The balanced ⊖: neighbours have the prior's overall distribution, and no sample is a hub.

    Potentials g, for each sample and stratum of the prior, are subtracted from squared distances:
    :math:`x_{ij} = d_{ij}^2 - g_i(s_j) - g_j(s_i)`. This is :math:`-\varepsilon \log p_{ij}`, with
    affinities p of which every stratum gets its share. The potentials of several priors add up. The
    distance is the square root of x, smoothed so that it is never negative.

    Attributes
    ----------
    squares : Squares
        Squares distances in the data.
    width : float
        ε: if squared distances differ by this, p differs by a factor of e.
    potentials : list of Potentials
        One for each prior.
    shares : ndarray of shape (n_samples, n_strata + 1)
        The target share of each stratum of the first prior in each sample's affinities.
    candidates : Candidates
        The pairs on which p is balanced: the nearest of every sample in each stratum.
    target_shares : list of ndarray
        The target shares for each prior; ``shares`` is the first.
    """

    squares: Squares
    width: float
    potentials: list[Potentials]
    shares: Floats
    candidates: Candidates
    target_shares: list[Floats]

    @property
    def data_scale(self) -> float:
        """The divisor of data distances."""
        return self.squares.scale

    def __call__(self, data: Floats, shifts: Sequence[Floats]) -> Floats:
        """Subtract the potentials of both samples from squared data distances of the same pairs."""
        return smooth_root(self.squares(data) - sum(shifts), self.width)

    def neighbors(self, k: int) -> KNNGraph:
        """Return the k nearest of every sample; each stratum of a single prior gets its share."""
        shifted = self.candidates.squares - shifts_of(self.candidates, self.potentials)
        lengths = smooth_root(shifted, self.width)
        # Exact shares of several priors are not always possible: the nearest are taken.
        shares = self.shares if len(self.potentials) == 1 else np.ones_like(self.shares)
        return self.candidates.nearest(k, lengths, self.potentials[0].strata, shares)


def smooth_root(x: Floats, width: float) -> Floats:
    """Return the square root of max(x, 0), smoothed: of (x + √(x² + 4 width²)) / 2."""
    twice = x.dtype.type(2 * width)
    total = np.abs(x) + np.hypot(x, twice)
    # For x < 0 the sum would cancel; (√ + x)(√ − x) = 4 width² avoids that.
    np.divide(twice**2, total, out=total, where=x < 0)
    return np.asarray(np.sqrt(total / 2))


def learn_balanced(
    data: SampleDistances,
    strata: Sequence[Strata],
    *,
    scale: float,
    strengths: Sequence[float],
    k: int,
    exact: bool = False,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Balanced:
    """Balance the k nearest neighbours of each sample over the strata of all priors.

    ``scale`` is the divisor of data distances, and ``strengths`` in [0, 1] say how strongly each
    prior is factored out. The result does not depend on ``n_jobs``, the number of threads.
    """
    squares = Squares.of(data, scale)
    width = kernel_width(data, squares, WIDTH)
    search = CandidateSearch(data, strata, k, squares, exact, n_jobs, verbose)
    coarse = coarse_potentials(data, strata, squares, WIDTH, n_jobs)
    lists = [search.per_stratum(lift_of(coarse, squares.factor))]
    if min(strengths) < 1:
        lists.append(search.plain())
    candidates = join_lists(lists)
    balanced = balance(candidates, strata, width, strengths)
    if balanced.error > FAILED:
        _warn()
    shares = balanced.shares
    operator = Balanced(squares, width, balanced.potentials, shares[0], candidates, shares)
    _limit_hubs(operator, k)
    return operator


def _limit_hubs(operator: Balanced, k: int) -> None:
    """Lower, in place, the potentials of samples that are neighbours of too many others."""
    for _ in range(HUB_ROUNDS):
        graph = operator.neighbors(k)
        if graph.hubness <= MOST_HUBNESS:
            return
        counts = np.bincount(graph.indices.ravel(), minlength=len(graph.indices))
        excess = np.log(np.maximum(counts / (HUB * k), 1)).astype(np.float32)
        lower = np.float32(HUB_STEP * operator.width / len(operator.potentials)) * excess
        for one in operator.potentials:
            one.values[...] -= lower[:, None]


def _warn() -> None:
    message = (
        "neighbours could not be balanced over the prior: some samples have far too many or too "
        "few neighbours in a stratum, so the prior is not factored out; scale the columns of "
        'X, take logarithms of skewed ones, or use operator="linear".'
    )
    warnings.warn(message, BalanceWarning, stacklevel=caller_level())


def lift_of(potentials: Sequence[Potentials], factor: float) -> Lift:
    """Return what potentials subtract from squared distances, as scalar products of rows.

    The separate potential of small classes that share a stratum is ignored: samples of the same
    small class are near enough to be found.
    """
    query_rows, indexed_rows = [], []
    for one in potentials:
        values = one.values[:, :-1] - one.values[:, :-1].mean(axis=0)
        indicators = np.eye(one.strata.count, dtype=np.float32)[one.strata.codes]
        query_rows.append(indicators)
        indexed_rows.append(values)
        if len(potentials) > 1:  # within a stratum of a single prior this is a constant
            query_rows.append(values)
            indexed_rows.append(indicators)
    return Lift(np.hstack(query_rows), np.hstack(indexed_rows), factor)
