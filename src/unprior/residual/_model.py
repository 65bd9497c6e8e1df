"""The smooth, aligned and clustered residuals: learn the steps, and repeat them for new samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from unprior._typing import Floats, Indices
from unprior.priors import Keep, Labels, Prior
from unprior.priors._reader import Reader
from unprior.residual._aligned import AlignStep, find_groups, learn_alignment
from unprior.residual._clustered import ClusterStep, learn_clusters, replay
from unprior.residual._principal_axes import (
    PrincipalAxes,
    find_axes,
    from_distances,
    multiply_rows,
    to_distances,
)
from unprior.residual._smooth import (
    SmoothStep,
    add_unseen_classes,
    take_out,
    without_unseen_means,
)
from unprior.residual._smoothers import Smoother, fitted_smoother, landmark_rows, new_smoother

#: Fewest samples of a kept class within which the prior is removed.
LEAST_KEPT = 20


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps taken with the fitted points, in order, to be repeated for new ones.

    Attributes
    ----------
    smooth : list of SmoothStep
        Predictions of the priors, removed in order.
    align : list of AlignStep
        Transformations of groups to the pooled covariance, applied in order.
    smoothers, groups : dict of str to function
        By the name of the prior: functions that make the smoother, or find the groups, of new
        samples.
    clusters : list of ClusterStep
        Rounds in which groups were moved together in shared clusters.
    within : list of Steps
        The steps within each kept class, taken last.
    centers : ndarray of shape (n_kept, n_coordinates)
        Means of the kept classes. A new sample belongs to the class of the nearest.
    """

    smooth: list[SmoothStep]
    align: list[AlignStep]
    smoothers: Mapping[str, Callable[[NDArray[Any]], Smoother]]
    groups: Mapping[str, Callable[[NDArray[Any]], Indices]]
    clusters: Sequence[ClusterStep] = ()
    within: Sequence[Steps] = ()
    centers: Floats | None = None

    def left(
        self, points: Floats, read: Mapping[str, NDArray[Any]], *, learn: bool = False
    ) -> Floats:
        """Return new points without what the priors predict.

        Nothing is predicted for classes that ``fit`` has not seen, unless ``learn`` says to learn
        them from these points.
        """
        needed = self.smoothers if learn else {step.name for step in self.smooth}
        smoothers = {name: self.smoothers[name](read[name]) for name in needed}
        for step in self.smooth:
            smoother, step = add_unseen_classes(smoothers[step.name], step)
            points = points - step.predicted(smoother, points)
        if learn:
            for smoother in smoothers.values():
                points = without_unseen_means(points, smoother)
        for align in self.align:
            groups = self.groups[align.name](read[align.name])
            if learn:
                align = align.with_groups(points, groups)
            points = align.moved(points, groups, multiply_rows)
        if self.clusters:
            own = {name: self.groups[name](read[name]) for name in self.groups}
            points = replay(self.clusters, points, own, multiply_rows, learn=learn)
        if self.centers is None:
            return points
        return self._left_within(points, read, self.centers, learn=learn)

    def _left_within(
        self, points: Floats, read: Mapping[str, NDArray[Any]], centers: Floats, *, learn: bool
    ) -> Floats:
        nearest, moved = cdist(points, centers).argmin(axis=1), points.copy()
        for number, steps in enumerate(self.within):
            rows = np.flatnonzero(nearest == number)
            if len(rows):
                here = {name: values[rows] for name, values in read.items()}
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
    """Remove from points what the priors predict; return the steps and the residual.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_coordinates)
        Coordinates on the principal axes, of mean zero.
    n_axes : int
        Number of leading coordinates that are treated one by one.
    priors : dict of str to Prior
        What to remove, by name.
    n_neighbors : int
        Number of neighbours in priors without classes.
    kind : str
        "smooth" removes means over prior neighbours. "aligned" also gives groups the pooled
        covariance. "clustered" moves groups together in the clusters that they share, "shrunken"
        does so with shrunken shifts, and "aligned and shrunken" is "aligned", then "shrunken".
        "aligned and clustered" shrinks less: it is for groups of equal composition, such as those
        within kept classes.
    keep : Keep, optional
        Kept labels. Differences between their classes stay. What the priors predict alike in all
        classes is removed first, then what they predict within each.
    """
    if kind in ("aligned and clustered", "aligned and shrunken") and keep is None:
        steps, points = learn_steps(points, n_axes, priors, n_neighbors, kind="aligned")
        careful = kind == "aligned and shrunken"
        then, points = _learn_clustered(points, n_axes, priors, shrink=True, careful=careful)
        return replace(steps, clusters=then.clusters), points
    if kind in ("clustered", "shrunken"):
        if keep is None:
            return _learn_clustered(points, n_axes, priors, shrink=kind == "shrunken")
        within, centers, points = _learn_within(
            points, n_axes, priors, n_neighbors, keep, kind=kind
        )
        return replace(Steps([], [], {}, {}), within=within, centers=centers), points
    fitted = {name: fitted_smoother(prior, n_neighbors) for name, prior in priors.items()}
    # Priors whose means are over the most samples come first: what several predict is removed with
    # the least noise, and the order in which they were given does not matter.
    names = sorted(fitted, key=lambda name: fitted[name].weight.sum())
    smooth, points = take_out(points, n_axes, {name: fitted[name] for name in names}, keep)
    whole = kind == "aligned" and keep is None
    found = {name: find_groups(prior) for name, prior in priors.items() if whole}
    align, points = align_all(points, n_axes, {name: own for name, (own, _) in found.items()})
    groups = {name: find for name, (_, find) in found.items()}
    smoothers = {name: new_smoother(prior, n_neighbors) for name, prior in priors.items()}
    steps = Steps(smooth, align, smoothers, groups)
    if keep is None:
        return steps, points
    within, centers, points = _learn_within(points, n_axes, priors, n_neighbors, keep, kind=kind)
    return replace(steps, within=within, centers=centers), points


