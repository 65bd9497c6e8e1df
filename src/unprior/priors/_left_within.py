"""Prior, kept labels and neighbours -> how much of the prior they share within kept classes.

The chance level of a pair is that of its kept classes: what is left is measured against random
partners from the neighbour's kept class, so that neighbours of one kept class that is known to be
rare in a part of the prior do not count as a sign of the prior.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry._base import BLOCK_ENTRIES
from unprior.priors._base import Prior
from unprior.priors._keep import Keep
from unprior.priors._labels import Labels
from unprior.priors._left import PriorLeft, mean_distances

#: Landmarks in all kept classes together, the fewest in one of them, and the pairs that tell how
#: far off they are.
LANDMARKS, FEWEST, PAIRS = 2000, 100, 200_000


@dataclass(frozen=True, eq=False)
class PriorLeftWithin:
    """Measures what neighbours share of a prior within kept classes.

    It is Σ (far − near) / Σ (far − least) over all pairs of neighbours.

    Attributes
    ----------
    prior : Prior
        The prior.
    keep : Keep
        The kept labels.
    far_and_least : callable
        Of samples i, kept classes h of partners, and how many of i's neighbours are in h: the mean
        prior distance of i to all others in h, and to the nearest that many of them.
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
        told = _told_by_labels if isinstance(prior, Labels) else _told_by_distances
        return cls(prior, keep, told(prior, keep), k)  # type: ignore[arg-type]

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
        if not room > 0:  # within kept classes, no map can show anything of such a prior
            return 0.0
        return float(np.sum(far - near)) / room

    def terms(self, rows: Indices, neighbors: Indices) -> tuple[Floats, Floats, Floats]:
        """Return by pair the prior distance, by chance and at least, each (n_rows, k)."""
        i, j = np.repeat(rows, neighbors.shape[1]), neighbors.ravel()
        partner = self.keep.partner_class(i, j)
        by_row = partner.reshape(neighbors.shape)
        alike = (by_row[:, :, None] == by_row[:, None, :]).sum(axis=2).ravel()
        far, least = self.far_and_least(i, partner, alike)
        shape = neighbors.shape
        return self.prior.pairs(i, j).reshape(shape), far.reshape(shape), least.reshape(shape)

    def deal(self, rng: np.random.RandomState) -> Indices:
        """Return a permutation of the samples under which chance is the same."""
        return self.keep.deal(rng)


def prepare_left(prior: Prior, keep: Keep | None, k: int) -> PriorLeft | PriorLeftWithin:
    """Prepare to measure a prior among k neighbours, within kept classes if there are any."""
    return PriorLeft.of(prior, k) if keep is None else PriorLeftWithin.of(prior, keep, k)


def _told_by_labels(
    prior: Labels, keep: Keep
) -> Callable[[Indices, Indices, Indices], tuple[Floats, Floats]]:
    labeled = keep.labeled
    joint = prior.codes[labeled] * (keep.count + 1) + keep.codes[labeled]
    cells, counts = np.unique(joint, return_counts=True)
    sizes = np.append(keep.counts, prior.n_samples)
    return partial(_of_labels, prior, keep, cells, counts, sizes)


def _of_labels(
    prior: Labels,
    keep: Keep,
    cells: Indices,
    counts: Indices,
    sizes: Indices,
    i: Indices,
    partner: Indices,
    alike: Indices,
) -> tuple[Floats, Floats]:
    own, everyone = prior.codes[i], partner == keep.count
    wanted = own * (keep.count + 1) + partner
    place = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
    in_cell = np.where(cells[place] == wanted, counts[place], 0)
    mine = everyone | (keep.codes[i] == partner)  # a sample is no partner of its own
    others = np.where(everyone, prior.counts[own], in_cell) - mine
    return 1 - others / (sizes[partner] - mine), 1 - np.minimum(others, alike) / alike


def _told_by_distances(
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
    """Return the mean distance of every sample to the members of a kept class, itself left out."""
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
    # Landmarks are off as one; pairs of all samples tell by how much.
    i, j = rng.integers(0, n, PAIRS), rng.choice(members, PAIRS)
    apart = i != j
    told, guessed = float(prior.pairs(i[apart], j[apart]).mean()), float(mean.mean())
    return mean * (told / guessed) if guessed > 0 else mean
