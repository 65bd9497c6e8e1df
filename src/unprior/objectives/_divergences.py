r"""The terms of JEDI's objective: KL(P‖Q) for the data and pJSD(P'‖Q) for each prior.

pJSD is the paper's parametrised Jensen–Shannon divergence. With α the symmetry, β the skewness and
u = β p' / ((1−β) q),

.. math:: \mathrm{pJSD} = \alpha\,\mathrm{KL}(P' \| \beta Q + (1-\beta) P')
          + (1-\alpha)\,\mathrm{KL}(Q \| \beta P' + (1-\beta) Q) \le -\log(1-\beta).

Its derivative by q is constant where p' = 0, and a constant has no effect since Q sums to one. What
remains is nonzero for the prior's pairs only:

.. math:: s = (1-\alpha) [u/(1+u) - \log(1+u)] - \alpha \beta p' / (\beta q + (1-\beta) p').
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats
from unprior.affinities import Affinities


@dataclass(frozen=True)
class DataDivergence:
    r"""KL(P‖Q) = Σ p log p − Σ p log w + log Z, and its attraction Σ_j p w (y_i − y_j)."""

    affinities: Affinities

    def attract(self, Y: Floats) -> tuple[Floats, float]:
        """Return the attraction on each sample, and Σ p log w."""
        from unprior.kernels._pairs import attract_dense, attract_edges

        P = self.affinities.matrix
        if self.affinities.is_sparse:
            force, log_kernel = attract_edges(Y, P.indptr, P.indices, P.data)
            return force, float(log_kernel.sum())
        force, log_kernel = attract_dense(Y, P)
        return force.sum(axis=0).T, 2 * float(log_kernel.sum())

    def value(self, log_kernel: float, normalizer: float) -> float:
        """KL(P‖Q) from Σ p log w and Z."""
        return self.affinities.log_mean - log_kernel + float(np.log(normalizer))


@dataclass(frozen=True)
class PriorForces:
    """The prior's part of the gradient: Σ_j s q w (y_i − y_j), s̄ = Σ q s, and pJSD itself."""

    force: Floats
    mean_slope: float
    divergence: float


@dataclass(frozen=True)
class PriorDivergence:
    """One prior's pJSD, with the strength at which it enters the objective."""

    affinities: Affinities
    strength: float
    symmetry: float
    skewness: float

    def repel(self, Y: Floats, normalizer: float) -> PriorForces:
        """Evaluate at a map with three columns, given Z = Σ w."""
        from unprior.kernels._pairs import prior_edge_forces, prior_forces

        shape = (normalizer, float(self.symmetry), float(self.skewness))
        R = self.affinities.matrix
        if self.affinities.is_sparse:
            sums = prior_edge_forces(Y, R.indptr, R.indices, R.data, *shape)
            return add_up(sums, self.symmetry, self.skewness)
        force, mean_slope, terms = prior_forces(Y, R, *shape)
        # Each pair was visited once and counts for both orders.
        sums = force.sum(axis=0).T, 2 * mean_slope, 2 * terms
        return add_up(sums, self.symmetry, self.skewness)

    def slopes_at(self, q: float) -> Floats:
        """Return s of all pairs of a map in which all pairs have the affinity q."""
        R = self.affinities.matrix
        p = R.toarray() if self.affinities.is_sparse else R
        ratio = self.skewness / (1 - self.skewness) / q * p
        slopes: Floats = (1 - self.symmetry) * (ratio / (1 + ratio) - np.log1p(ratio))
        if self.symmetry:
            mixed = self.skewness * q + (1 - self.skewness) * p
            slopes -= self.symmetry * self.skewness * p / mixed
        return slopes


def add_up(sums: tuple[Floats, Floats, Floats], symmetry: float, skewness: float) -> PriorForces:
    """Sum the results of a kernel over samples or lanes, and add the constant of pJSD."""
    force, mean_slope, terms = sums
    bound = -(1 - symmetry) * np.log1p(-skewness)
    return PriorForces(force, float(mean_slope.sum()), float(bound + terms.sum()))
