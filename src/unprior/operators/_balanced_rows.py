"""Potentials of fitted samples -> balanced neighbours of new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.operators._balanced import Balanced, bend
from unprior.operators._squares import Squares

#: Fitted neighbours whose wanted shares a new sample takes, where a prior is to stay in part.
ASKED = 15

#: Sinkhorn's rounds for a class that is new.
ROUNDS = 20


@dataclass(frozen=True, eq=False)
class BalancedRows:
    """What the balanced operator has learnt, without the pairs that it learnt from.

    Attributes
    ----------
    names : tuple of str
        The names of the priors.
    squares : Squares
    width : float
        ε.
    codes, classes : ndarray of shape (n_priors, n_fitted), int32
        Stratum of every sample by prior; its class, if that shares a stratum with others, else -1.
    counts : ndarray of shape (n_priors,)
        Strata of each prior.
    potentials : ndarray of shape (n_priors, n_fitted, n_groups), float32
    wanted : ndarray of shape (n_priors, n_fitted, n_groups) or None, float32
        The share of every group among the neighbours of each sample; None if it is the group's
        share of all samples.
    """

    names: tuple[str, ...]
    squares: Squares
    width: float
    codes: NDArray[np.int32]
    classes: NDArray[np.int32]
    counts: Indices
    potentials: NDArray[np.float32]
    wanted: NDArray[np.float32] | None

    def neighbors(
        self, distances: Floats, nearest: Sequence[Indices], k: int, learnt: Floats | None = None
    ) -> Any:
        """Return the k balanced neighbours of new samples, and distances to them.

        Parameters
        ----------
        distances : ndarray of shape (n_new, n_fitted)
            Distances in the data.
        nearest : sequence of ndarray of shape (n_new,)
            For each prior, the fitted sample that is most like each new one; -1 if none is.
        k : int
            Number of neighbours.
        learnt : ndarray of shape (n_new, n_fitted), optional
            Further potentials, those of `learn_potentials`.
        """
        from unprior.kernels._balance_new import balanced_rows

        codes = np.stack([self.codes[z][own] for z, own in enumerate(nearest)], axis=1)
        mates = np.stack([self.classes[z][own] for z, own in enumerate(nearest)], axis=1)
        unlike = np.stack(nearest, axis=1) < 0
        codes[unlike], mates[unlike] = -1, -1
        strata = self.codes, self.classes, self.counts
        task = codes, mates, self._shares(distances, codes, mates), strata, self.potentials
        squares = self.squares(distances)
        if learnt is not None:
            squares = squares - learnt
        indices, rest = balanced_rows(squares, self.width, k, *task)
        return indices, bend(rest, self.width)

    def learn_potentials(self, distances: Floats) -> NDArray[np.float32]:
        """Return potentials of the fitted samples for a new class, from some of its samples.

        Sinkhorn's rounds: every stratum gets its share of the nearness of each new sample, and all
        fitted samples get the same nearness from the class. For a single prior.
        """
        order = np.argsort(self.codes[0], kind="stable")
        sizes = np.bincount(self.codes[0])
        starts, shares = np.append(0, np.cumsum(sizes)[:-1]), sizes / len(order)
        mean = self.potentials[0, order, : len(sizes)] @ shares
        exponents = -(self.squares(distances)[:, order] - mean) / self.width
        found = np.zeros(len(order))
        for _ in range(ROUNDS):
            sums = _log_sums(exponents + found, starts, sizes)
            rest = exponents + np.repeat(np.log(shares) - sums, sizes, axis=1)
            most = rest.max(axis=0)
            found = -most - np.log(np.exp(rest - most).mean(axis=0) * len(order))
        learnt = np.empty(len(order), dtype=np.float32)
        learnt[order] = self.width * (found - found.mean())
        return learnt

    def _shares(self, distances: Floats, codes: Indices, mates: Indices) -> Floats:
        """Return what every group is to have of each new sample, by prior."""
        from unprior.kernels._to_fitted import nearest_rows

        if self.wanted is not None:
            near, _ = nearest_rows(distances, min(ASKED, distances.shape[1]))
            shares: Floats = self.wanted[:, near].mean(axis=2, dtype=np.float64)
            return np.ascontiguousarray(shares.transpose(1, 0, 2))
        n = self.codes.shape[1]
        shares = np.zeros((len(distances), len(self.counts), self.potentials.shape[2]))
        everyone = np.arange(len(distances))
        for z, count in enumerate(self.counts):
            shares[:, z, :count] = np.bincount(self.codes[z], minlength=count)[:count] / n
            sizes = np.bincount(self.classes[z] + 1)[1:]
            own = np.append(sizes, 0)[mates[:, z]] / n  # 0 for those of no class
            shares[everyone, z, codes[:, z]] -= own
            shares[:, z, count] = own
        return shares


def _log_sums(exponents: Floats, starts: Indices, sizes: Indices) -> Floats:
    """Return the logarithms of sums of exponentials over groups of adjacent columns."""
    most = np.maximum.reduceat(exponents, starts, axis=1)
    terms = np.exp(exponents - np.repeat(most, sizes, axis=1))
    return np.asarray(np.log(np.add.reduceat(terms, starts, axis=1)) + most)


def keep_balance(
    operator: Balanced, names: Sequence[str], strengths: Sequence[float]
) -> BalancedRows:
    """Return what new samples need of a balanced operator."""
    several = operator.potentials
    as_samples = min(strengths) == 1 and several[0].strata.keep is None
    width = max(one.values.shape[1] for one in several)
    return BalancedRows(
        tuple(names),
        operator.squares,
        operator.width,
        np.stack([one.strata.codes for one in several]).astype(np.int32),
        np.stack([one.strata.classes for one in several]).astype(np.int32),
        np.array([one.strata.count for one in several]),
        np.stack([_padded(one.values, width) for one in several]),
        None if as_samples else np.stack([_padded(shares, width) for shares in operator.wanted]),
    )


def _padded(values: Floats, width: int) -> NDArray[np.float32]:
    padded = np.zeros((len(values), width), dtype=np.float32)
    padded[:, : values.shape[1]] = values
    return padded