def _learn_clustered(
    points: Floats, n_axes: int, priors: Mapping[str, Prior], *, shrink: bool, careful: bool = True
) -> tuple[Steps, Floats]:
    """Move the classes of the priors together in the clusters that they share."""
    own: dict[str, Indices] = {}
    for name, prior in priors.items():
        if prior.class_codes is None:
            message = (
                f"Residual: the kind 'clustered' takes priors with classes; {name!r} has none. Cut "
                "it into classes, for example with pandas.qcut, or use another kind."
            )
            raise ValueError(message)
        own[name] = prior.class_codes
    if not own:
        return Steps([], [], {}, {}), points
    clusters, points = learn_clusters(points, n_axes, own, shrink=shrink, careful=careful)
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
    """Remove what priors predict within kept classes; samples without a label stay."""
    within, centers, left = [], [], points.copy()
    for _, rows in keep.members():
        center = points[rows].mean(axis=0)
        several = len(rows) >= LEAST_KEPT
        here = {name: _some(prior, rows) for name, prior in priors.items() if several}
        here = {name: prior for name, prior in here.items() if prior.largest() > 0}
        k = min(n_neighbors, len(landmark_rows(len(rows))) - 1)
        steps, own = learn_steps(points[rows] - center, n_axes, here, k, kind=kind)
        left[rows] = center + own
        within.append(steps)
        centers.append(center)
    return within, np.array(centers), left


def _some(prior: Prior, rows: Indices) -> Prior:
    """Return the prior of some samples; labels keep their codes."""
    return Labels(prior.codes[rows], prior.classes) if isinstance(prior, Labels) else prior[rows]


def align_all(
    points: Floats, n_axes: int, groups: Mapping[str, Indices]
) -> tuple[list[AlignStep], Floats]:
    """Give the groups of every prior the pooled covariance; return the steps and the points.

    The prior that moves points the most comes first: what it explains, others need not move.
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
    """Removes nothing, from new samples either.

    Attributes
    ----------
    readers : dict of str to Reader
        The reader of each prior, by name.
    """

    readers: Mapping[str, Reader]

    def explained(
        self, X: Floats, read: Mapping[str, NDArray[Any]], *, learn: bool = False
    ) -> Floats:
        """Return zeros."""
        return np.zeros_like(X)


@dataclass(frozen=True, eq=False)
class SmoothModel:
    """Steps for features, taken on their principal axes."""

    readers: Mapping[str, Reader]
    axes: PrincipalAxes
    steps: Steps

    def explained(
        self, X: Floats, read: Mapping[str, NDArray[Any]], *, learn: bool = False
    ) -> Floats:
        """Return what is removed from new samples."""
        points = self.axes.points(X, multiply_rows)
        left = self.steps.left(points, read, learn=learn)
        return self.axes.vectors(points - left, multiply_rows)


def learn_smooth(
    X: Floats,
    priors: Mapping[str, Prior],
    n_neighbors: int,
    *,
    kind: str,
    keep: Keep | None = None,
) -> tuple[SmoothModel, Floats]:
    """Remove from features what the priors predict; return the model and what is removed.

    ``kind`` is that of `unprior.Residual`, except "linear" and "auto".
    """
    axes = find_axes(X)
    points = axes.points(X)
    steps, left = learn_steps(points, axes.n_axes, priors, n_neighbors, kind=kind, keep=keep)
    readers = {name: prior.reader() for name, prior in priors.items()}
    return SmoothModel(readers, axes, steps), axes.vectors(points - left)


def smooth_distances(
    D: Floats,
    priors: Mapping[str, Prior],
    n_neighbors: int,
    strength: float,
    *,
    kind: str,
    keep: Keep | None = None,
) -> Floats:
    """Remove from distances a fraction of what the priors predict."""
    points, n_real, n_axes = from_distances(np.square(D, dtype=np.float64))
    _, left = learn_steps(points, n_axes, priors, n_neighbors, kind=kind, keep=keep)
    squared = to_distances(points + strength * (left - points), n_real)
    return np.sqrt(np.maximum(squared, 0))
