"""What is kept of a fitted t-SNE map -> places of new samples on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.affinities._similarity import Similarity
from unprior.forces import SoftNeighbors
from unprior.forces._soft_neighbors import ALL_PAIRS, CUTOFF
from unprior.transform._views import NewView, mean_conditional


class Placed(NamedTuple):
    """Places of new samples, and the weighted median of their neighbours' places."""

    places: Floats
    medians: Floats


@dataclass(frozen=True, eq=False)
class Pull:
    """The force of a constraint: ``gain`` (k̃ − ``level``) is what a pair counts.

    Attributes
    ----------
    name : str
        Name of the prior.
    similarity : Similarity
        k̃ between fitted samples.
    level : float
        L on the fitted map.
    gain : float
        The multiplier times n / Σ w².
    """

    name: str
    similarity: Similarity
    level: float
    gain: float

    def row(self, nearest: int) -> Floats:
        """Return what pairs with all fitted samples count, for one that is like one of them."""
        k = self.similarity
        pairs = k.table[k.strata[nearest]][k.strata]
        own = k.classes[nearest]
        alike = np.where(k.classes == own, k.same_class[own], 0)
        return np.asarray(self.gain * (pairs + alike - self.level))


@dataclass(frozen=True, eq=False)
class TSNEMap:
    """A fitted map, and the forces on a sample that comes to it.

    Attributes
    ----------
    places : ndarray of shape (3, n_fitted), float32
        The map, unused axes zero.
    n_components : int
    views : sequence of NewView
        The data, and their residual if there is one.
    weights : tuple of float
        What the affinities of each view count.
    perplexity : float
    push : float
        n / Z, the weight of the repulsion.
    pulls : sequence of Pull
        Constraints with a multiplier other than 0.
    scale : float
        s, the distance at which soft neighbours count a quarter in these.
    """

    places: NDArray[np.float32]
    n_components: int
    views: Sequence[NewView]
    weights: tuple[float, ...]
    perplexity: float
    push: float
    pulls: Sequence[Pull] = ()
    scale: float = 1.0

    @property
    def n_fitted(self) -> int:
        """Number of fitted samples."""
        return self.places.shape[1]

    def place(self, lines: Sequence[Floats], nearest: Mapping[str, Indices], known: Any) -> Placed:
        """Place new samples.

        Parameters
        ----------
        lines : sequence of ndarray of shape (n_new, n_fitted)
            Distances to the fitted samples in each view; in the first alone if the prior is not
            known.
        nearest : dict of str to ndarray of shape (n_new,)
            By prior, the fitted sample most like each new one; -1 if none is.
        known : function
            Returns distances to the fitted samples in a prior, by name.
        """
        from unprior.kernels._place_tsne import place_tsne

        pairs = zip(self.views, lines, strict=False)
        found = [view.choose(line, nearest, known) for view, line in pairs]
        weights = self.weights if len(found) == len(self.views) else (1.0,)
        near, affinities = mean_conditional(found, weights, self.perplexity)
        farthest = np.inf if self.n_fitted <= ALL_PAIRS else (CUTOFF * self.scale) ** 2
        forces = np.zeros((len(near), self.n_fitted), dtype=np.float32)
        for pull in self.pulls:
            for row, own in zip(forces, nearest.get(pull.name, ()), strict=False):
                if own >= 0:
                    row += pull.row(own)
        inverse = np.float32(1 / self.scale**2)
        task = np.float32(self.push), forces, inverse, np.float32(farthest)
        places, medians = place_tsne(writable(self.places), near, affinities, *task)
        return Placed(places[:, : self.n_components], medians[:, : self.n_components])


def keep_places(embedding: Floats) -> NDArray[np.float32]:
    """Return a map as three rows, unused ones zero."""
    places = np.zeros((3, len(embedding)), dtype=np.float32)
    places[: embedding.shape[1]] = embedding.T
    return places


def writable(places: NDArray[np.float32]) -> NDArray[np.float32]:
    """Copy a read-only map, as of a model in shared memory: loops would be compiled once more."""
    return np.require(places, requirements="W")


def keep_pull(
    name: str, prior: SoftNeighbors, multiplier: float, embedding: Floats, scale: float
) -> Pull:
    """Return the force of a constraint on a fitted map."""
    space = np.zeros((len(embedding), 3))
    space[:, : embedding.shape[1]] = embedding
    sums = prior.sums(space, scale)
    gain = multiplier * len(embedding) / sums.total if sums.total else 0.0
    return Pull(name, prior.similarity, sums.level, gain)
