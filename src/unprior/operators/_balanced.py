"""Data distances and strata -> distances under which every stratum is equally near."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats
from unprior._warnings import BalanceWarning, caller_level
from unprior.geometry import SampleDistances
from unprior.neighbors import KNNGraph
from unprior.neighbors._lift import Lift
from unprior.operators._candidates import Candidates, Search, pair_up
from unprior.operators._coarse_potentials import coarse_potentials
from unprior.operators._sinkhorn import Potentials, balance, shifts_of
from unprior.operators._squares import Squares, near_width
from unprior.operators._strata import Strata

#: The width ε is this part of the usual squared distance to a near neighbour.
WIDTH = 0.15

#: Mean relative error of shares from which on neighbours are not balanced.
FAILED = 0.5


@dataclass(frozen=True, eq=False)
class Balanced:
    r"""The balancing ⊖: neighbours of every sample have the prior of all, and none is a hub.

    Potentials g, for each sample and stratum of the prior, are subtracted from squared distances:
    :math:`x_{ij} = d_{ij}^2 - g_i(s_j) - g_j(s_i)`. This is :math:`-\varepsilon \log p_{ij}`, with
    a nearness p of which every stratum gets its share. Those of several priors add up. The distance
    is the root of x, bent a little so that nothing is negative.

    Attributes
    ----------
    squares : Squares
        Of the data.
    width : float
        ε: squared distances that differ by this make p differ by the factor e.
    potentials : list of Potentials
        Those of each prior.
    shares : ndarray of shape (n_samples, n_strata + 1)
        What every stratum of the first prior has of each sample's nearness.
    candidates : Candidates
        The pairs that p was balanced on: the nearest of every sample in each stratum.
    wanted : list of ndarray
        The shares of each prior, of which ``shares`` are the first.
    """

    squares: Squares
    width: float
    potentials: list[Potentials]
    shares: Floats
    candidates: Candidates
    wanted: list[Floats]

    @property
    def data_scale(self) -> float:
        """What data distances are divided by."""
        return self.squares.scale

    def __call__(self, data: Floats, known: Sequence[Floats]) -> Floats:
        """Subtract the sums of both potentials from squared data distances of the same pairs."""
        return bend(self.squares(data) - sum(known), self.width)

    def neighbors(self, k: int) -> KNNGraph:
        """Return the k nearest of every sample, of each stratum of one prior its share."""
        rest = self.candidates.squares - shifts_of(self.candidates, self.potentials)
        lengths = bend(rest, self.width)
        # Several priors cannot all have their shares: the nearest are taken.
        shares = self.shares if len(self.potentials) == 1 else np.ones_like(self.shares)
        return self.candidates.nearest(k, lengths, self.potentials[0].strata, shares)


def bend(rest: Floats, width: float) -> Floats:
    """Return distances: the roots of what is left of squares, bent so that none is negative."""
    # The upper branch of a hyperbola: never negative, and the rest itself where that is large.
    twice = rest.dtype.type(2 * width)
    above = np.abs(rest) + np.hypot(rest, twice)
    # Below zero the two would cancel, but what their sum times their difference is, is known.
    np.divide(twice**2, above, out=above, where=rest < 0)
    return np.asarray(np.sqrt(above / 2))


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
    """Balance the neighbours of all samples, k for each.

    Parameters
    ----------
    data : Prior
        The data as distances.
    strata : sequence of Strata
        Those of each prior.
    scale : float
        What data distances are divided by.
    strengths : sequence of float
        How strongly each prior is factored out, in [0, 1].
    k : int
        Neighbours of each sample that are to have the prior of all.
    exact : bool, default=False
        Whether to look at all pairs, however many they are.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar at once.

    Returns
    -------
    operator : Balanced
    """
    squares = Squares.of(data, scale)
    width = near_width(data, squares, WIDTH)
    search = Search(data, strata, k, squares, exact, n_jobs, verbose)
    rough = coarse_potentials(data, strata, squares, WIDTH, n_jobs)
    named = [search.per_stratum(lift_of(rough, squares.factor))]
    if min(strengths) < 1:
        named.append(search.plain())
    candidates = pair_up(named)
    balanced = balance(candidates, strata, width, strengths)
    if balanced.error > FAILED:
        _warn()
    shares = balanced.shares
    return Balanced(squares, width, balanced.potentials, shares[0], candidates, shares)


def _warn() -> None:
    message = (
        "neighbours could not be balanced over the prior: some samples see far more or less of a "
        "part of it than they should, so that it is not factored out; scale the columns of X, take "
        'logarithms of skewed ones, or use operator="linear".'
    )
    warnings.warn(message, BalanceWarning, stacklevel=caller_level())


def lift_of(potentials: Sequence[Potentials], factor: float) -> Lift:
    """Return what potentials take off the squares of two samples, as products of rows.

    That samples of one small class count as a stratum of their own is left out: they are near
    enough to be found.
    """
    asking, asked = [], []
    for one in potentials:
        values = one.values[:, :-1] - one.values[:, :-1].mean(axis=0)
        own = np.eye(one.strata.count, dtype=np.float32)[one.strata.codes]
        asking.append(own)
        asked.append(values)
        if len(potentials) > 1:  # within a stratum of one prior this is the same for all
            asking.append(values)
            asked.append(own)
    return Lift(np.hstack(asking), np.hstack(asked), factor)
