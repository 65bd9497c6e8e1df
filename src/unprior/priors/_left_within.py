"""How much of a prior neighbours share within kept classes.

The chance level of a pair depends on its kept classes: neighbours are compared with random samples
from the neighbour's kept class. So if the prior's distribution differs between kept classes, that
alone does not count as the prior being left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import BLOCK_ENTRIES
from unprior.priors._base import Prior
from unprior.priors._keep import Keep
from unprior.priors._left import PriorLeft, mean_distances

#: Landmarks in all kept classes together, the fewest in one class, and the pairs used to correct
#: their bias.
LANDMARKS, FEWEST, PAIRS = 2000, 100, 200_000


@dataclass(frozen=True, eq=False)
class PriorLeftWithin:
    """Measures how much of a prior neighbours share within kept classes.

    It is Σ (far − near) / Σ (far − least) over all pairs of neighbours.

    Attributes
    ----------
    prior : Prior
        The prior.
    keep : Keep
        The kept labels.
    far_and_least : callable
        For samples i, kept classes h and the number of i's neighbours in h: the mean prior distance
        of i to all others in h, and to the nearest ones, as many as i has neighbours in h.
    k : int
        Number of neighbours.
    """

    prior: Prior
    keep: Keep
    far_and_least: Callable[[Indices, Indices, Indices], tuple[Floats, Floats]]
    k: int

    @classmethod
    def of(cls, prior: Prior, keep: Keep, k: int) -> PriorLeftWithin:
        """Prepare to measure a prior among k neighbours."""
        codes = prior.class_codes
        how = _prepare_distances(prior, keep) if codes is None else _prepare_classes(codes, keep)
        return cls(prior, keep, how, k)

    def among(self, rows: Indices, neighbors: Indices) -> float:
        """Return what is left of the prior among the neighbours of some samples.

        Parameters
        ----------
        rows : ndarray of shape (n_rows,)
            The samples.
        neighbors : ndarray of shape (n_rows, k)
            Their neighbours.
        """
        near, far, least = self.terms(rows, neighbors)
        room = float(np.sum(far - least))
        if not room > 0:  # no map can show such a prior within kept classes
            return 0.0
        return float(np.sum(far - near)) / room

    def terms(self, rows: Indices, neighbors: Indices) -> tuple[Floats, Floats, Floats]:
        """Return the prior distance, its chance level and its minimum by pair, each (n_rows, k)."""
        i, j = np.repeat(rows, neighbors.shape[1]), neighbors.ravel()
        partner = self.keep.partner_class(i, j)
        by_row = partner.reshape(neighbors.shape)
        alike = (by_row[:, :, None] == by_row[:, None, :]).sum(axis=2).ravel()
        far, least = self.far_and_least(i, partner, alike)
        shape = neighbors.shape
        return self.prior.pairs(i, j).reshape(shape), far.reshape(shape), least.reshape(shape)

    def permutation(self, rng: np.random.RandomState) -> Indices:
        """Return a random permutation that preserves the chance level."""
        return self.keep.permutation(rng)


def prepare_left(prior: Prior, keep: Keep | None, k: int) -> PriorLeft | PriorLeftWithin:
    """Prepare to measure a prior among k neighbours, within kept classes if there are any."""
    return PriorLeft.of(prior, k) if keep is None else PriorLeftWithin.of(prior, keep, k)


def _prepare_classes(
    codes: Indices, keep: Keep
) -> Callable[[Indices, Indices, Indices], tuple[Floats, Floats]]:
    labeled = keep.labeled
    joint = codes[labeled] * (keep.count + 1) + keep.codes[labeled]
    combinations, counts = np.unique(joint, return_counts=True)
    sizes = np.append(keep.counts, len(codes))
    return partial(_of_classes, codes, keep, combinations, counts, sizes)


def _of_classes(
    codes: Indices,
    keep: Keep,
    combinations: Indices,
    counts: Indices,
    sizes: Indices,
    i: Indices,
    partner: Indices,
    alike: Indices,
) -> tuple[Floats, Floats]:
    own, everyone = codes[i], partner == keep.count
    wanted = own * (keep.count + 1) + partner
    position = np.minimum(np.searchsorted(combinations, wanted), len(combinations) - 1)
    in_both = np.where(combinations[position] == wanted, counts[position], 0)
    mine = everyone | (keep.codes[i] == partner)  # a sample is not its own partner
    others = np.where(everyone, np.bincount(codes)[own], in_both) - mine
    return 1 - others / (sizes[partner] - mine), 1 - np.minimum(others, alike) / alike


def _prepare_distances(
    prior: Prior, keep: Keep
) -> Callable[[Indices, Indices, Indices], tuple[Floats, Floats]]:
    far = np.zeros((prior.n_samples, keep.count + 1), dtype=np.float32)
    far[:, -1] = mean_distances(prior)
    for kept, members in keep.members():
        far[:, kept] = _mean_distances_to(prior, members, max(FEWEST, LANDMARKS // keep.count))
    return partial(_of_distances, far)


def _of_distances(
    far: Floats, i: Indices, partner: Indices, alike: Indices
) -> tuple[Floats, Floats]:
    return far[i, partner].astype(np.float64), np.zeros(len(i))


def _mean_distances_to(prior: Prior, members: Indices, most: int) -> Floats:
    """Return the mean distance of every sample to the others of a kept class."""
    n, rng = prior.n_samples, np.random.default_rng(0)
    landmarks = np.sort(rng.permutation(members)[:most])
    everyone, step = np.arange(n), max(1, BLOCK_ENTRIES // n)
    total, others = np.zeros(n), np.full(n, len(landmarks))
    for start in range(0, len(landmarks), step):
        block = prior.block(landmarks[start : start + step], everyone)
        total += block.sum(axis=0, dtype=np.float64)
    others[landmarks] -= 1
    mean = total / np.maximum(others, 1)
    if len(landmarks) == len(members):
        return mean
    # Using few landmarks biases all means alike; random pairs correct that.
    i, j = rng.integers(0, n, PAIRS), rng.choice(members, PAIRS)
    differ = i != j
    unbiased, biased = float(prior.pairs(i[differ], j[differ]).mean()), float(mean.mean())
    return mean * (unbiased / biased) if biased > 0 else mean
