"""Points and priors -> points without what the priors foretell, and how to do so for new ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from unprior._typing import Floats, Indices
from unprior.priors import Labels, Prior
from unprior.priors._keep import Keep
from unprior.priors._reader import Reader
from unprior.residual._aligned import AlignStep, find_groups, learn_alignment
from unprior.residual._clustered import ClusterStep, learn_clusters, refuse_unseen, replay
from unprior.residual._frame import Frame, find_frame, multiply_rows, place, squared_distances
from unprior.residual._smooth import SmoothStep, take_out
from unprior.residual._smoothers import Smoother, fitted_smoother, new_smoother, reference_rows
from unprior.residual._unseen import with_unseen

#: A kept class has a residual of its own from this many samples on.
LEAST_KEPT = 20


@dataclass(frozen=True, eq=False)
class Steps:
    """What was done to the fitted points, and what it takes to do it to new ones.

    Attributes
    ----------
    smooth : list of SmoothStep
        Means over prior neighbours that were taken out, in order.
    align : list of AlignStep
        Groups that were given the covariance of all, in order.
    smoothers, groups : dict of str to function
        By the name of the prior: what makes the smoother, or tells the groups, of new samples.
    clusters : list of ClusterStep
        Rounds in which groups were moved onto each other in shared clusters.
    within : list of Steps
        What was then done to the points of each kept class by themselves.
    centers : ndarray of shape (n_kept, n_coordinates)
        The means of these classes. A new sample counts to the class of the nearest.
    """

    smooth: list[SmoothStep]
    align: list[AlignStep]
    smoothers: Mapping[str, Callable[[NDArray[Any]], Smoother]]
    groups: Mapping[str, Callable[[NDArray[Any]], Indices]]
    clusters: Sequence[ClusterStep] = ()
    within: Sequence[Steps] = ()
    centers: Floats | None = None

    def left(
        self, points: Floats, told: Mapping[str, NDArray[Any]], *, learn: bool = False
    ) -> Floats:
        """Return new points without what the priors foretell of them.

        Of classes that ``fit`` has not seen nothing is foretold, unless it is to be learnt from
        these points.
        """
        foretelling = {step.name for step in self.smooth}
        smoothers = {name: self.smoothers[name](told[name]) for name in foretelling}
        for step in self.smooth:
            smoother, step = with_unseen(smoothers[step.name], step, points, learn=learn)
            points = points - step.foretold(smoother, points)
        for align in self.align:
            groups = self.groups[align.name](told[align.name])
            if learn:
                align = align.with_groups(points, groups)
            points = align.moved(points, groups, multiply_rows)
        if self.clusters:
            own = {name: self.groups[name](told[name]) for name in self.groups}
            if learn:
                refuse_unseen(self.clusters, own)
            points = replay(self.clusters, points, own, multiply_rows)
        if self.centers is None:
            return points
        return self._left_within(points, told, self.centers, learn=learn)

    def _left_within(
        self, points: Floats, told: Mapping[str, NDArray[Any]], centers: Floats, *, learn: bool
    ) -> Floats:
        nearest, moved = cdist(points, centers).argmin(axis=1), points.copy()
        for number, steps in enumerate(self.within):
            rows = np.flatnonzero(nearest == number)
            if len(rows):
                here = {name: read[rows] for name, read in told.items()}
                own = steps.left(points[rows] - centers[number], here, learn=learn)
                moved[rows] = centers[number] + own
        return moved


def learn_steps(
    points: Floats,
    n_axes: int,
    priors: Mapping[str, Prior],
    n_neighbors: int,
    *,
    kind: str,
    keep: Keep | None = None,
) -> tuple[Steps, Floats]:
    """Take out of points what the priors foretell; return how, and what is left.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_coordinates)
        Of mean zero, on their principal axes.
    n_axes : int
        The first so many coordinates are looked at one by one.
    priors : dict of str to Prior
        What is known, by name.
    n_neighbors : int
        Number of neighbours in priors that have no classes.
    kind : {"smooth", "aligned", "clustered"}
        Whether means over prior neighbours are taken out; also groups get the covariance of all; or
        instead groups are moved onto each other in the clusters that they share.
    keep : Keep, optional
        Kept labels. What their classes differ by stays; what the priors foretell of all classes
        alike is taken out, and then what they foretell within each.
    """
    if kind == "clustered":
        if keep is None:
            return _learn_clustered(points, n_axes, priors)
        within, centers, points = _learn_within(
            points, n_axes, priors, n_neighbors, keep, kind=kind
        )
        return replace(Steps([], [], {}, {}), within=within, centers=centers), points
    fitted = {name: fitted_smoother(prior, n_neighbors) for name, prior in priors.items()}
    # What several foretell alike is told with the least noise by the prior whose means are over the
    # most samples; and in whatever order priors were given, the same is done.
    names = sorted(fitted, key=lambda name: fitted[name].weight.sum())
    smooth, points = take_out(points, n_axes, {name: fitted[name] for name in names}, keep)
    whole = kind == "aligned" and keep is None
    found = {name: find_groups(prior) for name, prior in priors.items() if whole}
    align, points = align_all(points, n_axes, {name: own for name, (own, _) in found.items()})
    groups = {name: tell for name, (_, tell) in found.items()}
    smoothers = {name: new_smoother(prior, n_neighbors) for name, prior in priors.items()}
    steps = Steps(smooth, align, smoothers, groups)
    if keep is None:
        return steps, points
    within, centers, points = _learn_within(points, n_axes, priors, n_neighbors, keep, kind=kind)
    return replace(steps, within=within, centers=centers), points


def _learn_clustered(
    points: Floats, n_axes: int, priors: Mapping[str, Prior]
) -> tuple[Steps, Floats]:
    """Move the classes of the priors onto each other in the clusters that they share."""
    own: dict[str, Indices] = {}
    for name, prior in priors.items():
        if not isinstance(prior, Labels):
            message = (
                f"Residual: the kind 'clustered' takes priors with classes; {name!r} has none. Cut "
                "it into classes, for example with pandas.qcut, or take another kind."
            )
            raise ValueError(message)
        own[name] = prior.codes
    clusters, points = learn_clusters(points, n_axes, own) if own else ([], points)
    return Steps([], [], {}, dict.fromkeys(own, np.asarray), clusters), points


def _learn_within(
    points: Floats,
    n_axes: int,
    priors: Mapping[str, Prior],
    n_neighbors: int,
    keep: Keep,
    *,
    kind: str,
) -> tuple[list[Steps], Floats, Floats]:
    """Take out what priors predict within kept classes; samples without a label stay."""
    within, centers, left = [], [], points.copy()
    for _, rows in keep.members():
        center = points[rows].mean(axis=0)
        several = len(rows) >= LEAST_KEPT
        here = {name: _some(prior, rows) for name, prior in priors.items() if several}
        here = {name: prior for name, prior in here.items() if prior.largest() > 0}
        k = min(n_neighbors, len(reference_rows(len(rows))) - 1)
        steps, own = learn_steps(points[rows] - center, n_axes, here, k, kind=kind)
        left[rows] = center + own
        within.append(steps)
        centers.append(center)
    return within, np.array(centers), left


def _some(prior: Prior, rows: Indices) -> Prior:
    """Return the prior of some samples; labels under the numbers that all have."""
    return Labels(prior.codes[rows], prior.classes) if isinstance(prior, Labels) else prior[rows]


def align_all(
    points: Floats, n_axes: int, groups: Mapping[str, Indices]
) -> tuple[list[AlignStep], Floats]:
    """Give the groups of every prior the covariance of all; return how, and the points then.

    The prior that moves points the most comes first: it may be the cause of what another has to
    move, which then has to no more.
    """
    steps: list[AlignStep] = []
    while len(steps) < len(groups):
        done = {step.name for step in steps}
        waiting = [learn_alignment(n, points, n_axes, groups[n]) for n in groups if n not in done]
        steps.append(max(waiting, key=lambda step: _motion(step, points, groups[step.name])))
        points = steps[-1].moved(points, groups[steps[-1].name])
    return steps, points


def _motion(step: AlignStep, points: Floats, groups: Indices) -> float:
    return float(np.square(step.moved(points, groups) - points).sum())


@dataclass(frozen=True, eq=False)
class NoModel:
    """Takes nothing out, of new samples either.

    Attributes
    ----------
    readers : dict of str to Reader
        What reads each prior, by name.
    """

    readers: Mapping[str, Reader]

    def explained(
        self, X: Floats, told: Mapping[str, NDArray[Any]], *, learn: bool = False
    ) -> Floats:
        """Return zeros."""
        return np.zeros_like(X)


@dataclass(frozen=True, eq=False)
class SmoothModel:
    """Steps for features: the points are those of a frame."""

    readers: Mapping[str, Reader]
    frame: Frame
    steps: Steps

    def explained(
        self, X: Floats, told: Mapping[str, NDArray[Any]], *, learn: bool = False
    ) -> Floats:
        """Return what is taken out of new samples."""
        points = self.frame.points(X, multiply_rows)
        left = self.steps.left(points, told, learn=learn)
        return self.frame.vectors(points - left, multiply_rows)


def learn_smooth(
    X: Floats,
    priors: Mapping[str, Prior],
    n_neighbors: int,
    *,
    kind: str,
    keep: Keep | None = None,
) -> tuple[SmoothModel, Floats]:
    """Take out of features what the priors foretell; return how, and what is taken out.

    ``kind`` is that of `unprior.Residual`, any but the linear one.
    """
    frame = find_frame(X)
    points = frame.points(X)
    steps, left = learn_steps(points, frame.n_axes, priors, n_neighbors, kind=kind, keep=keep)
    readers = {name: prior.reader() for name, prior in priors.items()}
    return SmoothModel(readers, frame, steps), frame.vectors(points - left)


def smooth_distances(
    D: Floats,
    priors: Mapping[str, Prior],
    n_neighbors: int,
    strength: float,
    *,
    kind: str,
    keep: Keep | None = None,
) -> Floats:
    """Take out of distances a share of what the priors foretell."""
    points, n_real, n_axes = place(np.square(D, dtype=np.float64))
    _, left = learn_steps(points, n_axes, priors, n_neighbors, kind=kind, keep=keep)
    squared = squared_distances(points + strength * (left - points), n_real)
    return np.sqrt(np.maximum(squared, 0))
