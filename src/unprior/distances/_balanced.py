"""Data distances and strata -> distances under which every stratum is equally near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._landmarks import draw_landmarks
from unprior._typing import Floats, Indices
from unprior.distances._balance import Potentials, balance, shifts_of
from unprior.distances._candidates import Candidates, find_candidates
from unprior.distances._strata import Strata
from unprior.neighbors import KNNGraph
from unprior.priors import Prior

#: The width ε is this part of the usual squared distance to the k-th neighbour.
WIDTH = 0.25

#: Samples that tell this distance.
ASKED = 500

#: Distances to them that are held at a time (32 MB of float64).
BLOCK_ENTRIES = 4_000_000

#: The least width, as a part of the squared unit: where most samples have twins.
LEAST_WIDTH = 1e-12


@dataclass(frozen=True, eq=False)
class Balanced:
    r"""The balancing ⊖: neighbours of every sample have the prior of all, and none is a hub.

    Potentials g, for each sample and stratum of the prior, are subtracted from squared distances:
    :math:`x_{ij} = d_{ij}^2 - g_i(s_j) - g_j(s_i)`. This is :math:`-\varepsilon \log p_{ij}`, with
    a nearness p of which every stratum gets its share. Those of several priors add up. The distance
    is the root of x, bent a little so that nothing is negative.

    Attributes
    ----------
    data_scale : float
    width : float
        ε: squared distances that differ by this make p differ by the factor e.
    potentials : list of Potentials
        Those of each prior.
    candidates : Candidates
        The pairs that p was balanced on: the nearest of every sample in each stratum.
    """

    data_scale: float
    width: float
    potentials: list[Potentials]
    candidates: Candidates

    def __call__(self, data: Floats, known: Sequence[Floats]) -> Floats:
        """Subtract the sums of both potentials from squared data distances of the same pairs."""
        return self._distances((data / self.data_scale) ** 2 - sum(known))

    def _distances(self, rest: Floats) -> Floats:
        # The upper branch of a hyperbola: never negative, and the rest itself where that is large.
        bend = 2 * self.width
        above = np.abs(rest) + np.hypot(rest, bend)
        # Below zero the two would cancel, but what their sum times their difference is, is known.
        np.divide(bend**2, above, out=above, where=rest < 0)
        return np.asarray(np.sqrt(above / 2))

    def neighbors(self, k: int) -> KNNGraph:
        """Return the k nearest of every sample among the candidates."""
        rest = self.candidates.squares - shifts_of(self.candidates, self.potentials)
        return self.candidates.nearest(k, self._distances(rest.astype(np.float64)))


def learn_balanced(
    data: Prior,
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
    candidates = find_candidates(
        data,
        strata,
        k,
        scale=scale,
        plain=min(strengths) < 1,
        exact=exact,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    width = _width(data, scale, k)
    potentials = balance(candidates, strata, width, strengths)
    return Balanced(scale, width, potentials, candidates)


def _width(data: Prior, scale: float, k: int) -> float:
    farthest = _kth_distances(data, draw_landmarks(data.n_samples, ASKED), k) / scale
    usual = float(np.median(farthest))
    if not usual:  # most have as many twins
        usual = float(farthest.mean())
    return max(WIDTH * usual**2, LEAST_WIDTH)


def _kth_distances(data: Prior, some: Indices, k: int) -> Floats:
    """Return the distances of some samples to their k-th neighbours."""
    nearest: Floats = np.empty((len(some), 0))
    # All are read once, however few of them fit into memory: that matters if they are on disk.
    step = max(1, BLOCK_ENTRIES // len(some))
    for start in range(0, data.n_samples, step):
        others = np.arange(start, min(start + step, data.n_samples))
        distances = np.where(some[:, None] == others, np.inf, data.block(some, others))
        nearest = np.hstack([nearest, distances])
        nearest = np.partition(nearest, min(k, nearest.shape[1]) - 1, axis=1)[:, :k]
    return np.asarray(nearest.max(axis=1))
