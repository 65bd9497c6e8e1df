"""What is kept of a fitted JEDI map -> places of new samples on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.transform._tsne import Placed, writable
from unprior.transform._views import NewView, mean_conditional


@dataclass(frozen=True, eq=False)
class Known:
    """One prior of JEDI.

    Attributes
    ----------
    name : str
    strength : float
    perplexity : float
        That of its affinities; 0 for labels, where all samples of a class are neighbours.
    """

    name: str
    strength: float
    perplexity: float

    def rows(self, distances: Floats) -> Floats:
        """Return conditional affinities of new samples to all fitted ones."""
        from unprior.kernels._perplexity import conditional_rows

        if self.perplexity:
            return np.asarray(
                conditional_rows(np.asarray(distances, dtype=np.float64), self.perplexity)
            )
        mates = (distances == 0).astype(np.float64)
        return np.asarray(mates / np.maximum(mates.sum(axis=1, keepdims=True), 1))


@dataclass(frozen=True, eq=False)
class JEDIMap:
    """A fitted map, and the forces on a sample that comes to it.

    Attributes
    ----------
    places : ndarray of shape (3, n_fitted), float32
        The map, unused axes zero.
    n_components : int
    views : sequence of NewView
        One, of the data.
    perplexity : float
    normalizer : float
        Z.
    balance : float
        What the repulsion counts beside t-SNE's: 1 + Σ strength s̄.
    known : sequence of Known
    symmetry, skewness : float
    """

    places: NDArray[np.float32]
    n_components: int
    views: Sequence[NewView]
    perplexity: float
    normalizer: float
    balance: float
    known: Sequence[Known]
    symmetry: float
    skewness: float

    @property
    def n_fitted(self) -> int:
        """Number of fitted samples."""
        return self.places.shape[1]

    def place(self, lines: Sequence[Floats], nearest: Mapping[str, Indices], known: Any) -> Placed:
        """Place new samples; see `TSNEMap.place`."""
        from unprior.kernels._perplexity import conditional_rows
        from unprior.kernels._place_jedi import place_jedi

        found = self.views[0].choose(lines[0], nearest, known)
        near, pulls = mean_conditional([found], (1.0,), min(self.perplexity, found[0].shape[1] / 3))
        affinities = conditional_rows(np.asarray(lines[0], dtype=np.float64), self.perplexity)
        told = [one for one in self.known if one.name in nearest]
        rows = np.zeros((len(near), len(told), self.n_fitted))
        for m, one in enumerate(told):
            rows[:, m] = one.rows(known(one.name))
        strengths = np.array([one.strength for one in told])
        push = self.balance * self.n_fitted / self.normalizer
        shape = self.normalizer, push, float(self.symmetry), float(self.skewness)
        task = near, pulls, affinities, rows, strengths, shape
        places, medians = place_jedi(writable(self.places), *task)
        return Placed(places[:, : self.n_components], medians[:, : self.n_components])
