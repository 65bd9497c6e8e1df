"""Placing new samples on a fitted t-SNE map, with the constraints of its priors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.affinities import Similarity
from unprior.forces import SoftNeighbors
from unprior.forces._soft_neighbors import ALL_PAIRS, CUTOFF
from unprior.transform._priors import NewPriors
from unprior.transform._views import FittedView, mean_conditional

#: How much stronger constraints act on new samples than in the fit. There both samples of a pair
#: that is alike in the prior move apart; here only the new one does.
ONE_SIDED = 1.5

#: Number of neighbours that vote on the kept class of a new sample.
VOTERS = 15


class Placed(NamedTuple):
    """Places of new samples, and the weighted median of their neighbours' places."""

    places: Floats
    medians: Floats


@dataclass(frozen=True, eq=False)
class ConstraintForce:
    """The force of a constraint: a pair counts ``gain`` (k̃ − ``level``).

    Attributes
    ----------
    name : str
        Name of the prior.
    similarity : Similarity
        k̃ between fitted samples.
    level : float
        L on the fitted map.
    gain : float
        The multiplier times n / Σ w², times `ONE_SIDED`.
    """

    name: str
    similarity: Similarity
    level: float
    gain: float

    @classmethod
    def of(
        cls, name: str, prior: SoftNeighbors, multiplier: float, embedding: Floats, scale: float
    ) -> ConstraintForce:
        """Return the force of a constraint on a fitted map."""
        space = np.zeros((len(embedding), 3))
        space[:, : embedding.shape[1]] = embedding
        sums = prior.sums(space, scale)
        gain = ONE_SIDED * multiplier * len(embedding) / sums.total if sums.total else 0.0
        return cls(name, prior.similarity, sums.level, gain)

    def add_to(self, forces: NDArray[np.float32], alike: Indices) -> None:
        """Add it to a row for each new sample; ``alike`` are the most similar fitted samples."""
        from unprior.kernels._place_tsne import add_constraint

        k = self.similarity
        task = k.strata, k.table, k.classes, k.same_class
        add_constraint(forces, alike, *task, np.float32(self.level), np.float32(self.gain))


@dataclass(frozen=True, eq=False)
class TSNEMap:
    """A fitted map, and the forces on a new sample.

    Attributes
    ----------
    places : ndarray of shape (3, n_fitted), float32
        The map, unused axes zero.
    n_components : int
    views : sequence of FittedView
        The data, and their residual if there is one.
    weights : tuple of float
        The weight of each view's affinities.
    perplexity : float
    push : float
        n / Z, the weight of the repulsion.
    constraints : sequence of ConstraintForce
        Those with a multiplier other than 0.
    scale : float
        s, the distance at which soft neighbours have a quarter of their weight.
    groups : ndarray of shape (n_fitted,) or None
        Kept class of every fitted sample, -1 if it has none; None without kept classes.
    """

    places: NDArray[np.float32]
    n_components: int
    views: Sequence[FittedView]
    weights: tuple[float, ...]
    perplexity: float
    push: float
    constraints: Sequence[ConstraintForce] = ()
    scale: float = 1.0
    groups: Indices | None = None

    @property
    def n_fitted(self) -> int:
        """Number of fitted samples."""
        return self.places.shape[1]

    def place(self, distances: Sequence[Floats], priors: NewPriors) -> Placed:
        """Place new samples.

        Parameters
        ----------
        distances : sequence of ndarray of shape (n_new, n_fitted)
            Distances to the fitted samples in each view; only in the first if priors are not known.
        priors : NewPriors
            Their priors.
        """
        found = self._neighbors(distances, priors)
        near, affinities = self._affinities(found, priors)
        forces = np.zeros((len(near), self.n_fitted), dtype=np.float32)
        for constraint in self.constraints:
            if constraint.name in priors.alike:
                alike = priors.alike[constraint.name]
                if self.groups is not None:
                    lengths = priors.distances(constraint.name)
                    alike = self._within_groups(alike, found[-1][0], lengths)
                constraint.add_to(forces, alike)
        return self._descend(near, affinities, forces)

    def _neighbors(
        self, distances: Sequence[Floats], priors: NewPriors
    ) -> list[tuple[Indices, Floats]]:
        """Return neighbours, and distances to them, in each view."""
        pairs = zip(self.views, distances, strict=False)
        return [view.neighbors(lengths, priors) for view, lengths in pairs]

    def _affinities(
        self, found: Sequence[tuple[Indices, Floats]], priors: NewPriors
    ) -> tuple[Indices, Floats]:
        """Return the neighbours in all views, and affinities to them.

        Samples of a class that was not fitted are attracted in the residual alone: which fitted
        samples are nearest in the data depends on how the classes differ.
        """
        weights = self.weights if len(found) == len(self.views) else (1.0,)
        near, affinities = mean_conditional(found, weights, self.perplexity)
        if len(found) > 1:
            unseen = np.any([alike < 0 for alike in priors.alike.values()], axis=0)
            affinities[unseen, : self.views[0].k] = 0
            affinities[unseen] /= weights[-1]
        return near, affinities

    def _descend(self, near: Indices, affinities: Floats, forces: NDArray[np.float32]) -> Placed:
        """Move every sample to a minimum of its objective."""
        from unprior.kernels._place_tsne import place_tsne

        cutoff = np.inf if self.n_fitted <= ALL_PAIRS else (CUTOFF * self.scale) ** 2
        task = np.float32(self.push), forces, np.float32(1 / self.scale**2), np.float32(cutoff)
        places, medians = place_tsne(in_one_layout(self.places), near, affinities, *task)
        return Placed(places[:, : self.n_components], medians[:, : self.n_components])

    def _within_groups(self, alike: Indices, near: Indices, lengths: Floats) -> Indices:
        """Return the fitted samples most like new ones in a prior, among those of the kept class.

        The kept class of a new sample is the most frequent one of its neighbours. Where it has no
        sample of the same prior class, ``alike`` is kept.
        """
        groups = cast(Indices, self.groups)
        found = alike.copy()
        for i, row in enumerate(near):
            group = np.bincount(groups[row[:VOTERS]] + 1).argmax() - 1
            mates = np.flatnonzero(groups == group)
            best = mates[np.argmin(lengths[i, mates])]
            if alike[i] >= 0 and (lengths[i, best] == 0 or lengths[i, alike[i]] > 0):
                found[i] = best
        return found


def keep_places(embedding: Floats) -> NDArray[np.float32]:
    """Return a map as three rows, unused ones zero."""
    places = np.zeros((3, len(embedding)), dtype=np.float32)
    places[: embedding.shape[1]] = embedding.T
    return places


def in_one_layout(array: NDArray[Any]) -> NDArray[Any]:
    """Copy an array that is read-only, as in a loaded model, or part of another one.

    Loops would be compiled again for each of these.
    """
    return np.require(array, requirements=["C", "W"])
