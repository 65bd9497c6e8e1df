r"""Points and groups of the prior -> points without what the groups differ by in each soft cluster.

This is Harmony (Korsunsky and others, Nature Methods 2019), written from its equations. Two steps
take turns. Soft k-means of the directions z of the points, with a penalty on clusters that one
group dominates, gives memberships

.. math:: R_{ki} \propto \exp\Bigl(\frac{2 (y_k z_i - 1)}{σ}\Bigr)
          \prod_p \Bigl(\frac{E_{kb} + 1}{O_{kb} + 1}\Bigr)^{θ}

with O the members that cluster k has of the group b of sample i, and E those it would have if all
clusters had the same shares of the groups. Then, in every cluster, a ridge regression of the points
on the groups says what each group is moved by, and a sample moves by the mean over its clusters.
So groups are moved onto each other only where they share a cluster: a type that some lack stays.

Every round keeps its centers, penalties and moves. A new sample goes through the same rounds by
itself, and so does a fitted one: what is left of it is the same in ``fit`` and in ``transform``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from unprior._typing import Floats, Indices
from unprior.residual._aligned import members_of
from unprior.residual._frame import Product
from unprior.residual._smoothers import reference_rows

#: Samples for each cluster, and the most clusters.
CLUSTER_SIZE, MOST_CLUSTERS = 30, 100

#: Softness of clusters (σ), weight of the penalty (θ), and ridge as a share of the members that a
#: cluster would have of a group by chance: where a group hardly is, it is hardly moved.
SOFTNESS, DIVERSITY, RIDGE = 0.1, 1.0, 0.2

#: Rounds of clusters and moves, and of memberships within each. More rounds move more, until groups
#: lie on each other that have nothing in common.
ROUNDS, INNER_ROUNDS = 3, 10

#: Memberships are renewed for a share of the samples at a time, so that the penalty follows.
BLOCKS = 20

#: Rounds end when points move by less than this share of their spread.
SETTLED = 0.01

Groups = Mapping[str, Indices]


@dataclass(frozen=True, eq=False)
class ClusterStep:
    """Soft clusters of one round, and what the groups of each prior are moved by in them.

    Attributes
    ----------
    centers : ndarray of shape (n_clusters, n_axes)
        Directions, of length 1.
    penalties : dict of str to ndarray of shape (n_clusters, n_groups)
        By prior, the factor of a membership that keeps groups from dominating a cluster.
    moves : dict of str to ndarray of shape (n_clusters, n_groups, n_coordinates)
        By prior, what is subtracted from members of a group.
    """

    centers: Floats
    penalties: Mapping[str, Floats]
    moves: Mapping[str, Floats]

    def memberships(self, points: Floats, groups: Groups, multiply: Product = np.matmul) -> Floats:
        """Return how far each sample belongs to each cluster; rows sum to 1."""
        near = multiply(directions(points, self.centers.shape[1]), self.centers.T)
        weights = np.exp((2 / SOFTNESS) * (near - near.max(axis=1, keepdims=True)))
        for name, codes in groups.items():
            weights *= _known(self.penalties[name].T, codes, 1.0)
        return weights / weights.sum(axis=1, keepdims=True)

    def moved(
        self, start: Floats, points: Floats, groups: Groups, multiply: Product = np.matmul
    ) -> Floats:
        """Move ``start`` by the clusters to which ``points`` belong; unseen groups stay."""
        members, moved = self.memberships(points, groups, multiply), start.copy()
        for name, codes in groups.items():
            for group, rows in members_of(codes):
                if group < self.moves[name].shape[1]:
                    moved[rows] -= multiply(members[rows], self.moves[name][:, group])
        return moved


def learn_clusters(points: Floats, n_axes: int, groups: Groups) -> tuple[list[ClusterStep], Floats]:
    """Move groups onto each other in the clusters that they share; return how, and the points then.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_coordinates)
        Of mean zero.
    n_axes : int
        The first so many coordinates have the clusters; all are moved.
    groups : dict of str to ndarray of shape (n_samples,)
        By prior, the group of every sample.
    """
    steps: list[ClusterStep] = []
    left, spread = points, np.square(points).mean()
    centers = first_centers(directions(points, n_axes))
    while len(steps) < ROUNDS and spread > 0:
        centers, penalties = _find_clusters(directions(left, n_axes), centers, groups)
        step = ClusterStep(centers, penalties, {})
        members = step.memberships(left, groups)
        step = ClusterStep(centers, penalties, find_moves(points, members, groups))
        steps.append(step)
        before, left = left, step.moved(points, left, groups)
        if np.square(left - before).mean() < SETTLED**2 * spread:
            break
    return steps, left


def replay(
    steps: Sequence[ClusterStep], points: Floats, groups: Groups, multiply: Product = np.matmul
) -> Floats:
    """Take points through the rounds that were learnt."""
    left = points
    for step in steps:
        left = step.moved(points, left, groups, multiply)
    return left


def refuse_unseen(steps: Sequence[ClusterStep], groups: Groups) -> None:
    """Refuse to learn groups that ``fit`` has not seen: their clusters would be new, too."""
    for name, codes in groups.items():
        if int(codes.max(initial=-1)) >= steps[0].moves[name].shape[1]:
            message = (
                f"Residual: of {name!r}, a class is new; the kind 'clustered' cannot learn it by "
                "unseen='fit'. Fit all samples together, or take unseen='mean'."
            )
            raise ValueError(message)


def directions(points: Floats, n_axes: int) -> Floats:
    """Return points on the leading axes, scaled to length 1; those without length stay."""
    along = points[:, :n_axes]
    length = np.sqrt(np.square(along).sum(axis=1, keepdims=True))
    return np.asarray(along / np.where(length > 0, length, 1.0))


def first_centers(z: Floats) -> Floats:
    """Find clusters without a look at the groups, by k-means of some samples."""
    from sklearn.cluster import KMeans

    some = z[reference_rows(len(z))]
    wanted = int(np.clip(round(len(z) / CLUSTER_SIZE), 2, MOST_CLUSTERS))
    n_clusters = min(wanted, len(np.unique(some, axis=0)))
    with threadpool_limits(1):  # several would add up in another order
        found = KMeans(n_clusters, n_init=1, random_state=0, max_iter=25).fit(some)
    return directions(found.cluster_centers_, z.shape[1])


def _find_clusters(z: Floats, centers: Floats, groups: Groups) -> tuple[Floats, dict[str, Floats]]:
    """Renew centers, and memberships some samples at a time; return centers and penalties."""
    n = len(z)
    shares = {name: np.bincount(codes) / n for name, codes in groups.items()}
    blocks = np.array_split(np.random.RandomState(0).permutation(n), min(BLOCKS, n))
    weights = np.exp((2 / SOFTNESS) * (z @ centers.T - 1))
    members = weights / weights.sum(axis=1, keepdims=True)
    has = {name: count_members(members, codes) for name, codes in groups.items()}
    for _ in range(INNER_ROUNDS):
        before, centers = centers, directions(members.T @ z, z.shape[1])
        for rows in blocks:
            own = {name: codes[rows] for name, codes in groups.items()}
            for name, codes in own.items():
                has[name] -= count_members(members[rows], codes, has[name].shape[1])
            near = z[rows] @ centers.T
            weights = np.exp((2 / SOFTNESS) * (near - near.max(axis=1, keepdims=True)))
            for name, codes in own.items():
                weights *= penalty(has[name], shares[name]).T[codes]
            members[rows] = weights / weights.sum(axis=1, keepdims=True)
            for name, codes in own.items():
                has[name] += count_members(members[rows], codes, has[name].shape[1])
        if np.square(centers - before).sum(axis=1).max() < SETTLED**2:
            break
    return centers, {name: penalty(has[name], shares[name]) for name in groups}


def count_members(members: Floats, codes: Indices, n_groups: int = 0) -> Floats:
    """Return how many members each cluster has of each group."""
    shape = (max(n_groups, int(codes.max()) + 1), len(codes))
    chosen = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=shape)
    return np.asarray((chosen @ members).T)


def penalty(has: Floats, shares: Floats) -> Floats:
    """Return the factor of memberships: below 1 where a cluster has more of a group than others."""
    expected = has.sum(axis=1, keepdims=True) * shares
    # What was taken out and put back may leave a rounding error below zero.
    return np.asarray(((expected + 1) / (np.maximum(has, 0) + 1)) ** DIVERSITY)


def find_moves(points: Floats, members: Floats, groups: Groups) -> dict[str, Floats]:
    """Regress the points of each cluster on all groups, with a ridge; return what groups add."""
    n, counts = len(points), [np.bincount(codes) for codes in groups.values()]
    ends = np.cumsum([1, *(len(each) for each in counts)])
    column = np.column_stack([np.zeros(n, dtype=np.intp), *groups.values()])
    column[:, 1:] += ends[:-1]
    design = csr_array(
        (np.ones(column.size), (np.repeat(np.arange(n), column.shape[1]), column.ravel()))
    )
    ridge = np.concatenate([[0.0], *(RIDGE * each / n for each in counts)])
    found = np.empty((members.shape[1], ends[-1], points.shape[1]))
    for cluster, share in enumerate(members.T):
        weighted = design.T * share  # sparse: each column by the membership of its sample
        gram = (weighted @ design).toarray() + np.diag(ridge * share.sum())
        # Groups without any member, and clusters without any, have nothing to say.
        gram[np.diag_indices(len(gram))] += np.finfo(float).eps * n
        found[cluster] = np.linalg.solve(gram, weighted @ points)
    return {
        name: found[:, first:last]
        for name, (first, last) in zip(groups, pairwise(ends), strict=True)
    }


def _known(table: Floats, codes: Indices, otherwise: float) -> Floats:
    """Return rows of a table, another value for rows that it does not have."""
    seen = codes < len(table)
    return np.asarray(np.where(seen[:, None], table[np.where(seen, codes, 0)], otherwise))
