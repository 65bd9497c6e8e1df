r"""The aligned residual: linear transformations give every group of a prior the same covariance.

Each group is moved by the optimal transport between normal distributions: with Σ the pooled
covariance within groups and Γ that of a group, :math:`Γ^{-1/2} (Γ^{1/2} Σ Γ^{1/2})^{1/2} Γ^{-1/2}`.
The covariance of a small group is mostly noise, so Γ is shrunk towards Σ by the fraction of noise
in their difference. It is replaced by Σ if the difference is within three standard deviations of
noise, or if the group has fewer than ten samples: groups unrelated to the data are not moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from unprior._typing import Floats, Indices
from unprior.priors import Prior
from unprior.priors._reader import Reader
from unprior.residual._principal_axes import Product
from unprior.residual._regressors import learn_regressors
from unprior.residual._smoothers import landmark_rows

#: Priors without classes are divided into groups: their mean size and largest number.
CELL_SIZE, MOST_CELLS = 200, 50

#: Least shrinkage of a covariance: no direction grows more than tenfold.
LEAST_SHRINKAGE = 0.01

#: A group is moved only with this many samples or more, and if its covariance differs by more than
#: this many standard deviations of noise.
LEAST_SIZE, SIGNIFICANT = 10, 3.0

#: Axes with a variance below this fraction of the largest are left alone.
ROUNDING = 1e-5


@dataclass(frozen=True, eq=False)
class AlignStep:
    """Linear transformations of the groups of one prior.

    Attributes
    ----------
    name : str
        Name of the prior.
    centers : ndarray of shape (n_groups, n_axes)
        Means of the groups, which do not move.
    changes : dict of int to ndarray of shape (n_axes, n_axes)
        For each group that is moved, its transformation minus the identity, about the center.
    variance : ndarray of shape (n_wide,)
        The pooled variance within groups along each axis, if it is not negligible.
    axes : ndarray of shape (n_axes, n_wide)
        These axes.
    """

    name: str
    centers: Floats
    changes: Mapping[int, Floats]
    variance: Floats
    axes: Floats

    def moved(self, points: Floats, groups: Indices, multiply: Product = np.matmul) -> Floats:
        """Return points, each transformed with its group; coordinates beyond the axes stay."""
        n_axes, points = self.centers.shape[1], points.copy()
        for group, rows in members_of(groups):
            if group in self.changes:
                relative = points[rows, :n_axes] - self.centers[group]
                points[rows, :n_axes] += multiply(relative, self.changes[group])
        return points

    def with_groups(self, points: Floats, groups: Indices) -> AlignStep:
        """Return the step with unseen groups added, learnt from new points."""
        n_axes, centers, changes = self.centers.shape[1], [*self.centers], dict(self.changes)
        for group, rows in members_of(groups):
            if group >= len(self.centers):
                own = points[rows, :n_axes]
                centers.append(own.mean(axis=0))
                change = own_change(own - centers[-1], self.variance, self.axes)
                if change is not None:
                    changes[group] = change
        return replace(self, centers=np.array(centers), changes=changes)


def learn_alignment(name: str, points: Floats, n_axes: int, groups: Indices) -> AlignStep:
    """Learn how to give every group the pooled covariance, on the first axes of points."""
    along = points[:, :n_axes]
    members = list(members_of(groups))
    centers = np.zeros((groups.max() + 1, n_axes))
    relative = np.empty_like(along)
    for group, rows in members:
        centers[group] = along[rows].mean(axis=0)
        relative[rows] = along[rows] - centers[group]
    freedom = max(1, len(points) - len(members))
    variance, axes = np.linalg.eigh(relative.T @ relative / freedom)
    wide = variance > ROUNDING * variance[-1]
    variance, axes = variance[wide], axes[:, wide]
    changes = {}
    # If every group is a single point, there is no pooled covariance.
    for group, rows in members if wide.any() else ():
        change = own_change(relative[rows], variance, axes)
        if change is not None:
            changes[group] = change
    return AlignStep(name, centers, changes, variance, axes)


def own_change(relative: Floats, variance: Floats, axes: Floats) -> Floats | None:
    """Return the transformation of a group minus the identity; None if it is not moved."""
    covariance = own_covariance(relative @ (axes / np.sqrt(variance)))
    if covariance is None:
        return None
    return axes @ (_least_motion(variance, covariance) - np.eye(len(variance))) @ axes.T


def own_covariance(white: Floats) -> Floats | None:
    """Return a group's covariance, shrunk towards the pooled one; None if they do not differ.

    ``white`` holds a group's points relative to their mean, whitened by the pooled covariance.
    """
    n, d = white.shape
    if n < LEAST_SIZE:
        return None
    covariance = white.T @ white / (n - 1)
    difference = np.square(covariance - np.eye(d)).sum()
    # The noise estimated from fourth moments, at least that of normal points.
    fourth = np.square(np.einsum("ij,ij->i", white, white)).mean()
    scatter = (fourth - np.square(covariance * (n - 1) / n).sum()) / n
    noise = max(scatter, d * (d + 1) / (n - 1))
    # Approximate coefficient of variation of the difference for normal points.
    deviation = np.sqrt(4 / d**2 + 8 / (d * (n - 1)))
    if difference < (1 + SIGNIFICANT * deviation) * noise:
        return None
    shrinkage = max(noise / difference, LEAST_SHRINKAGE)
    return (1 - shrinkage) * covariance + shrinkage * np.eye(d)


def find_groups(prior: Prior) -> tuple[Indices, Callable[[NDArray[Any]], Indices]]:
    """Return the group of each sample, and a function that finds the groups of new samples.

    Classes are groups. Any other prior is divided into groups of about 200 samples, at most 50, by
    k-means of its columns. New samples without columns belong to the group of the nearest fitted
    sample.
    """
    if prior.class_codes is not None:
        return prior.class_codes, np.asarray
    how, columns = learn_regressors(prior)
    centers = _cell_centers(columns[landmark_rows(len(columns))], len(columns))
    cells = _nearest(centers, columns)
    reader = prior.reader()
    if not reader.can_read:
        return cells, partial(_cell_by_distances, cells)
    if reader.n_columns is None:
        fitted = reader.points(reader.read("", "", prior))
        return cells, partial(_cell_of_nearest, cells, reader, fitted)
    return cells, partial(_nearest_read, centers, how.columns)


def _cell_centers(columns: Floats, n_samples: int) -> Floats:
    from sklearn.cluster import KMeans

    wanted = min(MOST_CELLS, max(2, n_samples // CELL_SIZE))
    n_cells = min(wanted, len(np.unique(columns, axis=0)))
    with threadpool_limits(1):  # the order of summation depends on the number of threads
        return KMeans(n_cells, n_init=1, random_state=0).fit(columns).cluster_centers_


def _nearest(centers: Floats, columns: Floats) -> Indices:
    return np.asarray(cdist(columns, centers).argmin(axis=1))


def _nearest_read(
    centers: Floats, as_columns: Callable[[NDArray[Any]], Floats], read: NDArray[Any]
) -> Indices:
    return _nearest(centers, as_columns(read))


def _cell_of_nearest(cells: Indices, reader: Reader, fitted: Floats, new: Floats) -> Indices:
    return np.asarray(cells[cKDTree(fitted).query(reader.points(new))[1]])


def _cell_by_distances(cells: Indices, distances: Floats) -> Indices:
    return np.asarray(cells[distances.argmin(axis=1)])


def members_of(groups: Indices) -> Iterator[tuple[int, Indices]]:
    """Yield each group that has samples, with its samples."""
    order = np.argsort(groups, kind="stable")
    present, starts = np.unique(groups[order], return_index=True)
    yield from zip(present.tolist(), np.split(order, starts[1:]), strict=True)


def _least_motion(variance: Floats, covariance: Floats) -> Floats:
    """Return the transport on the axes; ``covariance`` is whitened by the pooled one."""
    values, axes = np.linalg.eigh(variance[:, None] * covariance * variance)
    values = np.maximum(values, np.finfo(np.float64).eps * values[-1])
    root = (axes / np.sqrt(values)) @ axes.T
    sides = np.sqrt(variance)
    return sides[:, None] * root * sides
