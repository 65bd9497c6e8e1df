r"""The clustered residual: differences between groups are removed within shared soft clusters.

This is Harmony (Korsunsky and others, Nature Methods 2019), written from its equations. Two steps
alternate. Soft k-means of the directions z of the points, with a penalty on clusters dominated by
one group, gives memberships

.. math:: R_{ki} \propto \exp\Bigl(\frac{2 (y_k z_i - 1)}{σ}\Bigr)
          \prod_p \Bigl(\frac{E_{kb} + 1}{O_{kb} + 1}\Bigr)^{θ}

with O the number of members of cluster k in the group b of sample i, and E the number expected if
all clusters had the same shares of the groups. Then a ridge regression of the points of each
cluster on the groups gives the shift of each group, and a sample moves by the mean shift over its
clusters. Groups are moved together only where they share a cluster: a type that some lack stays.

Shifts within small clusters are noisy, and removing them mixes groups more than chance would. On
request each is shrunk towards the median shift of its group over all clusters, by the fraction of
noise in their difference (James and Stein). Ridge and shrinkage are cautious, for groups that may
differ in composition, or just as large as noise requires, for groups that do not.

Centers, penalties and shifts of every round are stored. New samples go through the same rounds one
by one, and so do the fitted ones: ``fit`` and ``transform`` give the same result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from unprior._typing import Floats, Indices
from unprior.residual._aligned import members_of
from unprior.residual._principal_axes import Product
from unprior.residual._smoothers import landmark_rows

#: Mean number of samples in a cluster, and the most clusters.
CLUSTER_SIZE, MOST_CLUSTERS = 30, 100

#: Softness of clusters (σ), weight of the penalty (θ), and the fraction of the members expected of
#: a group at which the ridge halves its shift. Below, down to ``ABSENT``, it is hardly moved.
SOFTNESS, DIVERSITY, RIDGE, ABSENT = 0.1, 1.0, 0.2, 1e-3

#: Rounds of clustering and moving, the same with shrunken shifts, and of memberships within each.
#: With more rounds, groups that have nothing in common end up on top of each other.
ROUNDS, SHRUNKEN_ROUNDS, INNER_ROUNDS = 3, 6, 10

#: Memberships are updated in this many blocks of samples, so that the penalty keeps up.
BLOCKS = 20

#: Rounds end when points move by less than this fraction of their spread.
SETTLED = 0.01

#: Effective members of a group from which on its shift in a cluster counts in the median.
LEAST_MEMBERS = 3

#: Factor of the variance of shifts by chance: clusters are found from the same samples.
DOUBT = 1.5

#: Smallest denominator.
TINY = 1e-300

Groups = Mapping[str, Indices]


@dataclass(frozen=True, eq=False)
class ClusterStep:
    """Soft clusters of one round, and the shifts of each group in them.

    Attributes
    ----------
    centers : ndarray of shape (n_clusters, n_axes)
        Directions, of length 1.
    penalties : dict of str to ndarray of shape (n_clusters, n_groups)
        By prior, factors of the memberships, below 1 where a group dominates a cluster.
    moves : dict of str to ndarray of shape (n_clusters, n_groups, n_coordinates)
        By prior, the shift that is subtracted from members of a group.
    bases : ndarray of shape (n_clusters, n_coordinates)
        What a member would be without the shift of its group.
    sizes : ndarray of shape (n_clusters,)
        Fraction of all samples in each cluster.
    """

    centers: Floats
    penalties: Mapping[str, Floats]
    moves: Mapping[str, Floats]
    bases: Floats
    sizes: Floats

    def memberships(self, points: Floats, groups: Groups, multiply: Product = np.matmul) -> Floats:
        """Return the membership of each sample in each cluster; rows sum to 1."""
        near = multiply(directions(points, self.centers.shape[1]), self.centers.T)
        weights = np.exp((2 / SOFTNESS) * (near - near.max(axis=1, keepdims=True)))
        for name, codes in groups.items():
            weights *= _penalties_of(self.penalties[name], codes)
        return weights / weights.sum(axis=1, keepdims=True)

    def moved(
        self, start: Floats, points: Floats, groups: Groups, multiply: Product = np.matmul
    ) -> Floats:
        """Move ``start`` by the shifts of the clusters of ``points``; unseen groups stay."""
        return self._moved_by(start, self.memberships(points, groups, multiply), groups, multiply)

    def _moved_by(
        self, start: Floats, members: Floats, groups: Groups, multiply: Product
    ) -> Floats:
        moved = start.copy()
        for name, codes in groups.items():
            for group, rows in members_of(codes):
                if group < self.moves[name].shape[1]:
                    moved[rows] -= multiply(members[rows], self.moves[name][:, group])
        return moved

    def moved_with_unseen(
        self, start: Floats, points: Floats, groups: Groups, multiply: Product
    ) -> Floats:
        """Move ``start`` as `moved` does, and unseen groups by shifts learnt from these points."""
        members = self.memberships(points, groups, multiply)
        moved = self._moved_by(start, members, groups, multiply)
        for name, codes in groups.items():
            for group, rows in members_of(codes):
                if group >= self.moves[name].shape[1]:
                    own = members[rows]
                    has = own.sum(axis=0)
                    means = (own.T @ start[rows]) / np.maximum(has, TINY)[:, None]
                    shrunken = has / (has + ridge(has, len(rows) * self.sizes) + TINY)
                    moved[rows] -= own @ (shrunken[:, None] * (means - self.bases))
        return moved


def learn_clusters(
    points: Floats, n_axes: int, groups: Groups, *, shrink: bool = False, careful: bool = True
) -> tuple[list[ClusterStep], Floats]:
    """Move groups together in the clusters that they share; return the rounds and the points.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_coordinates)
        Of mean zero.
    n_axes : int
        Number of leading coordinates that are clustered; all are moved.
    groups : dict of str to ndarray of shape (n_samples,)
        By prior, the group of every sample.
    shrink : bool
        Whether to shrink the shifts of small clusters.
    careful : bool
        Whether groups may differ in composition. If so, ridge and shrinkage are larger than shifts
        alone would need, so that types are not moved onto each other.
    """
    steps: list[ClusterStep] = []
    left, spread = points, np.square(points).mean()
    centers = first_centers(directions(points, n_axes))
    while len(steps) < (SHRUNKEN_ROUNDS if shrink else ROUNDS) and spread > 0:
        centers, penalties = _find_clusters(directions(left, n_axes), centers, groups)
        step = ClusterStep(centers, penalties, {}, centers, centers)
        members = step.memberships(left, groups)
        bases, moves = find_moves(points, members, groups, shrink=shrink, careful=careful)
        step = replace(step, moves=moves, bases=bases, sizes=members.mean(axis=0))
        steps.append(step)
        before, left = left, step.moved(points, left, groups)
        if np.square(left - before).mean() < SETTLED**2 * spread:
            break
    return steps, left


def replay(
    steps: Sequence[ClusterStep],
    points: Floats,
    groups: Groups,
    multiply: Product = np.matmul,
    *,
    learn: bool = False,
) -> Floats:
    """Apply the rounds to points; ``learn`` says to learn unseen groups from them."""
    left = points
    for step in steps:
        move = step.moved_with_unseen if learn else step.moved
        left = move(points, left, groups, multiply)
    return left


def directions(points: Floats, n_axes: int) -> Floats:
    """Return points on the leading axes, scaled to length 1; zeros stay."""
    along = points[:, :n_axes]
    length = np.sqrt(np.square(along).sum(axis=1, keepdims=True))
    return np.asarray(along / np.where(length > 0, length, 1.0))


def first_centers(z: Floats) -> Floats:
    """Find initial clusters, regardless of groups, by k-means of at most 5000 samples."""
    from sklearn.cluster import KMeans

    some = z[landmark_rows(len(z))]
    wanted = int(np.clip(round(len(z) / CLUSTER_SIZE), 2, MOST_CLUSTERS))
    n_clusters = min(wanted, len(np.unique(some, axis=0)))
    with threadpool_limits(1):  # the order of summation depends on the number of threads
        found = KMeans(n_clusters, n_init=1, random_state=0, max_iter=25).fit(some)
    return directions(found.cluster_centers_, z.shape[1])


def _find_clusters(z: Floats, centers: Floats, groups: Groups) -> tuple[Floats, dict[str, Floats]]:
    """Update centers, and memberships block by block; return centers and penalties."""
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
    """Return the number of members of each group in each cluster."""
    shape = (max(n_groups, int(codes.max()) + 1), len(codes))
    chosen = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=shape)
    return np.asarray((chosen @ members).T)


def penalty(has: Floats, shares: Floats) -> Floats:
    """Return the factors of memberships: below 1 where a group dominates a cluster."""
    expected = has.sum(axis=1, keepdims=True) * shares
    # Subtracting and adding blocks may leave a rounding error below zero.
    return np.asarray(((expected + 1) / (np.maximum(has, 0) + 1)) ** DIVERSITY)


def find_moves(
    points: Floats, members: Floats, groups: Groups, *, shrink: bool = False, careful: bool = True
) -> tuple[Floats, dict[str, Floats]]:
    """Regress the points of each cluster on all groups, with a ridge; return bases and shifts."""
    n, counts = len(points), [np.bincount(codes) for codes in groups.values()]
    ends = np.cumsum([1, *(len(each) for each in counts)])
    column = np.column_stack([np.zeros(n, dtype=np.intp), *groups.values()])
    column[:, 1:] += ends[:-1]
    design = csr_array(
        (np.ones(column.size), (np.repeat(np.arange(n), column.shape[1]), column.ravel()))
    )
    fraction = np.concatenate([[0.0], *(each / n for each in counts)])
    found = np.empty((members.shape[1], ends[-1], points.shape[1]))
    noise, sizes = np.zeros((2, *found.shape[:2]))
    for cluster, share in enumerate(members.T):
        weighted = design.T * share  # scales each column of a sparse array
        gram = (weighted @ design).toarray()
        has = gram.diagonal().copy()
        gram[np.diag_indices(len(gram))] += ridge(has, fraction * share.sum(), careful=careful)
        # Keeps the matrix regular if a group or the cluster has no members.
        gram[np.diag_indices(len(gram))] += np.finfo(float).eps * n
        found[cluster] = np.linalg.solve(gram, weighted @ points)
        if shrink:
            rest = points - design @ found[cluster]
            spread = share @ np.square(rest).sum(axis=1) / max(share.sum(), TINY)
            twice = ((design.T * np.square(share)) @ design).toarray()
            sizes[cluster] = np.square(has) / np.maximum(np.diag(twice), TINY)
            if careful:
                noise[cluster] = spread / np.maximum(sizes[cluster], LEAST_MEMBERS)
            else:
                half = np.linalg.solve(gram, twice)
                noise[cluster] = DOUBT * spread * np.diag(np.linalg.solve(gram, half.T))
    if shrink:
        found[:, 1:] = shrink_moves(found[:, 1:], noise[:, 1:], sizes[:, 1:])
    spans = zip(groups, pairwise(ends), strict=True)
    return found[:, 0], {name: found[:, first:last] for name, (first, last) in spans}


def ridge(has: Floats, expected: Floats, *, careful: bool = True) -> Floats:
    """Return the ridge of each group; unless ``careful``, it is small where the group has members.

    Either halves the shift of a group with a fraction ``RIDGE`` of the members expected.
    """
    if careful:
        return RIDGE * expected
    return np.asarray(np.square(RIDGE * expected) / np.maximum(has, ABSENT * expected + TINY))


def shrink_moves(moves: Floats, noise: Floats, sizes: Floats) -> Floats:
    """Shrink shifts towards the median over clusters, by the fraction of noise in the difference.

    Parameters
    ----------
    moves : ndarray of shape (n_clusters, n_groups, n_coordinates)
        Shift of each group in each cluster.
    noise : ndarray of shape (n_clusters, n_groups)
        Variance of each shift by chance, summed over coordinates.
    sizes : ndarray of shape (n_clusters, n_groups)
        Effective number of members of each group; where there are few, the shift does not count.
    """
    counted = np.where(sizes > LEAST_MEMBERS, sizes, 0.0)
    common = np.stack([_median(moves[:, g], counted[:, g]) for g in range(moves.shape[1])])
    own = moves - common
    squared = np.square(own).sum(axis=2)
    signal = np.where(counted > 0, np.maximum(squared - noise, 0.0), 0.0)
    fraction = np.divide(signal, squared, out=np.zeros_like(signal), where=squared > 0)
    return np.asarray(common + fraction[:, :, None] * own)


def _median(values: Floats, weights: Floats) -> Floats:
    """Return the weighted median of each column; zeros if no row has a weight."""
    if not weights.any():
        return np.zeros(values.shape[1])
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0) >= weights.sum() / 2
    return np.take_along_axis(values, order, axis=0)[
        reached.argmax(axis=0), np.arange(values.shape[1])
    ]


def _penalties_of(penalties: Floats, codes: Indices) -> Floats:
    """Return the penalties of each sample's group, 1 for groups that ``fit`` has not seen."""
    seen = codes < penalties.shape[1]
    return np.asarray(np.where(seen[:, None], penalties.T[np.where(seen, codes, 0)], 1.0))
