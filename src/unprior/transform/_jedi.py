"""Placing new samples on a fitted JEDI map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats
from unprior.affinities import Bandwidths, estimate_bandwidths
from unprior.geometry import Curve, SampleDistances
from unprior.transform._priors import NewPriors
from unprior.transform._tsne import Placed, in_one_layout
from unprior.transform._views import FittedView, find_twins, mean_conditional

#: Largest number of fitted samples whose bandwidths are computed, which takes a second or two.
MOST_SYMMETRIC = 5000


@dataclass(frozen=True, eq=False)
class SymmetricAffinities:
    """Affinities to fitted samples: the mean of p_{j|i} and p_{i|j}, times the number of samples.

    Attributes
    ----------
    perplexity : float
    bandwidths : Bandwidths or None
        Those of the fitted samples; None if there are too many: then p_{j|i} alone is used.
    """

    perplexity: float
    bandwidths: Bandwidths | None

    @classmethod
    def of(cls, distances: SampleDistances, perplexity: float) -> SymmetricAffinities:
        """Find the bandwidths of up to `MOST_SYMMETRIC` fitted samples."""
        if distances.n_samples > MOST_SYMMETRIC:
            return cls(perplexity, None)
        rng = np.random.RandomState(0)
        found, points = estimate_bandwidths(distances, perplexity, rng), distances.points()
        if points is not None and points.curve is Curve.LINE:  # these are between points
            square = points.unit**2
            found = Bandwidths(found.precision / square, found.nearest * square, found.total)
        return cls(perplexity, found)

    def __call__(self, distances: Floats) -> Floats:
        """Return affinities by distances of new samples to all fitted ones."""
        from unprior.kernels._perplexity import conditional_rows, symmetrize

        distances = np.asarray(distances, dtype=np.float64)
        affinities = np.asarray(conditional_rows(distances, self.perplexity))
        if self.bandwidths is not None:
            symmetrize(affinities, distances, *map(in_one_layout, self.bandwidths.arrays))
        return affinities


@dataclass(frozen=True, eq=False)
class PriorAffinities:
    """Affinities in one prior of JEDI.

    Attributes
    ----------
    name : str
    strength : float
    affinities : SymmetricAffinities or None
        None for labels, where all samples of a class are neighbours.
    """

    name: str
    strength: float
    affinities: SymmetricAffinities | None

    def __call__(self, distances: Floats) -> Floats:
        """Return affinities by distances of new samples to all fitted ones."""
        if self.affinities is not None:
            return self.affinities(distances)
        same = (distances == 0).astype(np.float64)
        return np.asarray(same / np.maximum(same.sum(axis=1, keepdims=True), 1))


@dataclass(frozen=True, eq=False)
class JEDIMap:
    """A fitted map, and the forces on a new sample.

    Attributes
    ----------
    places : ndarray of shape (3, n_fitted), float32
        The map, unused axes zero.
    n_components : int
    views : sequence of FittedView
        One, of the data.
    affinities : SymmetricAffinities
        Those in the data.
    normalizer : float
        Z.
    balance : float
        The weight of the repulsion relative to t-SNE's: 1 + Σ strength s̄.
    priors : sequence of PriorAffinities
    symmetry, skewness : float
    slopes : ndarray of shape (n_fitted, 3)
        The gradient of every fitted sample's own objective at its place; zeros if the fit sampled
        pairs, since noise would be taken for a gradient.
    """

    places: NDArray[np.float32]
    n_components: int
    views: Sequence[FittedView]
    affinities: SymmetricAffinities
    normalizer: float
    balance: float
    priors: Sequence[PriorAffinities]
    symmetry: float
    skewness: float
    slopes: Floats

    @property
    def n_fitted(self) -> int:
        """Number of fitted samples."""
        return self.places.shape[1]

    def place(self, distances: Sequence[Floats], priors: NewPriors) -> Placed:
        """Place new samples; see `TSNEMap.place`."""
        from unprior.kernels._place_jedi import place_jedi

        found = self.views[0].neighbors(distances[0], priors)
        perplexity = min(self.affinities.perplexity, found[0].shape[1] / 3)
        near, pulls = mean_conditional([found], (1.0,), perplexity)
        affinities = self.affinities(distances[0])
        given = [one for one in self.priors if one.name in priors.alike]
        rows = np.zeros((len(near), len(given), self.n_fitted))
        for m, one in enumerate(given):
            rows[:, m] = one(priors.distances(one.name))
        strengths = np.array([one.strength for one in given])
        push = self.balance * self.n_fitted / self.normalizer
        shape = self.normalizer, push, float(self.symmetry), float(self.skewness)
        twins, slopes = find_twins(distances[0], priors), in_one_layout(self.slopes)
        task = near, pulls, twins, slopes, affinities, rows, strengths, shape
        places, medians = place_jedi(in_one_layout(self.places), *task)
        return Placed(places[:, : self.n_components], medians[:, : self.n_components])
