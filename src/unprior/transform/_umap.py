"""What is kept of a fitted UMAP map -> places of new samples on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.geometry import draw_landmarks
from unprior.transform._tsne import Placed, writable
from unprior.transform._views import NewView

#: Fitted samples that stand for all where UMAP's layout draws some: their sum is nearly that of
#: all, and the same for every new sample.
MOST_OTHERS = 5000


@dataclass(frozen=True, eq=False)
class UMAPMap:
    """A fitted map, and the forces on a sample that comes to it.

    Attributes
    ----------
    places : ndarray of shape (n_components, n_fitted), float32
    views : sequence of NewView
        One, of the data with priors factored out.
    a, b : float
        UMAP's curve.
    push : float
        Repulsion strength times negative sample rate.
    """

    places: NDArray[np.float32]
    views: Sequence[NewView]
    a: float
    b: float
    push: float

    @property
    def n_fitted(self) -> int:
        """Number of fitted samples."""
        return self.places.shape[1]

    def place(self, lines: Sequence[Floats], nearest: Mapping[str, Indices], known: Any) -> Placed:
        """Place new samples; see `TSNEMap.place`."""
        from unprior.kernels._place_umap import place_umap

        near, lengths = self.views[0].choose(lines[0], nearest, known)
        some = draw_landmarks(self.n_fitted, MOST_OTHERS)
        others = np.ascontiguousarray(self.places[:, some])
        push, places = self.push / (2 * others.shape[1]), writable(self.places)
        return Placed(*place_umap(places, near, lengths, others, push, self.a, self.b))
