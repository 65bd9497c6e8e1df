"""Distances of data and priors -> their difference, Algorithm 1 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.neighbors import EPS, BoundedTiles, ShiftFinder, prior_tiles
from unprior.priors import Prior


@dataclass(frozen=True, eq=False)
class Linear:
    r"""The linear ⊖: :math:`D^X - \sum_k (\lambda_k / 2) D^{Z_k} + \sum_k \lambda_k`.

    Each matrix is divided by its scale first. The term of prior k lies between
    :math:`\lambda_k / 2` and :math:`\lambda_k`. So it satisfies the triangle inequality, and the
    result is a metric whenever D^X is one.

    Attributes
    ----------
    data_scale : float
    prior_scales, strengths : ndarray
        One number for each prior; strengths are the paper's λ.
    """

    data_scale: float
    prior_scales: Floats
    strengths: Floats

    def __call__(self, data: Floats, prior: Sequence[Floats]) -> Floats:
        """Factor prior distances out of data distances of the same pairs."""
        result = data / self.data_scale
        for distances, scale, strength in zip(
            prior, self.prior_scales, self.strengths, strict=True
        ):
            result += strength - strength / 2 * scaled_prior(distances, scale)
        return result

    def finder(self, bounded: BoundedTiles, priors: Sequence[Prior], order: Indices) -> ShiftFinder:
        """Prepare the search for candidates in scaled data distances, for samples in this order."""
        tiles, errors = zip(*(prior_tiles(prior, order) for prior in priors), strict=True)
        slack = self.strengths / 2 @ (np.array(errors) / self.prior_scales)
        # Rounding errors of a sum of a few numbers that are at most this large.
        slack += 8 * (1 + len(tiles)) * EPS * (bounded.largest + self.strengths.sum())
        shifts = [*zip(tiles, self.prior_scales, self.strengths, strict=True)]
        return ShiftFinder(bounded, order, float(slack), shifts)


def scaled_prior(distances: Floats, scale: float) -> Floats:
    """Divide by a scale, and clip at 1, above which the result of ⊖ would not be a metric."""
    return np.minimum(distances / scale, 1)
