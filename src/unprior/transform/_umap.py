"""Placing new samples on a fitted UMAP map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats
from unprior.geometry import draw_landmarks
from unprior.transform._priors import NewPriors
from unprior.transform._tsne import Placed, in_one_layout
from unprior.transform._views import FittedView

#: Number of fitted samples whose repulsion represents that of all. UMAP draws negative samples at
#: random; the mean over a fixed subset has no noise and is the same for every new sample.
MOST_REPELLING = 5000

#: Most edges from fitted samples to a new one, in multiples of its own edges.
MOST_REVERSE = 4


@dataclass(frozen=True, eq=False)
class UMAPMap:
    """A fitted map, and the forces on a new sample.

    Attributes
    ----------
    places : ndarray of shape (n_components, n_fitted), float32
    views : sequence of FittedView
        One, of the data with priors factored out.
    a, b : float
        UMAP's curve.
    push : float
        Repulsion strength times negative sample rate.
    rhos, sigmas, reach : ndarray of shape (n_fitted,)
        By fitted sample, UMAP's distance to the nearest neighbour and width, and the distance to
        the farthest of its neighbours: whether it has an edge to a new sample, and the weight.
    """

    places: NDArray[np.float32]
    views: Sequence[FittedView]
    a: float
    b: float
    push: float
    rhos: Floats
    sigmas: Floats
    reach: Floats

    @property
    def n_fitted(self) -> int:
        """Number of fitted samples."""
        return self.places.shape[1]

    @cached_property
    def repelling(self) -> NDArray[np.float32]:
        """Places of the fitted samples that repel."""
        return np.ascontiguousarray(self.places[:, draw_landmarks(self.n_fitted, MOST_REPELLING)])

    def place(self, distances: Sequence[Floats], priors: NewPriors) -> Placed:
        """Place new samples; see `TSNEMap.place`."""
        from unprior.kernels._place_umap import add_reverse, fuzzy_weights, place_umap
        from unprior.kernels._to_fitted import nearest_rows

        view = self.views[0]
        factored = view.factored(distances[0], priors)
        if factored is None:  # balanced edges mostly go both ways
            near, lengths = view.neighbors(distances[0], priors)
            weights = fuzzy_weights(lengths)
        else:
            near, lengths = nearest_rows(factored, view.k)
            edges = map(in_one_layout, (self.rhos, self.sigmas, self.reach))
            most = MOST_REVERSE * view.k
            near, weights = add_reverse(near, fuzzy_weights(lengths), factored, *edges, most)
        push, places = self.push / (2 * self.repelling.shape[1]), in_one_layout(self.places)
        return Placed(*place_umap(places, near, weights, self.repelling, push, self.a, self.b))
