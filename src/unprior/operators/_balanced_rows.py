"""Potentials of fitted samples -> balanced neighbours of new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.operators._balanced import Balanced, smooth_root
from unprior.operators._squares import Squares

#: Number of fitted neighbours whose mean target shares a new sample gets, at a strength below 1.
NEIGHBORS = 15

#: Number of Sinkhorn iterations for a class that was not fitted.
ROUNDS = 20


@dataclass(frozen=True, eq=False)
class BalancedRows:
    """The parameters of a fitted balanced operator, without the pairs that it was fitted to.

    Attributes
    ----------
    names : tuple of str
        The names of the priors.
    squares : Squares
    width : float
        ε.
    codes, classes : ndarray of shape (n_priors, n_fitted), int32
        Stratum of every sample by prior; its class if that shares a stratum with others, else -1.
    counts : ndarray of shape (n_priors,)
        Number of strata of each prior.
    potentials : ndarray of shape (n_priors, n_fitted, n_groups), float32
    wanted : ndarray of shape (n_priors, n_fitted, n_groups) or None, float32
        The target share of every group among the neighbours of each sample; None if it is the
        group's share of all samples.
    strength : float
        How strongly the priors are factored out, at least.
    groups : ndarray of shape (n_fitted,) or None
        Kept class of every fitted sample, -1 if it has none; None without kept classes.
    """

    names: tuple[str, ...]
    squares: Squares
    width: float
    codes: NDArray[np.int32]
    classes: NDArray[np.int32]
    counts: Indices
    potentials: NDArray[np.float32]
    wanted: NDArray[np.float32] | None
    strength: float
    groups: NDArray[np.int32] | None

    def neighbors(
        self, distances: Floats, nearest: Sequence[Indices], k: int, learnt: Floats | None = None
    ) -> Any:
        """Return the k balanced neighbours of new samples, and distances to them.

        Parameters
        ----------
        distances : ndarray of shape (n_new, n_fitted)
            Distances in the data.
        nearest : sequence of ndarray of shape (n_new,)
            For each prior, the fitted sample most similar to each new one; -1 if there is none.
        k : int
            Number of neighbours.
        learnt : ndarray of shape (n_new, n_fitted), optional
            Potentials to subtract in addition, from `learn_potentials`.
        """
        from unprior.kernels._balance_new import balanced_rows

        codes = np.stack([self.codes[z][rows] for z, rows in enumerate(nearest)], axis=1)
        classes = np.stack([self.classes[z][rows] for z, rows in enumerate(nearest)], axis=1)
        unseen = np.stack(nearest, axis=1) < 0
        codes[unseen], classes[unseen] = -1, -1
        strata = self.codes, self.classes, self.counts
        shares = self._shares(distances, codes, classes)
        squares = self.squares(distances)
        if learnt is not None:
            squares = squares - learnt
        # In one precision: for another, the loop would be compiled again.
        squares = np.asarray(squares, dtype=np.float64)
        indices, shifted = balanced_rows(
            squares, self.width, k, codes, classes, shares, strata, self.potentials
        )
        return indices, smooth_root(shifted, self.width)

    def learn_potentials(self, distances: Floats) -> NDArray[np.float32]:
        """Return potentials of the fitted samples for a new class, estimated from its samples.

        By Sinkhorn iterations: every stratum gets its share of the affinities of each new sample,
        and all fitted samples get the same total affinity from the class. Both within kept classes,
        since the new class need not have all of them. For a single prior.
        """
        from unprior.kernels._to_fitted import nearest_rows

        learnt = np.zeros(distances.shape[1], dtype=np.float32)
        groups = np.zeros(len(learnt), np.int32) if self.groups is None else self.groups
        near, _ = nearest_rows(distances, min(NEIGHBORS, len(learnt)))
        votes = np.array([np.bincount(groups[row] + 1).argmax() - 1 for row in near])
        for group in np.unique(votes).tolist():
            columns = np.flatnonzero(groups == group)
            learnt[columns] = self._learn_among(distances[votes == group][:, columns], columns)
        return np.asarray(learnt * np.float32(self.strength))

    def _learn_among(self, distances: Floats, columns: Indices) -> Floats:
        """Return these potentials of some fitted samples; their mean is 0."""
        strata, codes = np.unique(self.codes[0, columns], return_inverse=True)
        order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
        starts, shares = np.append(0, np.cumsum(sizes)[:-1]), sizes / len(order)
        mean = self.potentials[0][np.ix_(columns[order], strata)] @ shares
        exponents = -(self.squares(distances)[:, order] - mean) / self.width
        logs = np.zeros(len(order))
        for _ in range(ROUNDS):
            sums = _log_sums(exponents + logs, starts, sizes)
            shifted = exponents + np.repeat(np.log(shares) - sums, sizes, axis=1)
            most = shifted.max(axis=0)
            logs = -most - np.log(np.exp(shifted - most).mean(axis=0) * len(order))
        learnt = np.empty(len(order))
        learnt[order] = self.width * (logs - logs.mean())
        return learnt

    def _shares(self, distances: Floats, codes: Indices, classes: Indices) -> Floats:
        """Return the target share of every group in each new sample's neighbours, by prior."""
        from unprior.kernels._to_fitted import nearest_rows

        if self.wanted is not None:
            near, _ = nearest_rows(distances, min(NEIGHBORS, distances.shape[1]))
            shares: Floats = self.wanted[:, near].mean(axis=2, dtype=np.float64)
            return np.ascontiguousarray(shares.transpose(1, 0, 2))
        n = self.codes.shape[1]
        shares = np.zeros((len(distances), len(self.counts), self.potentials.shape[2]))
        rows = np.arange(len(distances))
        for z, count in enumerate(self.counts):
            shares[:, z, :count] = np.bincount(self.codes[z], minlength=count)[:count] / n
            sizes = np.bincount(self.classes[z] + 1)[1:]
            same_class = np.append(sizes, 0)[classes[:, z]] / n  # 0 for those without a class
            shares[rows, z, codes[:, z]] -= same_class
            shares[:, z, count] = same_class
        return shares


def _log_sums(exponents: Floats, starts: Indices, sizes: Indices) -> Floats:
    """Return log-sum-exp of each row over groups of adjacent columns."""
    most = np.maximum.reduceat(exponents, starts, axis=1)
    terms = np.exp(exponents - np.repeat(most, sizes, axis=1))
    return np.asarray(np.log(np.add.reduceat(terms, starts, axis=1)) + most)


def keep_balance(
    operator: Balanced, names: Sequence[str], strengths: Sequence[float]
) -> BalancedRows:
    """Return the parameters of a balanced operator that new samples need."""
    potentials = operator.potentials
    keep = potentials[0].strata.keep
    by_size = min(strengths) == 1 and keep is None
    width = max(one.values.shape[1] for one in potentials)
    return BalancedRows(
        tuple(names),
        operator.squares,
        operator.width,
        np.stack([one.strata.codes for one in potentials]).astype(np.int32),
        np.stack([one.strata.classes for one in potentials]).astype(np.int32),
        np.array([one.strata.count for one in potentials]),
        np.stack([_padded(one.values, width) for one in potentials]),
        None
        if by_size
        else np.stack([_padded(shares, width) for shares in operator.target_shares]),
        float(min(strengths)),
        None if keep is None else keep.codes.astype(np.int32),
    )


def _padded(values: Floats, width: int) -> NDArray[np.float32]:
    padded = np.zeros((len(values), width), dtype=np.float32)
    padded[:, : values.shape[1]] = values
    return padded
