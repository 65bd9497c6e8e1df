r"""Points and groups of the prior -> maps that give every group the covariance of all.

Each group is moved by the linear map that needs the least motion: with Σ the pooled covariance
within groups and Γ that of a group, :math:`Γ^{-1/2} (Γ^{1/2} Σ Γ^{1/2})^{1/2} Γ^{-1/2}`. What a
small group shows of its covariance is mostly noise. So Γ is drawn towards Σ by the share that noise
has in their difference. It is taken for Σ if the difference is within three standard deviations of
what noise alone would make of it, or if the group has fewer than ten samples: groups that have
nothing to do with the data stay as they are.
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
from unprior.priors import Labels, Prior
from unprior.priors._reader import Reader
from unprior.residual._frame import Product
from unprior.residual._regressors import learn_regressors
from unprior.residual._smoothers import reference_rows

#: Samples that a cell of a prior without classes has on average, and the most cells.
CELL_SIZE, MOST_CELLS = 200, 50

#: A covariance is drawn by no less than this share, so that no direction grows more than tenfold.
LEAST_SHARE = 0.01

#: A group has a covariance of its own from this many samples, and deviations of noise, on.
LEAST_MEMBERS, SIGNIFICANT = 10, 3.0

#: Axes with a smaller share of the largest variance stay as they are: nobody would see them move.
ROUNDING = 1e-5


@dataclass(frozen=True, eq=False)
class AlignStep:
    """Maps of the groups of one prior.

    Attributes
    ----------
    name : str
        Name of the prior.
    centers : ndarray of shape (n_groups, n_axes)
        Means of the groups, which stay where they are.
    changes : dict of int to ndarray of shape (n_axes, n_axes)
        For groups that are moved: what is added, as a map of what is relative to the center.
    variance : ndarray of shape (n_wide,)
        The pooled variance within groups, along each axis that has any.
    axes : ndarray of shape (n_axes, n_wide)
        These axes.
    """

    name: str
    centers: Floats
    changes: Mapping[int, Floats]
    variance: Floats
    axes: Floats

    def moved(self, points: Floats, groups: Indices, multiply: Product = np.matmul) -> Floats:
        """Return points with those of each group moved; coordinates beyond the axes stay."""
        n_axes, points = self.centers.shape[1], points.copy()
        for group, rows in members_of(groups):
            if group in self.changes:
                relative = points[rows, :n_axes] - self.centers[group]
                points[rows, :n_axes] += multiply(relative, self.changes[group])
        return points

    def with_groups(self, points: Floats, groups: Indices) -> AlignStep:
        """Return the step with groups that ``fit`` has not seen, learnt from new points."""
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
    # Where all groups are single points, there is no covariance to give.
    for group, rows in members if wide.any() else ():
        change = own_change(relative[rows], variance, axes)
        if change is not None:
            changes[group] = change
    return AlignStep(name, centers, changes, variance, axes)


def own_change(relative: Floats, variance: Floats, axes: Floats) -> Floats | None:
    """Return what gives a group the pooled covariance; None if it has that already."""
    covariance = own_covariance(relative @ (axes / np.sqrt(variance)))
    if covariance is None:
        return None
    return axes @ (_least_motion(variance, covariance) - np.eye(len(variance))) @ axes.T


def own_covariance(white: Floats) -> Floats | None:
    """Return a group's covariance, drawn towards that of all; None if it is that of all.

    ``white`` holds a group's points relative to their mean, in units in which the covariance of all
    is the identity.
    """
    n, d = white.shape
    if n < LEAST_MEMBERS:
        return None
    covariance = white.T @ white / (n - 1)
    difference = np.square(covariance - np.eye(d)).sum()
    # The noise as the points scatter, and no less than normal points of the covariance of all.
    fourth = np.square(np.einsum("ij,ij->i", white, white)).mean()
    scatter = (fourth - np.square(covariance * (n - 1) / n).sum()) / n
    noise = max(scatter, d * (d + 1) / (n - 1))
    # About so much the difference varies, as a share of its mean, for normal points.
    deviation = np.sqrt(4 / d**2 + 8 / (d * (n - 1)))
    if difference < (1 + SIGNIFICANT * deviation) * noise:
        return None
    share = max(noise / difference, LEAST_SHARE)
    return (1 - share) * covariance + share * np.eye(d)


def find_groups(prior: Prior) -> tuple[Indices, Callable[[NDArray[Any]], Indices]]:
    """Return the group of each sample, and what tells that of new ones, as they were read.

    Classes are groups. Any other prior is cut into cells of about 200 samples, at most 50 cells, by
    k-means on its columns. Where new samples have no columns, the nearest fitted sample tells.
    """
    if isinstance(prior, Labels):
        return prior.codes, np.asarray
    how, columns = learn_regressors(prior)
    centers = _cell_centers(columns[reference_rows(len(columns))], len(columns))
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
    # Several threads would add up in another order.
    with threadpool_limits(1):
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
    """Walk through the groups that have samples, each with these."""
    order = np.argsort(groups, kind="stable")
    present, starts = np.unique(groups[order], return_index=True)
    yield from zip(present.tolist(), np.split(order, starts[1:]), strict=True)


def _least_motion(variance: Floats, covariance: Floats) -> Floats:
    """Return the map to the covariance of all, on its axes; the group's is in units of it."""
    values, axes = np.linalg.eigh(variance[:, None] * covariance * variance)
    values = np.maximum(values, np.finfo(np.float64).eps * values[-1])
    root = (axes / np.sqrt(values)) @ axes.T
    sides = np.sqrt(variance)
    return sides[:, None] * root * sides
