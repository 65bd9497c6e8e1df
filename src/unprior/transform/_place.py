"""Placing new samples on a fitted map, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats
from unprior.geometry import SampleDistances, draw_landmarks
from unprior.operators import BalancedRows
from unprior.operators._squares import kth_distances
from unprior.transform._distances import blocks
from unprior.transform._jedi import JEDIMap
from unprior.transform._priors import FittedLabels, FittedPrior, NewPriors, new_classes
from unprior.transform._tsne import Placed, TSNEMap
from unprior.transform._umap import UMAPMap
from unprior.transform._views import FittedView

#: A new sample is far if the distance to its RANK-th neighbour exceeds this quantile of the same
#: distance among fitted samples, estimated from this many of them.
RANK, QUANTILE, ESTIMATED_FROM = 15, 0.99, 500

#: Smallest and largest number of samples of a new class from which potentials are estimated. Those
#: of a single sample would make all fitted samples its neighbours.
LEAST_LEARNT, LEARN_FROM = 5, 300

#: A fitted map with its forces.
FittedMap = TSNEMap | UMAPMap | JEDIMap


@dataclass(frozen=True, eq=False)
class Reach:
    """The distance within which fitted samples have their neighbours.

    Attributes
    ----------
    distance : float
        99 % of fitted samples are nearer to their ``rank``-th neighbour.
    rank : int
    """

    distance: float
    rank: int

    @classmethod
    def of(cls, data: SampleDistances) -> Reach:
        """Estimate it from some fitted samples."""
        rank = min(RANK, data.n_samples - 1)
        lengths = kth_distances(data, draw_landmarks(data.n_samples, ESTIMATED_FROM), rank)
        return cls(float(np.quantile(lengths, QUANTILE)), rank)

    def is_exceeded(self, distances: Floats) -> NDArray[np.bool_]:
        """Return which rows of distances to fitted samples have fewer neighbours within it."""
        from unprior.kernels._to_fitted import nearest_rows

        _, lengths = nearest_rows(distances, self.rank)
        return np.asarray(lengths[:, -1] > self.distance)


@dataclass(frozen=True, eq=False)
class Placement:
    """What a fit keeps to place new samples.

    Attributes
    ----------
    map : FittedMap
        The map, the fitted samples in each view, and the forces.
    priors : dict of str to FittedPrior
        The priors, by name.
    reach : Reach
        Identifies samples that are far from all fitted ones.
    """

    map: FittedMap
    priors: Mapping[str, FittedPrior]
    reach: Reach

    def place(
        self, views: list[Floats], values: Mapping[str, Any], *, learn: bool = False
    ) -> tuple[Placed, NDArray[np.bool_]]:
        """Place new samples, and return which are far from all fitted ones.

        Parameters
        ----------
        views : list of ndarray of shape (n_new, n_features)
            Data of the new samples and, if there is one, their residual.
        values : dict
            Their priors, from `read_values`; empty if not given.
        learn : bool
            Whether balanced neighbours of classes that were not fitted are learnt from the samples.
        """
        view = self.map.views[0]
        potentials = learn_potentials(view, self.priors, views[0], values) if learn else None
        found, far = [], []
        for rows in blocks(len(views[0]), self.map.n_fitted):
            priors = NewPriors.of(self.priors, values, rows, potentials)
            pairs = zip(self.map.views, views, strict=False)
            distances = [view.data.distances(X[rows]) for view, X in pairs]
            found.append(self.map.place(distances, priors))
            far.append(self.reach.is_exceeded(distances[0]))
        places, medians = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return Placed(places, medians), np.concatenate(far)


def can_learn(view: FittedView, kept: Mapping[str, FittedPrior]) -> bool:
    """Whether balanced neighbours of new classes can be learnt: for a single prior of labels."""
    labels = [isinstance(one, FittedLabels) for one in kept.values()]
    return labels == [True] and isinstance(view.factor, BalancedRows)


def learn_potentials(
    view: FittedView, kept: Mapping[str, FittedPrior], X: Floats, values: Mapping[str, Any]
) -> dict[int, Floats]:
    """Return potentials of the fitted samples for each class of one prior that is new."""
    if not values or not can_learn(view, kept):
        return {}
    balanced, found = cast("BalancedRows", view.factor), {}
    for _, reader, codes in new_classes(kept, values):
        for code in np.unique(codes[codes >= len(reader.classes)]).tolist():
            rows = np.flatnonzero(codes == code)
            if len(rows) >= LEAST_LEARNT:
                some = X[rows[draw_landmarks(len(rows), LEARN_FROM)]]
                found[code] = balanced.learn_potentials(view.data.distances(some))
    return found
