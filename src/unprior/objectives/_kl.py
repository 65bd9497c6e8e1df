"""KL(P‖Q), the pull of the data."""

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
        """Return the attraction on every sample, and Σ p log w."""
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
